import Handlebars from 'handlebars';
import { toHandlebars, type Problem } from './check-template.ts';
import { cleanData, cleanText, isolatedData, oneLine } from './clean-data.ts';
import { filters, type Setting } from './filters.ts';
import { textToHtml, sanitize } from './sanitize.ts';
import { isHarmless } from './syntax-tree.ts';

export type Channel = 'email' | 'sms' | 'letter' | 'in_app';
export type MessageTemplate = { channel: Channel; subject?: string | null; body: string };
export type Message = { subject: string | null; body: string };

/** The template must not be rendered. Lists each problem with its place. */
export class TemplateRefused extends Error {
  readonly problems: readonly Problem[];

  constructor(problems: readonly Problem[]) {
    super(problems[0]?.message ?? 'The template is not allowed.');
    this.name = 'TemplateRefused';
    this.problems = problems;
  }
}

const OUTPUT_BYTES_MAX = 256 * 1024;
const SMS_CHARACTERS_MAX = 1_600;
const SUBJECT_CHARACTERS_MAX = 300;
const COMPILED_MAX = 500;

const engine = newEngine();
const compiled = new Map<string, HandlebarsTemplateDelegate>();

/**
 * Renders a tenant's template: escaped HTML for email and letter, plain text for sms and in_app. Values are
 * never parsed as templates, and a missing value is empty. Templates have no loops and a limited size, so
 * the time is bounded too.
 */
export function renderMessage({ channel, subject, body }: MessageTemplate, data: object): Message {
  const values = cleanData(data);
  const isHtml = channel === 'email' || channel === 'letter';
  const text = isHtml
    ? sanitize(textToHtml(renderTemplate(body, isolatedData(data), true)))
    : cleanText(renderTemplate(body, values, false)).trim();
  const title = subject ? oneLine(renderTemplate(subject, values, false)) : null;
  const limit = channel === 'sms' ? SMS_CHARACTERS_MAX : OUTPUT_BYTES_MAX;
  if (text.length > limit) {
    throw new TemplateRefused([
      { line: 1, column: 1, message: `The message is longer than ${limit} characters.` },
    ]);
  }
  return { subject: title?.slice(0, SUBJECT_CHARACTERS_MAX) ?? null, body: text };
}

/**
 * Creates a Handlebars instance with our filters and only its simplest blocks. Templates cannot reach
 * anything else.
 */
export function newEngine(): typeof Handlebars {
  const own = Handlebars.create();
  for (const name of ['lookup', 'log', 'with']) own.unregisterHelper(name);
  for (const [name, filter] of Object.entries(filters)) {
    // Handlebars passes its options as the last argument, after the optional locale.
    own.registerHelper(`as_${name}`, (value, first, second) => {
      const options: Handlebars.HelperOptions = second ?? first;
      const root: Setting = options.data.root;
      return filter(value, second === undefined ? root : { ...root, locale: first });
    });
  }
  return own;
}

const KNOWN_HELPERS = Object.fromEntries(
  [...Object.keys(filters).map((name) => `as_${name}`), 'if', 'unless'].map((name) => [name, true]),
);

function renderTemplate(source: string, values: unknown, isHtml: boolean): string {
  const key = `${isHtml ? 'html' : 'text'} ${source}`;
  let template = compiled.get(key);
  if (!template) {
    template = compile(source, isHtml);
    if (compiled.size >= COMPILED_MAX) compiled.clear();
    compiled.set(key, template);
  }
  const output = template(values);
  if (output.length <= OUTPUT_BYTES_MAX) return output;
  throw new TemplateRefused([{ line: 1, column: 1, message: 'The message is too long.' }]);
}

function compile(source: string, isHtml: boolean): HandlebarsTemplateDelegate {
  const { handlebars, problems } = toHandlebars(source);
  if (problems.length > 0) throw new TemplateRefused(problems);
  if (!isHarmless(handlebars)) {
    throw new TemplateRefused([{ line: 1, column: 1, message: 'The template is not allowed.' }]);
  }
  return engine.compile(handlebars, {
    noEscape: !isHtml,
    knownHelpers: KNOWN_HELPERS,
    knownHelpersOnly: true,
    preventIndent: true,
  });
}
