import { createReadStream } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { boardTape, TapeRejected } from '../jobs/loans/boarding/board-tape.ts';
import { readTape, type TapeIssue } from '../jobs/loans/boarding/boarding-tape.ts';
import { SYSTEM, createWithin } from '../jobs/work.ts';
import { StartupError } from '../sql/database/startup-error.ts';
import { sumByStatus, type BoardedTotals } from '../sql/loans/boarding.ts';
import { UsageError } from './ops/operation.ts';
import { findTenant } from './ops/find-tenant.ts';
import { openForCommand } from './processes/command.ts';
import { readCommandConfiguration } from './processes/configuration.ts';
import { startProgressBar } from './processes/progress-bar.ts';
import { tapeFileProblem } from './processes/tape-file.ts';

/** `npm run board` boards a tape of current loans: all rows or none. With --check it only tries. */
const USAGE = 'npm run board -- --tenant SLUG [--product CODE] [--check] FILE.csv';
const LISTED_MAX = 200;

function printRefusals(refusals: readonly TapeIssue[]): number {
  const lines = new Set(refusals.map(({ line }) => line)).size;
  console.error(`Nothing was boarded. ${lines} ${lines === 1 ? 'line is' : 'lines are'} refused:`);
  for (const { line, column, reason } of refusals.slice(0, LISTED_MAX))
    console.error(`  line ${line}${column === null ? '' : `, ${column}`}: ${reason}`);
  if (refusals.length > LISTED_MAX)
    console.error(`  and ${refusals.length - LISTED_MAX} more reasons`);
  return 1;
}

/** Ends the transaction of a check, so that nothing of it remains. */
class Checked extends Error {
  readonly totals: readonly BoardedTotals[];

  constructor(totals: readonly BoardedTotals[]) {
    super('The tape was only checked.');
    this.totals = totals;
  }
}

/** Control totals, to compare with those of the previous system. */
function printTotals(totals: readonly BoardedTotals[]) {
  const rows = totals.map(({ status, ...sums }) => [status, sums] as const);
  console.table(Object.fromEntries(rows));
}

type Wishes = { slug: string | undefined; product: string | undefined; isCheck: boolean };

async function boardFile(file: string, { slug, product, isCheck }: Wishes) {
  const problem = tapeFileProblem(file);
  if (problem !== null) throw new StartupError(problem);
  const configuration = readCommandConfiguration(process.env);
  const { rows, refusals, unknown } = await readTape(createReadStream(file));
  if (refusals.length > 0) return printRefusals(refusals);
  if (unknown.length > 0) console.log(`Ignored columns: ${unknown.join(', ')}.`);
  // A transaction with a thousand loans may wait longer for locks than a request does.
  const settings = { size: 2, statementTimeoutMs: 120_000 };
  const pool = await openForCommand(configuration, settings);
  try {
    const tenant = await findTenant(pool, slug);
    const bar = startProgressBar(isCheck ? 'Checking' : 'Boarding', rows.length);
    const totals = await createWithin(pool, SYSTEM)(tenant.id, async (work) => {
      const ids = await boardTape(work, rows, {
        file: path.basename(file),
        product,
        onProgress: (done) => bar.at(done, 'loans'),
      });
      const sums = await sumByStatus(work.tx, ids, work.today);
      if (isCheck) throw new Checked(sums);
      return sums;
    });
    bar.end(`${rows.length} loans for ${tenant.slug}, as of ${tenant.business_date},`);
    printTotals(totals);
    return 0;
  } catch (error) {
    if (error instanceof TapeRejected) return printRefusals(error.refusals);
    if (!(error instanceof Checked)) throw error;
    printTotals(error.totals);
    console.log('Every line can be boarded. Nothing was written.');
    return 0;
  } finally {
    await pool.end();
  }
}

try {
  const text = { type: 'string' as const };
  const { values, positionals } = parseArgs({
    options: { tenant: text, product: text, check: { type: 'boolean' } },
    allowPositionals: true,
  });
  const [file, ...others] = positionals;
  if (!file || others.length > 0) throw new UsageError('Name one file.');
  const { tenant: slug, product, check: isCheck = false } = values;
  process.exitCode = await boardFile(file, { slug, product, isCheck });
} catch (error) {
  const { code = '', message } = error as Error & { code?: string };
  const isMisuse = error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS');
  console.error(isMisuse ? `${message}\nUsage: ${USAGE}` : message);
  process.exitCode = isMisuse ? 2 : 1;
}
