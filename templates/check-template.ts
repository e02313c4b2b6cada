import { expressionToHandlebars, pathArguments, readExpression } from './expressions.ts';
import { TENANT_FILTERS } from './filters.ts';
import { isKnownPath } from './variables.ts';

export type Problem = { line: number; column: number; message: string };

const SOURCE_BYTES_MAX = 16_384;
const EXPRESSIONS_MAX = 200;
const DEPTH_MAX = 4;

/** Says whether the place where the template is used has a value at this path. */
export type IsKnownPath = (path: readonly string[]) => boolean;

/**
 * Returns what a tenant's template must not contain, with line and column. The list is empty if the
 * template may be saved. Only values, filters, `if`, `unless` and comments are allowed.
 */
export function checkTemplate(source: unknown, knows: IsKnownPath = isKnownPath): Problem[] {
  return toHandlebars(source, knows).problems;
}

function refuseTemplate(message: string): { handlebars: string; problems: Problem[] } {
  return { handlebars: '', problems: [{ line: 1, column: 1, message }] };
}

/** Translates the template to Handlebars syntax. The result is usable only if there are no problems. */
export function toHandlebars(
  source: unknown,
  knows: IsKnownPath = isKnownPath,
): { handlebars: string; problems: Problem[] } {
  if (typeof source !== 'string') return refuseTemplate('A template must be a string.');
  if (Buffer.byteLength(source) > SOURCE_BYTES_MAX) {
    return refuseTemplate(`A template has at most ${SOURCE_BYTES_MAX} bytes.`);
  }

  const reader: Reader = { source, knows, problems: [], open: [], expressions: 0 };
  let handlebars = '';
  let position = 0;
  for (let start = next(0); start >= 0 && reader.problems.length < 20; start = next(position)) {
    handlebars = appendText(handlebars, source.slice(position, start));
    const tag = readTag(reader, start);
    handlebars += tag.handlebars;
    position = tag.end;
  }
  handlebars = appendText(handlebars, source.slice(position));
  for (const block of reader.open) {
    reportProblem(reader, block.start, `{{#${block.name}}} is never closed.`);
  }
  return { handlebars, problems: reader.problems };

  function next(from: number): number {
    return typeof source === 'string' ? source.indexOf('{{', from) : -1;
  }
}

/**
 * Keeps a brace that follows a tag as text. Handlebars would read a third closing brace as part of the tag.
 */
function appendText(handlebars: string, text: string): string {
  const touches = handlebars.endsWith('}}') && text.startsWith('}');
  return handlebars + (touches ? '{{!}}' : '') + text;
}

type Block = { name: string; start: number; hasElse: boolean };
type Reader = {
  source: string;
  knows: IsKnownPath;
  problems: Problem[];
  open: Block[];
  expressions: number;
};
type Tag = { handlebars: string; end: number };

function readTag(reader: Reader, start: number): Tag {
  const { source } = reader;
  if (source[start - 1] === '\\') {
    return refuseTag(reader, start, start + 2, 'A backslash before {{ is not allowed.');
  }
  if (source.startsWith('{{!', start)) return readComment(reader, start);
  const close = source.indexOf('}}', start);
  const inner = close < 0 ? '' : source.slice(start + 2, close);
  if (close < 0 || inner.includes('{{')) {
    return refuseTag(reader, start, start + 2, 'This {{ is never closed.');
  }
  const end = close + 2;
  if (inner.startsWith('{') || inner.startsWith('&')) {
    return refuseTag(reader, start, end, 'Values are always escaped: use double braces.');
  }
  reader.expressions += 1;
  if (reader.expressions > EXPRESSIONS_MAX) {
    const message = `A template has at most ${EXPRESSIONS_MAX} expressions.`;
    // Returning the end of the source stops the reader.
    return refuseTag(reader, start, source.length, message);
  }
  return readInner(reader, start, end, inner.trim());
}

function readInner(reader: Reader, start: number, end: number, inner: string): Tag {
  if (inner.startsWith('#')) {
    const space = inner.search(/\s/);
    const nameEnd = space < 0 ? inner.length : space;
    const name = inner.slice(1, nameEnd);
    return openBlock(reader, { start, end, name, subject: inner.slice(nameEnd).trim() });
  }
  if (inner.startsWith('/')) return closeBlock(reader, start, end, inner.slice(1).trim());
  if (inner === 'else') return elseOf(reader, start, end);

  const expression = readExpression(inner);
  if (typeof expression === 'string') return refuseTag(reader, start, end, expression);
  const unknown = expression.filters.find(({ name }) => !isTenantFilter(name));
  if (unknown) return refuseTag(reader, start, end, `There is no filter “${unknown.name}”.`);
  for (const path of [expression.path, ...pathArguments(expression)]) {
    if (!isNameable(reader, path))
      return refuseTag(reader, start, end, `There is no value “${path.join('.')}”.`);
  }
  if (expression.filters.length > DEPTH_MAX) {
    return refuseTag(reader, start, end, `At most ${DEPTH_MAX} filters may follow each other.`);
  }
  return { handlebars: `{{${expressionToHandlebars(expression)}}}`, end };
}

function openBlock(
  reader: Reader,
  { start, end, name, subject }: { start: number; end: number; name: string; subject: string },
): Tag {
  if (name !== 'if' && name !== 'unless') {
    return refuseTag(reader, start, end, `{{#${name}}} is not allowed; if and unless are.`);
  }
  const expression = readExpression(subject);
  if (typeof expression === 'string') return refuseTag(reader, start, end, expression);
  if (expression.filters.length > 0) {
    return refuseTag(reader, start, end, 'A condition takes a value without filters.');
  }
  if (!isNameable(reader, expression.path)) {
    return refuseTag(reader, start, end, `There is no value “${expression.path.join('.')}”.`);
  }
  reader.open.push({ name, start, hasElse: false });
  if (reader.open.length > DEPTH_MAX) {
    return refuseTag(reader, start, end, `Conditions nest at most ${DEPTH_MAX} deep.`);
  }
  return { handlebars: `{{#${name} ${expressionToHandlebars(expression)}}}`, end };
}

function closeBlock(reader: Reader, start: number, end: number, name: string): Tag {
  if (reader.open.at(-1)?.name !== name) {
    return refuseTag(reader, start, end, `{{/${name}}} closes nothing.`);
  }
  reader.open.pop();
  return { handlebars: `{{/${name}}}`, end };
}

function elseOf(reader: Reader, start: number, end: number): Tag {
  const block = reader.open.at(-1);
  if (!block || block.hasElse)
    return refuseTag(reader, start, end, '{{else}} belongs to no condition.');
  block.hasElse = true;
  return { handlebars: '{{else}}', end };
}

function readComment(reader: Reader, start: number): Tag {
  const closing = reader.source.startsWith('{{!--', start) ? '--}}' : '}}';
  const close = reader.source.indexOf(closing, start + (closing === '}}' ? 3 : 5));
  if (close < 0)
    return refuseTag(reader, start, reader.source.length, 'This comment is never closed.');
  return { handlebars: '', end: close + closing.length };
}

function isNameable({ knows }: Reader, path: readonly string[]): boolean {
  return path.length <= DEPTH_MAX && knows(path);
}

function isTenantFilter(name: string): boolean {
  return (TENANT_FILTERS as readonly string[]).includes(name);
}

function refuseTag(reader: Reader, start: number, end: number, message: string): Tag {
  reportProblem(reader, start, message);
  return { handlebars: '', end };
}

function reportProblem(reader: Reader, offset: number, message: string): void {
  const before = reader.source.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - (before.lastIndexOf('\n') + 1) + 1;
  reader.problems.push({ line, column, message });
}
