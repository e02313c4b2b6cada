import { StartupError } from '../sql/database/startup-error.ts';

/**
 * What may be said of an error. Drivers and parsers put what they were given into their errors: the
 * packet, the row, the address, the text that was no JSON. So nothing of an error is said but its kind,
 * its codes, the beginning of its sentence that quotes nothing, and where it happened.
 */
export type SerializedError = {
  type: string;
  message: string;
  code?: string;
  status?: number;
  constraint?: string;
  table?: string;
  column?: string;
  stack?: string[];
  cause?: SerializedError;
};

/** What stands behind one of these is a quotation. */
const QUOTATION = /[:"`<>{}[\]()\r\n]|(?<!\p{L})['‘“]|['’”](?!\p{L})/u;
const WORD = /^[\p{L}_][\p{L}_'’-]{0,39}[.,;!?…]?$/u;
const NUMBER = /^\d{1,3}[.,;%]?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}[.,;]?$/i;
const LONGEST = 200;

/** The words of a sentence up to its first quotation; what is no word among them is left out. */
export function stripQuotedValues(sentence: string): string {
  const [unquoted = ''] = sentence.slice(0, 2_000).trim().split(QUOTATION, 1);
  const isSayable = (word: string) => WORD.test(word) || NUMBER.test(word) || UUID.test(word);
  const words = unquoted.split(/\s+/).filter((word) => word !== '');
  return words
    .map((word) => (isSayable(word) ? word : '…'))
    .join(' ')
    .slice(0, LONGEST);
}

/** One sentence for a list of failures: what is wrong, and the code of whoever said so. */
export function summarizeError(error: unknown): string {
  const { type, message, code } = serializeError(error);
  const sentence = message || type;
  return code === undefined ? sentence : `${sentence} (${code})`;
}

/** These quote what they could not read without saying where the quotation begins. */
const QUOTING = /^(SyntaxError|ZodError|\$ZodError|URIError)$/;
const DEPTH_MAX = 3;

export function serializeError(error: unknown, depth = 1): SerializedError {
  if (!(error instanceof Error)) return { type: typeof error, message: '' };
  const { code, status, constraint, table, column } = error as Error & Record<string, unknown>;
  const type = name(error.constructor.name) ?? 'Error';
  const stack = framesOf(error);
  const facts = {
    code: name(code),
    status: typeof status === 'number' ? status : undefined,
    constraint: name(constraint),
    table: name(table),
    column: name(column),
    stack: stack.length > 0 ? stack : undefined,
    cause: error.cause && depth < DEPTH_MAX ? serializeError(error.cause, depth + 1) : undefined,
  };
  return {
    type,
    message: messageOf(error, type),
    ...(Object.fromEntries(
      Object.entries(facts).filter(([, value]) => value !== undefined),
    ) as Partial<SerializedError>),
  };
}

/** What is written for whoever starts a process is ours from end to end, and is said whole. */
function messageOf(error: Error, type: string): string {
  if (error instanceof StartupError) return error.message;
  return QUOTING.test(type) || QUOTING.test(error.name) ? '' : stripQuotedValues(error.message);
}

const name = (value: unknown) =>
  typeof value === 'string' && /^\$?[A-Za-z0-9_]{1,63}$/.test(value) ? value : undefined;

/** `at steps (file:///…/serve.ts:40:11)`; the sentence above the frames is left out. */
const FRAME =
  /^\s+(at (?:async )?(?:[\w$.<>[\] ]{1,120} \()?(?:file:\/\/|node:|\/)[^\s()]+:\d+:\d+\)?)$/;
const FRAMES_MAX = 20;

function framesOf({ message, stack = '' }: Error): string[] {
  const frames = stack.slice(stack.indexOf(message) + message.length).split('\n');
  return frames.flatMap((line) => FRAME.exec(line)?.[1] ?? []).slice(0, FRAMES_MAX);
}
