import { existsSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { openFiles } from '../jobs/files/open-files.ts';
import { findShownDifferences } from '../jobs/loans/history/recompute-shown.ts';
import { readSecret } from '../jobs/sealing/secrets.ts';
import { createWithin, SYSTEM } from '../jobs/work.ts';
import { openPool } from '../sql/database/db.ts';
import { startEmbeddedPostgres } from '../sql/database/embedded.ts';
import { checkInvariants, type Violation } from '../sql/invariants/invariants.ts';
import { loansToRecompute } from '../sql/loans/stored-balances.ts';
import {
  findDatabase,
  readCommandConfiguration,
  type CommandConfiguration,
} from './processes/configuration.ts';

/**
 * `npm run invariants` checks the books of DATABASE_URL, of a running `npm start`, or of the embedded
 * database in DATA_DIR, which it starts for the check. It also recomputes active loans from their events: 1,000 of them,
 * others each day, or all of them with `--every-loan`. It prints each violation and exits with 1 if there is one.
 */
const LOANS_PER_RUN = 1_000;
const ALL_LOANS = 2_147_483_647;

/** Sums over all ledger entries take long on a large database. */
const STATEMENT_TIMEOUT_MS = 600_000;

type Database = { url: string; close: () => Promise<void> };

async function openDatabase(configuration: CommandConfiguration): Promise<Database> {
  try {
    return { url: findDatabase(configuration), close: async () => {} };
  } catch (error) {
    if (!existsSync(configuration.DATA_DIR)) throw error;
    const postgres = await startEmbeddedPostgres(configuration.DATA_DIR);
    return { url: postgres.url, close: () => postgres.stop() };
  }
}

async function violationsIn(
  url: string,
  { DATA_DIR, SECRET, STORAGE_URL }: CommandConfiguration,
  loans: number,
): Promise<Violation[]> {
  const auditor = await openPool(url, {
    role: 'servicing_auditor',
    size: 1,
    statementTimeoutMs: STATEMENT_TIMEOUT_MS,
  });
  const folder = path.resolve(DATA_DIR, 'files');
  const files =
    STORAGE_URL || existsSync(folder)
      ? await openFiles(STORAGE_URL, { folder, secret: readSecret({ DATA_DIR, SECRET }) })
      : null;
  try {
    const violations = await checkInvariants(
      auditor,
      files ? { describeFile: (key) => files.describe(key) } : {},
    );
    const chosen = await auditor.transaction((tx) => loansToRecompute(tx, loans));
    return [...violations, ...(await recomputeLoans(url, chosen))];
  } finally {
    await auditor.end();
  }
}

/** Compares what each loan shows with what its events give. */
async function recomputeLoans(
  url: string,
  loans: Awaited<ReturnType<typeof loansToRecompute>>,
): Promise<Violation[]> {
  const app = await openPool(url, { size: 1 });
  const within = createWithin(app, SYSTEM);
  const violations: Violation[] = [];
  try {
    for (const { tenant_id, id, loan_number } of loans) {
      const report = (message: string) =>
        violations.push({
          rule: 'a loan shows what its events give',
          tenant_id,
          subject: id,
          message: `Loan ${loan_number}: ${message}`,
        });
      try {
        const differences = await within(tenant_id, (work) => findShownDifferences(work, id), {
          readOnly: true,
        });
        for (const { figure, shown, computed } of differences)
          report(`it shows ${figure} ${shown}, its events give ${computed}.`);
      } catch (error) {
        report(`it cannot be recomputed: ${(error as Error).message}`);
      }
    }
    return violations;
  } finally {
    await app.end();
  }
}

function printViolations(violations: readonly Violation[]) {
  for (const { rule, tenant_id, message } of violations) {
    console.log(`${rule}: ${message}${tenant_id === null ? '' : ` (tenant ${tenant_id})`}`);
  }
  const { length } = violations;
  console.log(length === 0 ? 'Every invariant holds.' : `${length} violations.`);
}

try {
  const configuration = readCommandConfiguration(process.env);
  const { values } = parseArgs({ options: { 'every-loan': { type: 'boolean' } } });
  const database = await openDatabase(configuration);
  try {
    const violations = await violationsIn(
      database.url,
      configuration,
      values['every-loan'] ? ALL_LOANS : LOANS_PER_RUN,
    );
    printViolations(violations);
    process.exitCode = violations.length === 0 ? 0 : 1;
  } finally {
    await database.close();
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
