import { existsSync } from 'node:fs';
import path from 'node:path';
import { openFiles } from '../jobs/files/open-files.ts';
import { readSecret } from '../jobs/sealing/secrets.ts';
import { openPool } from '../sql/database/db.ts';
import { startEmbeddedPostgres } from '../sql/database/embedded.ts';
import { checkInvariants, type Violation } from '../sql/invariants/invariants.ts';
import {
  findDatabase,
  readCommandConfiguration,
  type CommandConfiguration,
} from './processes/configuration.ts';

/**
 * `npm run invariants` checks the books of DATABASE_URL, of a running `npm start`, or of the embedded
 * database in DATA_DIR, which it starts for the check. It prints each violation and exits with 1 if there
 * is one.
 */
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
    return await checkInvariants(
      auditor,
      files ? { describeFile: (key) => files.describe(key) } : {},
    );
  } finally {
    await auditor.end();
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
  const database = await openDatabase(configuration);
  try {
    const violations = await violationsIn(database.url, configuration);
    printViolations(violations);
    process.exitCode = violations.length === 0 ? 0 : 1;
  } finally {
    await database.close();
  }
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 1;
}
