import { StartupError } from '../../sql/database/startup-error.ts';

/**
 * The loggable part of an error. Drivers and parsers put their input into error messages: packets, rows,
 * addresses, invalid JSON. Only the error's class, its codes, its stack and the unquoted beginning of its
 * message are therefore kept.
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

/** The text after one of these characters is treated as a quotation. */
const QUOTATION = /[:"`<>{}[\]()\r\n]|(?<!\p{L})['‘“]|['’”](?!\p{L})/u;
const WORD = /^[\p{L}_][\p{L}_'’-]{0,39}[.,;!?…]?$/u;
const NUMBER = /^\d{1,3}[.,;%]?$/;
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}[.,;]?$/i;
const MESSAGE_CHARACTERS_MAX = 200;

/**
 * Keeps the words of a sentence up to its first quotation. Replaces everything that is not a word, a short
 * number or a UUID with "…".
 */
export function stripQuotedValues(sentence: string): string {
  const [unquoted = ''] = sentence.slice(0, 2_000).trim().split(QUOTATION, 1);
  const isSayable = (word: string) => WORD.test(word) || NUMBER.test(word) || UUID.test(word);
  const words = unquoted.split(/\s+/).filter((word) => word !== '');
  return words
    .map((word) => (isSayable(word) ? word : '…'))
    .join(' ')
    .slice(0, MESSAGE_CHARACTERS_MAX);
}

/** One sentence for a list of failures: the message and the error code. */
export function summarizeError(error: unknown): string {
  const { type, message, code } = serializeError(error);
  const sentence = message || type;
  return code === undefined ? sentence : `${sentence} (${code})`;
}

/** These errors quote their input without marking where the quotation begins. */
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

/** The platform writes startup errors itself and they contain no foreign text, so they are kept whole. */
function messageOf(error: Error, type: string): string {
  if (error instanceof StartupError) return error.message;
  return QUOTING.test(type) || QUOTING.test(error.name) ? '' : stripQuotedValues(error.message);
}

const name = (value: unknown) =>
  typeof value === 'string' && /^\$?[A-Za-z0-9_]{1,63}$/.test(value) ? value : undefined;

/** Example: `at steps (file:///…/serve.ts:40:11)`. Skips the message before the frames. */
const FRAME =
  /^\s+(at (?:async )?(?:[\w$.<>[\] ]{1,120} \()?(?:file:\/\/|node:|\/)[^\s()]+:\d+:\d+\)?)$/;
const FRAMES_MAX = 20;

function framesOf({ message, stack = '' }: Error): string[] {
  const frames = stack.slice(stack.indexOf(message) + message.length).split('\n');
  return frames.flatMap((line) => FRAME.exec(line)?.[1] ?? []).slice(0, FRAMES_MAX);
}
