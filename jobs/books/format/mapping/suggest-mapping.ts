import type { TreeFile } from '../../../files/file-tree.ts';
import { readCsv } from '../../../files/read-csv.ts';
import { editDistance } from '../../../nearest-word.ts';
import { columnsOf, type BookFileName } from '../book-files.ts';
import type { Column } from '../columns.ts';
import { compileSection } from './compile-section.ts';
import { detectFormats, type DetectedFormats } from './detect-formats.ts';
import { MappingSchema, type Mapping, type Section } from './mapping-schema.ts';
import { lettersOf, spellingsOf, STATUS_WORDS, SYNONYMS } from './synonyms.ts';

/** Records that are looked at. */
const SAMPLE = 1_000;

export type Suggestion = {
  /** The mapping as YAML, with comments where a person must decide. */
  yaml: string;
  /** How many of the required columns were found, of how many. */
  found: number;
  required: number;
};

/**
 * Suggests a mapping of a foreign file of loans or transactions, by the names of its columns and by its values. A person
 * must read it: a name may mean something else.
 */
export async function suggestMapping(
  file: TreeFile,
  target: BookFileName = 'loans',
): Promise<Suggestion> {
  const { header, records } = await readSample(file);
  const samples = new Map(
    header.map((name, place) => [
      name,
      records.map((fields) => fields[place]?.trim() ?? '').filter((value) => value !== ''),
    ]),
  );
  const columns = columnsOf(target);
  const matches = matchColumns(columns, header, samples);
  const formats = detectFormats(columns, matches, samples);
  const statuses = statusesOf(columns, matches, samples);
  const needed = Object.entries(columns).filter(
    ([, { is_required, required_without }]) => is_required || required_without !== null,
  );
  const missing = needed.map(([name]) => name).filter((name) => !matches.has(name));
  const used = new Set(matches.values());
  return {
    yaml: writeYaml({
      file: file.path,
      target,
      matches,
      formats,
      statuses,
      missing,
      ignored: header.filter((name) => name !== '' && !used.has(name)),
    }),
    found: needed.length - missing.length,
    required: needed.length,
  };
}

async function readSample(file: TreeFile) {
  const records: string[][] = [];
  for await (const { fields } of readCsv(file.stream(), { guesses_encoding: true })) {
    records.push(fields);
    if (records.length > SAMPLE) break;
  }
  const widest = Math.max(0, ...records.slice(0, 20).map(({ length }) => length));
  const at = records.findIndex(({ length }) => length === widest);
  const header = (records[at] ?? []).map((name) => name.trim());
  return { header, records: records.slice(at + 1) };
}

/** How well a foreign name fits a column, from 0 to 1. */
const nameScore = (target: string, source: string): number =>
  Math.max(...spellingsOf(source).map((name) => spellingScore(target, name)));

function spellingScore(target: string, name: string): number {
  const own = lettersOf(target);
  if (name === '') return 0;
  if (name === own) return 1;
  const synonyms = [...(SYNONYMS[target] ?? []), own.replace(/^borrower/, '')];
  if (synonyms.includes(name)) return 0.9;
  const near = [own, ...synonyms].some(
    (known) => known.length > 5 && editDistance(known, name) * 6 <= known.length,
  );
  if (near) return 0.7;
  return synonyms.some((known) => known.length > 5 && name.includes(known)) ? 0.5 : 0;
}

type Samples = ReadonlyMap<string, readonly string[]>;

/** The best source of each column. No source is used twice. */
function matchColumns(
  columns: Readonly<Record<string, Column>>,
  header: readonly string[],
  samples: Samples,
): Map<string, string> {
  const scored = Object.entries(columns)
    .flatMap(([target, column]) =>
      header.map((source) => ({ target, column, source, score: nameScore(target, source) })),
    )
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score);
  const matches = new Map<string, string>();
  const used = new Set<string>();
  for (const { target, column, source } of scored) {
    if (matches.has(target) || used.has(source)) continue;
    if (!fitsValues(target, column, source, samples.get(source) ?? [])) continue;
    matches.set(target, source);
    used.add(source);
  }
  return matches;
}

/** Most values of a column must be readable, in any of the usual forms. */
const READABLE_SHARE = 0.9;

function fitsValues(
  target: string,
  column: Column,
  source: string,
  values: readonly string[],
): boolean {
  if (values.length === 0 || column.form === 'choice') return true;
  const shown = new Map([[source, values]]);
  const formats = detectFormats({ [target]: column }, new Map([[target, source]]), shown);
  const section = {
    ...emptySection(),
    ...formats.settings,
    columns: { [target]: { from: [source] } },
  };
  const [reader] = compileSection({ [target]: column }, section, NO_MAPPING, [source]);
  const read = values.filter((value) => {
    try {
      const text = reader?.read([value], 1);
      return text === undefined || column.schema.safeParse(text).success;
    } catch {
      return false;
    }
  });
  return read.length >= values.length * READABLE_SHARE;
}

const NO_MAPPING: Mapping = MappingSchema.parse({});
const emptySection = (): Section => ({
  columns: {},
  values: {},
  sign: {},
  ignore: [],
  when_filled: [],
  leave_out: {},
});

/** What each status of the file means, as far as its words say. */
function statusesOf(
  columns: Readonly<Record<string, Column>>,
  matches: ReadonlyMap<string, string>,
  samples: Samples,
): Map<string, string> {
  const source = matches.get('status');
  const choices = columns['status']?.choices ?? [];
  const found = new Set(source === undefined ? [] : samples.get(source));
  return new Map(
    [...found].slice(0, 50).flatMap((word): [string, string][] => {
      if (choices.includes(word)) return [];
      const meaning = STATUS_WORDS.find(([part]) => word.toLowerCase().includes(part))?.[1];
      return [[word, meaning !== undefined && choices.includes(meaning) ? meaning : '']];
    }),
  );
}

type Parts = {
  file: string;
  target: BookFileName;
  matches: ReadonlyMap<string, string>;
  formats: DetectedFormats;
  statuses: ReadonlyMap<string, string>;
  missing: readonly string[];
  ignored: readonly string[];
};

const scalar = (text: string) =>
  /^[A-Za-z][A-Za-z0-9_]*$/.test(text) ? text : JSON.stringify(text);

function writeYaml({ file, target, matches, formats, statuses, missing, ignored }: Parts): string {
  const columns = [...matches]
    .filter(([column, source]) => column !== source)
    .map(([column, source]) => `    ${column}: ${scalar(source)}`);
  const lacking = missing.map((column) => `    # ${column}: required, and not found`);
  const meanings = [...statuses].map(
    ([word, meaning]) =>
      `      ${scalar(word)}: ${meaning === '' ? "'' # active, paid_off or charged_off?" : meaning}`,
  );
  return [
    '# Suggested by the names and values of the file. Read every line before you use it.',
    'files:',
    `  ${target}: ${scalar(file)}`,
    `${target}:`,
    ...formats.lines.map((text) => `  ${text}`),
    '  columns:',
    ...columns,
    ...lacking,
    ...(meanings.length > 0 ? ['  values:', '    status:', ...meanings] : []),
    ...(ignored.length > 0
      ? ['  # These columns have no counterpart. Move what you need to `columns`.', '  ignore:']
      : []),
    ...ignored.map((name) => `    - ${scalar(name)}`),
    '',
  ].join('\n');
}
