import { createReadStream } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { boardTape, TapeRejected } from '../jobs/loans/boarding/board-tape.ts';
import { readTape, type TapeIssue } from '../jobs/loans/boarding/boarding-tape.ts';
import { SYSTEM, createWithin } from '../jobs/work.ts';
import { StartupError } from '../sql/database/startup-error.ts';
import { UsageError } from './ops/operation.ts';
import { findTenant } from './ops/find-tenant.ts';
import { openForCommand } from './processes/command.ts';
import { readCommandConfiguration } from './processes/configuration.ts';
import { startProgressBar } from './processes/progress-bar.ts';
import { tapeFileProblem } from './processes/tape-file.ts';

/** `npm run board` boards a tape of current loans: all rows or none. */
const USAGE = 'npm run board -- --tenant SLUG [--product CODE] FILE.csv';
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

async function boardFile(file: string, slug: string | undefined, product: string | undefined) {
  const problem = tapeFileProblem(file);
  if (problem !== null) throw new StartupError(problem);
  const configuration = readCommandConfiguration(process.env);
  const { rows, refusals, unknown } = await readTape(createReadStream(file));
  if (refusals.length > 0) return printRefusals(refusals);
  if (unknown.length > 0) console.log(`Columns that are passed over: ${unknown.join(', ')}.`);
  // A transaction with a thousand loans may wait longer for locks than a request does.
  const settings = { size: 2, statementTimeoutMs: 120_000 };
  const pool = await openForCommand(configuration, settings);
  try {
    const tenant = await findTenant(pool, slug);
    const bar = startProgressBar('Boarding', rows.length);
    const ids = await createWithin(pool, SYSTEM)(tenant.id, (work) =>
      boardTape(work, rows, {
        file: path.basename(file),
        product,
        onProgress: (done) => bar.at(done, 'loans'),
      }),
    );
    bar.end(`${ids.length} loans for ${tenant.slug}, as of ${tenant.business_date},`);
    return 0;
  } catch (error) {
    if (error instanceof TapeRejected) return printRefusals(error.refusals);
    throw error;
  } finally {
    await pool.end();
  }
}

try {
  const text = { type: 'string' as const };
  const { values, positionals } = parseArgs({
    options: { tenant: text, product: text },
    allowPositionals: true,
  });
  const [file, ...others] = positionals;
  if (!file || others.length > 0) throw new UsageError('Name one file.');
  process.exitCode = await boardFile(file, values.tenant, values.product);
} catch (error) {
  const { code = '', message } = error as Error & { code?: string };
  const isMisuse = error instanceof UsageError || code.startsWith('ERR_PARSE_ARGS');
  console.error(isMisuse ? `${message}\nUsage: ${USAGE}` : message);
  process.exitCode = isMisuse ? 2 : 1;
}
