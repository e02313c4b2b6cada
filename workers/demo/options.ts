import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { isDate } from '../../jobs/dates.ts';

export type DemoOptions = {
  tape: string;
  /** The last day that is closed; the end of the third month otherwise. */
  through: string | null;
  out: string;
  /** How many PDFs are printed for each month. */
  statements: 'all' | 'none' | number;
  summary: string | null;
};

export const USAGE =
  'npm run demo -- [--tape FILE.csv] [--through YYYY-MM-DD] [--out DIR] [--statements all|N|none] [--summary FILE.json]';

const OWN_TAPE = fileURLToPath(new URL('tape.csv', import.meta.url));

/** What the command line asks for; throws a sentence about what is wrong with it. */
export function readOptions(words: readonly string[]): DemoOptions {
  const text = { type: 'string' as const };
  const { values } = parseArgs({
    args: [...words],
    options: { tape: text, through: text, out: text, statements: text, summary: text },
  });
  const { tape = OWN_TAPE, through = null, out = '.data/demo', summary = null } = values;
  if (!existsSync(tape)) throw new Error(`There is no tape ${tape}.`);
  if (through !== null && !isDate(through)) throw new Error(`"${through}" is no date.`);
  return {
    tape: path.resolve(tape),
    through,
    out: path.resolve(out),
    statements: statementsOf(values.statements ?? 'all'),
    summary: summary === null ? null : path.resolve(summary),
  };
}

function statementsOf(text: string): DemoOptions['statements'] {
  if (text === 'all' || text === 'none') return text;
  if (!/^\d{1,6}$/.test(text)) throw new Error('--statements takes all, none, or a number.');
  return Number(text);
}
