import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { Invalid } from '../jobs/errors.ts';
import { checkFiles, summarizeFindings } from '../jobs/loans/reporting/checks/check-furnished.ts';
import { readMetro2 } from '../jobs/loans/reporting/metro2/read-metro2.ts';

/**
 * `npm run check-credit-files` checks Metro 2 files, such as those of a former servicer, by the rules that the
 * platform checks its own records by. Exits with 1 if a record breaks a rule.
 */
const USAGE =
  'npm run check-credit-files -- [--json] FILE …   (one account’s months in several files)';

class Unreadable extends Error {}

function accountsIn(file: string) {
  try {
    return readMetro2(readFileSync(file, 'latin1'));
  } catch (error) {
    if (error instanceof Invalid) throw new Unreadable(`${file}: ${error.errors['file']}`);
    if ((error as NodeJS.ErrnoException).code === undefined) throw error;
    throw new Unreadable(`${file} cannot be read.`);
  }
}

function printFindings(files: readonly string[], asJson: boolean): number {
  const accounts = files.map(accountsIn);
  const rows = summarizeFindings(checkFiles(accounts)).map(({ rule, count, example }) => ({
    rule: rule.id,
    records: count,
    example: `${example?.consumer_account_number} ${example?.activity_date}`,
    problem: rule.problem,
    'may be right': rule.may_be_right ?? '',
  }));
  const records = accounts.flat().length;
  if (asJson) console.log(JSON.stringify(rows));
  else if (rows.length > 0) console.table(rows);
  else console.log(`No findings in ${records} records.`);
  return rows.length > 0 ? 1 : 0;
}

try {
  const { values, positionals } = parseArgs({
    options: { json: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (positionals.length === 0) throw new Unreadable(`Name the files.\nUsage: ${USAGE}`);
  process.exitCode = printFindings(positionals, values.json ?? false);
} catch (error) {
  const isMisuse =
    error instanceof Unreadable || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS');
  if (!isMisuse) throw error;
  console.error((error as Error).message);
  process.exitCode = 2;
}
