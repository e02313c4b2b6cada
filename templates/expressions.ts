/**
 * One expression in double braces with pipe filters: `loan.balance | currency(locale)`.
 *
 * Handlebars does not know the pipe filters of the specification. Each expression is therefore parsed here
 * and written as a helper call: `as_currency loan.balance @root.locale`.
 */
export type Expression = { path: string[]; filters: { name: string; args: string[] }[] };

const PATH = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;
const FILTER = /^([A-Za-z_][A-Za-z0-9_]*)\s*(?:\(([^()]*)\))?$/;
const TEXT = /^("[^"\\\r\n{}]{0,60}"|'[^'\\\r\n{}]{0,60}')$/;

/** Returns the parsed expression, or a sentence that says what is wrong. */
export function readExpression(source: string): Expression | string {
  const [head = '', ...pipes] = splitOutsideQuotes(source, '|').map((part) => part.trim());
  if (!PATH.test(head)) return `“${abbreviate(head)}” is not the name of a value.`;
  const expression: Expression = { path: head.split('.'), filters: [] };
  for (const pipe of pipes) {
    const match = FILTER.exec(pipe);
    const name = match?.[1];
    if (!match || name === undefined) return `“${abbreviate(pipe)}” is not a filter.`;
    const list = match[2]?.trim() ?? '';
    const args = list === '' ? [] : splitOutsideQuotes(list, ',').map((arg) => arg.trim());
    const wrong = args.find((arg) => !PATH.test(arg) && !TEXT.test(arg));
    if (args.length > 1) return `The filter ${name} takes one argument.`;
    if (wrong !== undefined) return `“${abbreviate(wrong)}” cannot be given to a filter.`;
    expression.filters.push({ name, args });
  }
  return expression;
}

/** Writes the expression in Handlebars syntax. */
export function expressionToHandlebars({ path, filters }: Expression): string {
  const value = path.length === 1 && path[0] === 'this' ? 'this' : path.join('.');
  let call = value;
  filters.forEach(({ name, args }, index) => {
    const given = [`as_${name}`, call, ...args.map(compileArgument)].join(' ');
    call = index === filters.length - 1 ? given : `(${given})`;
  });
  return call;
}

/** The arguments that are paths. The caller checks their names. */
export function pathArguments({ filters }: Expression): string[][] {
  return filters.flatMap(({ args }) =>
    args.filter((arg) => !TEXT.test(arg)).map((arg) => arg.split('.')),
  );
}

/** The locale is read from the root, so it also works inside a loop over rows. */
function compileArgument(arg: string): string {
  return arg === 'locale' ? '@root.locale' : arg;
}

function splitOutsideQuotes(source: string, separator: string): string[] {
  const parts = [''];
  let quote = '';
  for (const character of source) {
    if (quote === '' && character === separator) {
      parts.push('');
      continue;
    }
    if (quote === '' && (character === '"' || character === "'")) quote = character;
    else if (quote === character) quote = '';
    parts[parts.length - 1] += character;
  }
  return parts;
}

function abbreviate(text: string): string {
  return text.length > 40 ? `${text.slice(0, 40)}…` : text;
}
