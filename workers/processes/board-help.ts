import { FINDING_CODES, WARNING_CODES } from '../../jobs/books/format/findings.ts';
import { readyMappings } from '../../templates/mappings.ts';

export const BOARD_USAGE = 'npm run board -- --tenant SLUG [options] FILE.csv|FOLDER|FILE.zip';

const OPTIONS: readonly (readonly [string, string])[] = [
  ['--tenant SLUG', 'The tenant that gets the loans. Can be left out if there is only one.'],
  ['--suggest', 'Print a mapping for the file, to complete and save. Nothing else happens.'],
  [
    '--mapping FILE.yaml|NAME',
    `How to read a foreign file. Ready ones: ${readyMappings().join(', ')}.`,
  ],
  ['--product CODE', 'The product of loans whose line names none. Default: the oldest product.'],
  ['--check', 'Check the book and print its totals. Nothing is written.'],
  [
    '--warnings-as-errors CODES',
    'Refuse the book if it has one of these warnings. Separate codes by commas.',
  ],
  ['--accepted-warnings CODES', 'Leave these warnings out.'],
  [
    '--accept-difference',
    'Board loans with the balances of their replayed history although the file states others. Each difference is a warning.',
  ],
  ['--expect-loans N', 'The number of loans in the old system, for a run without a terminal.'],
  ['--expect-principal X', 'The principal of all loans in the old system, such as 17120.44.'],
  ['--findings FILE.csv', 'Write each error and warning of the check as a line, at most 10,000.'],
  ['--help', 'Print this text.'],
];

/** Printed by `npm run board -- --help`. */
export const BOARD_HELP = [
  `Usage: ${BOARD_USAGE}`,
  '',
  'Checks a book of loans, asks for the totals of the old system, and boards the loans. Run the same command again to continue',
  'after an interruption. The same file is never boarded twice.',
  '',
  ...lines(OPTIONS),
  '',
  'Codes of warnings:',
  '',
  ...lines(WARNING_CODES.map((code) => [code, FINDING_CODES[code].about])),
].join('\n');

function lines(entries: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...entries.map(([name]) => name.length));
  return entries.map(([name, meaning]) => `  ${name.padEnd(width)}  ${meaning}`);
}
