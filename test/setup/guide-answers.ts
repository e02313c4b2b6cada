/** Compares the answers in a guide with what its commands print. test/setup/guides.ts explains the signs. */
const ANY = '…';
const UUID = '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}';
const TIMESTAMP = '\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(?:\\.\\d+)?Z';
const DATE = '\\d{4}-\\d{2}-\\d{2}';
const AMOUNT = '\\d+\\.\\d{2}';
const SIGNS = new RegExp(`${ANY}|${UUID}|${TIMESTAMP}|${DATE}|${AMOUNT}`, 'g');

/** The ids of the guide and the ids that they stood for. */
export type Memory = {
  actual: Map<string, string>;
  example: Map<string, string>;
  /** False if the guide runs on another day than it was recorded on: its dates and amounts are examples. */
  isExact: boolean;
};
export const newMemory = (isExact = true): Memory => ({
  actual: new Map(),
  example: new Map(),
  isExact,
});

type Wanted = { language: 'json' | 'text'; text: string };

/** Returns a sentence about the first difference, or null. */
export function findMismatch(wanted: Wanted | null, output: string, memory: Memory): string | null {
  const printed = output.trim();
  if (wanted === null) return printed === '' ? null : 'the guide says that it prints nothing';
  if (wanted.language === 'text') return compareLines(wanted.text, printed, memory);
  const [example, actual] = [parseJson(wanted.text), parseJson(printed)];
  if (example === undefined) return 'the answer in the guide is not JSON';
  if (actual === undefined) return 'it did not print JSON';
  return compareValues(example, actual, '', memory);
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function compareValues(example: unknown, actual: unknown, at: string, memory: Memory) {
  if (example === ANY) return null;
  if (Array.isArray(example)) return compareLists(example, actual, at, memory);
  if (isObject(example)) return compareObjects(example, actual, at, memory);
  const isEqual =
    typeof example === 'string' && typeof actual === 'string'
      ? matchesText(example, actual, memory)
      : example === actual;
  return isEqual ? null : difference(at, example, actual);
}

const difference = (at: string, example: unknown, actual: unknown) =>
  `${at === '' ? 'the answer' : at} is ${JSON.stringify(actual)}, in the guide ${JSON.stringify(example)}`;

function compareLists(
  example: readonly unknown[],
  actual: unknown,
  at: string,
  memory: Memory,
): string | null {
  const isOpen = example.at(-1) === ANY;
  const items = isOpen ? example.slice(0, -1) : example;
  if (!Array.isArray(actual) || actual.length < items.length)
    return difference(at, example, actual);
  if (!isOpen && actual.length > items.length) return difference(at, example, actual);
  for (const [index, item] of items.entries()) {
    const found = compareValues(item, actual[index], `${at}[${index}]`, memory);
    if (found !== null) return found;
  }
  return null;
}

function compareObjects(
  example: Record<string, unknown>,
  actual: unknown,
  at: string,
  memory: Memory,
): string | null {
  if (!isObject(actual)) return difference(at, example, actual);
  const { [ANY]: more, ...fields } = example;
  const place = (name: string) => (at === '' ? name : `${at}.${name}`);
  for (const [name, value] of Object.entries(fields)) {
    if (!Object.hasOwn(actual, name)) return `${place(name)} is missing`;
    const found = compareValues(value, actual[name], place(name), memory);
    if (found !== null) return found;
  }
  const unnamed = Object.keys(actual).find((name) => !Object.hasOwn(fields, name));
  return more !== undefined || unnamed === undefined ? null : `the guide lacks ${place(unnamed)}`;
}

/** Lines match in order. A line that is only … matches any number of lines. */
function compareLines(example: string, printed: string, memory: Memory): string | null {
  const wanted = example.trim().split('\n');
  const actual = printed.split('\n').map((line) => line.trimEnd());
  let next = 0;
  for (const [index, line] of wanted.entries()) {
    if (line.trim() === ANY) {
      if (index === wanted.length - 1) return null;
      continue;
    }
    const isAfterAny = wanted[index - 1]?.trim() === ANY;
    const found = isAfterAny
      ? actual.findIndex((text, at) => at >= next && matchesText(line, text, memory))
      : next < actual.length && matchesText(line, actual[next] ?? '', memory)
        ? next
        : -1;
    if (found < 0) return `the line "${line}" is missing, or not where the guide has it`;
    next = found + 1;
  }
  return next === actual.length ? null : `the guide lacks the line "${actual[next]}"`;
}

const isLike = (pattern: string, text: string) => new RegExp(`^${pattern}$`).test(text);

function matchesText(example: string, actual: string, memory: Memory) {
  const { actual: known, example: ids, isExact } = memory;
  const named: string[] = [];
  let pattern = '';
  let from = 0;
  for (const { 0: sign, index } of example.matchAll(SIGNS)) {
    pattern += RegExp.escape(example.slice(from, index));
    from = index + sign.length;
    if (sign === ANY) pattern += '.*';
    else if (isLike(TIMESTAMP, sign)) pattern += TIMESTAMP;
    else if (isLike(DATE, sign)) pattern += isExact ? sign : DATE;
    else if (isLike(AMOUNT, sign)) pattern += isExact ? RegExp.escape(sign) : AMOUNT;
    else {
      named.push(sign);
      pattern += `(${UUID})`;
    }
  }
  pattern += RegExp.escape(example.slice(from));
  const found = new RegExp(`^${pattern}$`, 's').exec(actual);
  if (found === null) return false;
  const pairs = named.map((id, index) => [id, found[index + 1] ?? ''] as const);
  const fits = pairs.every(
    ([id, real]) => (known.get(id) ?? real) === real && (ids.get(real) ?? id) === id,
  );
  if (fits)
    for (const [id, real] of pairs) {
      known.set(id, real);
      ids.set(real, id);
    }
  return fits;
}
