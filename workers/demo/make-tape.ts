import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { makeParentFolder, outputFileProblem } from '../processes/output-file.ts';
import { inventTape } from './invent-tape.ts';

/**
 * `npm run tape -- --loans 9000 FILE.csv` generates a tape of any size for the demo. Without arguments it
 * regenerates the demo's own tape; do this after you change invent-tape.ts.
 */
const USAGE = 'npm run tape -- --loans NUMBER FILE.csv';
const DEFAULTS = { loans: '240', file: fileURLToPath(new URL('tape.csv', import.meta.url)) };
const LOANS_MAX = 99_999;

try {
  const { values, positionals } = parseArgs({
    options: { loans: { type: 'string', default: DEFAULTS.loans } },
    allowPositionals: true,
  });
  const [file = DEFAULTS.file, ...others] = positionals;
  const loans = Number(values.loans);
  if (others.length > 0) throw new Error('Name one file.');
  if (!Number.isInteger(loans) || loans < 1 || loans > LOANS_MAX)
    throw new Error(`--loans takes a number from 1 to ${LOANS_MAX}.`);
  if (file === DEFAULTS.file && values.loans !== DEFAULTS.loans)
    throw new Error(`Name the file for a tape of ${loans} loans.`);
  const problem = outputFileProblem('FILE.csv', file);
  if (problem !== null) throw new Error(problem);
  makeParentFolder(file);
  writeFileSync(file, inventTape(loans));
  console.log(`${file}: ${loans} loans.`);
} catch (error) {
  console.error(`${(error as Error).message}\nUsage: ${USAGE}`);
  process.exitCode = 1;
}
