import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import type { DatabasePool } from 'slonik';
import { openLog } from '../../jobs/monitoring/log.ts';
import { addTenant } from '../../jobs/users/add-tenant.ts';
import { SYSTEM, createWithin, type Within } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate } from '../../sql/database/migrate.ts';
import { checkInvariants } from '../../sql/invariants/invariants.ts';
import { supervisePostgres } from '../../workers/processes/supervise-postgres.ts';

export const DAY = '2026-01-15';
export const HOST = 'bench.test';
const SLOW_MS = 600_000;

export type BenchWorld = {
  url: string;
  folder: string;
  tenant_id: string;
  /** Transactions of the tenant as the application runs them, with its role and row-level security. */
  within: Within;
  pool: DatabasePool;
  /** A superuser connection, for measuring only. */
  admin: pg.Client;
  /** Ends everything. Throws if the database violates an invariant, unless `isFilled` with rows without rules. */
  close(options?: { isFilled?: boolean }): Promise<void>;
};

/** A fresh database with one tenant, as durable as in production. */
export async function openWorld(): Promise<BenchWorld> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const postgres = await startEmbeddedPostgres(folder);
  const { url } = postgres;
  // Stops the server even if the benchmark is aborted.
  const kept = await supervisePostgres(postgres, openLog('silent', { service: 'bench' }));
  await migrate(url);
  const owner = await openPool(url, { role: 'servicing_owner', size: 1 });
  const pool = await openPool(url, { size: 16, statementTimeoutMs: SLOW_MS });
  const within = createWithin(pool, SYSTEM);
  const tenant = { slug: 'bench', name: 'Bench', business_date: DAY, domains: [HOST] };
  const tenant_id = await addTenant(owner, within, tenant);
  const admin = new pg.Client(url);
  admin.on('error', () => {});
  await admin.connect();
  return {
    url,
    folder,
    tenant_id,
    within,
    pool,
    admin,
    close: async ({ isFilled = false } = {}) => {
      const violated = isFilled ? [] : await violationsIn(url);
      await admin.end();
      await Promise.all([pool.end(), owner.end()]);
      await kept.stop();
      rmSync(folder, {
        recursive: true,
        force: true,
      });
      if (violated.length > 0) throw new Error(`Violated afterwards: ${violated.join('; ')}`);
    },
  };
}

/** The violated invariants of the database, as sentences. */
export async function violationsIn(url: string): Promise<string[]> {
  const auditor = await openPool(url, {
    role: 'servicing_auditor',
    size: 1,
    statementTimeoutMs: SLOW_MS,
  });
  const violations = await checkInvariants(auditor);
  await auditor.end();
  return violations.slice(0, 10).map(({ rule, message }) => `${rule}: ${message}`);
}
