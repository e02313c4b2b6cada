import { isMap, isScalar, LineCounter, parseDocument, type Document } from 'yaml';
import { hintAt, quote } from '../../../nearest-word.ts';
import { BOOK_FILE_NAMES, columnsOf, type BookFileName } from '../book-files.ts';
import { dateFormatProblem } from './date-formats.ts';
import { MappingSchema, type DateFormat, type Mapping, type Section } from './mapping-schema.ts';

export type MappingProblem = { line: number; reason: string };

/** The mapping file cannot be used. `problems` lists every reason with its line. */
export class MappingRefused extends Error {
  readonly problems: readonly MappingProblem[];

  constructor(problems: readonly MappingProblem[]) {
    super(problems.map(({ line, reason }) => `line ${line}: ${reason}`).join('\n'));
    this.problems = problems;
  }
}

const CHARACTERS_MAX = 262_144;

type Place = (path: readonly PropertyKey[], isKey?: boolean) => number;

/** Reads a mapping file. Throws `MappingRefused` with every mistake and its line. */
export function readMapping(text: string): Mapping {
  if (text.length > CHARACTERS_MAX)
    throw new MappingRefused([{ line: 1, reason: 'The mapping has more than 256 kB.' }]);
  const lines = new LineCounter();
  // In the failsafe schema all scalars are texts: a code such as 007 or NO is never a number or a boolean.
  const document = parseDocument(text, { lineCounter: lines, schema: 'failsafe' });
  if (document.errors.length > 0)
    throw new MappingRefused(
      document.errors.map(({ linePos, message }) => ({
        line: linePos?.[0].line ?? 1,
        reason: message.split(' at line')[0] ?? message,
      })),
    );
  const lineAt: Place = (path, isKey = false) => {
    const offset = offsetAt(document, path, isKey);
    return lines.linePos(offset).line;
  };
  if (!isMap(document.contents) && document.contents !== null)
    throw new MappingRefused([
      {
        line: 1,
        reason: 'Is no mapping. Begin with the name of a file and a colon, such as loans:',
      },
    ]);
  const parsed = MappingSchema.safeParse(toValue(document));
  if (!parsed.success)
    throw new MappingRefused(parsed.error.issues.flatMap((issue) => explainIssue(issue, lineAt)));
  const problems = BOOK_FILE_NAMES.flatMap((name) => {
    const section = parsed.data[name];
    return section ? sectionProblems(name, section, lineAt) : [];
  });
  problems.push(...formatProblems([], parsed.data.dates, lineAt));
  if (problems.length > 0) throw new MappingRefused(problems);
  return parsed.data;
}

/** Aliases would let a small file become a huge one. */
function toValue(document: Document): unknown {
  try {
    return document.toJS({ maxAliasCount: 0 }) ?? {};
  } catch {
    throw new MappingRefused([{ line: 1, reason: 'Anchors and aliases are not supported.' }]);
  }
}

/** The place of a value, or of the nearest part of its path that exists. */
function offsetAt(document: Document, path: readonly PropertyKey[], isKey: boolean): number {
  const steps = path.map(String);
  const parent = document.getIn(steps.slice(0, -1), true);
  const pair = isMap(parent)
    ? parent.items.find(({ key }) => isScalar(key) && String(key.value) === steps.at(-1))
    : undefined;
  if (pair && isScalar(pair.key) && (isKey || steps.length === 1)) return pair.key.range?.[0] ?? 0;
  const node = document.getIn(steps, true) as
    { range?: [number, number, number] | null } | undefined;
  if (node?.range) return node.range[0];
  return steps.length === 0 ? 0 : offsetAt(document, steps.slice(0, -1), true);
}

type Issue = {
  code: string;
  path: readonly PropertyKey[];
  message: string;
  keys?: readonly string[];
  errors?: readonly (readonly Issue[])[];
};

const TOP_LEVEL = Object.keys(MappingSchema.shape);

/** The first readable reason of an issue. A union's own message would name every form. */
function explainIssue(issue: Issue, lineAt: Place): MappingProblem[] {
  if (issue.code === 'unrecognized_keys')
    return (issue.keys ?? []).map((key) => ({
      line: lineAt([...issue.path, key], true),
      reason: `${quote(key)} is not known here.${hintAt(key, knownAt(issue.path))}`,
    }));
  const inside = issue.errors?.flatMap((issues) => issues).find(({ path }) => path.length > 0);
  const unknown = issue.errors?.flat().find(({ code }) => code === 'unrecognized_keys');
  const deeper = unknown ?? inside;
  if (deeper) return explainIssue({ ...deeper, path: [...issue.path, ...deeper.path] }, lineAt);
  const name = issue.path.map(String).join('.');
  return [{ line: lineAt(issue.path), reason: `${name}: ${issue.message}` }];
}

const SECTION_KEYS = [
  ...(['columns', 'values', 'sign', 'ignore', 'when_filled', 'leave_out', 'dates'] as const),
  ...(['money', 'rates', 'terms', 'empty'] as const),
];
const SOURCE_KEYS = [
  ...([
    'from',
    'value',
    'join',
    'minus',
    'split',
    'part',
    'default',
    'values',
    'sign',
    'when',
    'numbered',
  ] as const),
  ...(['dates', 'money', 'rates', 'terms', 'empty'] as const),
];

function knownAt(path: readonly PropertyKey[]): readonly string[] {
  if (path.length === 0) return TOP_LEVEL;
  if (path[0] === 'files') return BOOK_FILE_NAMES;
  return path.length === 1 ? SECTION_KEYS : SOURCE_KEYS;
}

/** Columns that the book format does not have, and values that a choice does not allow. */
function sectionProblems(name: BookFileName, section: Section, lineAt: Place): MappingProblem[] {
  const known = columnsOf(name);
  const named = (['columns', 'values', 'sign', 'leave_out'] as const).flatMap((part) =>
    // `leave_out` looks at columns of the source file.
    (part === 'leave_out' ? [] : Object.keys(section[part])).map((column) => ({ part, column })),
  );
  const unknown = named
    .filter(({ column }) => !Object.hasOwn(known, column))
    .map(({ part, column }) => ({
      line: lineAt([name, part, column], true),
      reason: `${name}.csv has no column ${quote(column)}.${hintAt(column, Object.keys(known))}`,
    }));
  const wrongValues = Object.entries(section.values).flatMap(([column, values]) =>
    choiceProblems([name, 'values', column], column, values, known, lineAt),
  );
  const inColumns = Object.entries(section.columns).flatMap(([column, source]) =>
    !('from' in source)
      ? []
      : [
          ...choiceProblems(
            [name, 'columns', column, 'values'],
            column,
            valuesIn(source),
            known,
            lineAt,
          ),
          ...formatProblems([name, 'columns', column], datesIn(source), lineAt),
        ],
  );
  return [
    ...unknown,
    ...wrongValues,
    ...inColumns,
    ...formatProblems([name], section.dates, lineAt),
  ];
}

const valuesIn = (source: object) =>
  'values' in source ? ((source.values ?? {}) as Record<string, string>) : {};
const datesIn = (source: object) =>
  'dates' in source ? (source.dates as readonly DateFormat[] | undefined) : undefined;

function choiceProblems(
  path: readonly string[],
  column: string,
  values: Readonly<Record<string, string>>,
  known: ReturnType<typeof columnsOf>,
  lineAt: Place,
): MappingProblem[] {
  const choices = Object.hasOwn(known, column) ? known[column]?.choices : null;
  if (!choices) return [];
  return Object.entries(values)
    .filter(([, to]) => to !== '' && !choices.includes(to))
    .map(([from, to]) => ({
      line: lineAt([...path, from]),
      reason: `${column} cannot be ${quote(to)}.${hintAt(to, choices) || ` Use one of ${choices.join(', ')}.`}`,
    }));
}

function formatProblems(
  path: readonly string[],
  dates: readonly DateFormat[] | undefined,
  lineAt: Place,
): MappingProblem[] {
  if (dates === undefined) return [];
  const problem = dateFormatProblem(dates);
  return problem === null ? [] : [{ line: lineAt([...path, 'dates'], true), reason: problem }];
}
