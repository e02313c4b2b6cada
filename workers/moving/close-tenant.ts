import * as tenantAccess from '../../sql/moving/tenant-access.ts';
import { countRunningJobs } from '../../sql/moving/jobs.ts';
import type { MoveConnection } from '../../sql/moving/owner.ts';
import type { ReportProgress } from './manifest.ts';

const POLL_MS = 500;

/** Running work did not end in time. The tenant stays closed, and you can repeat the command. */
export class TenantBusy extends Error {}

/**
 * Closes a tenant in two steps. First the API refuses its requests and workers start none of its jobs,
 * while running jobs finish. Then Postgres refuses the tenant's transactions, and this waits for the open
 * ones. After that nothing writes for the tenant. The state is in the database, so it survives restarts.
 */
export async function closeTenant(
  owner: MoveConnection,
  tenant: Pick<tenantAccess.TenantAccess, 'id' | 'access'>,
  { say, patienceMs = 300_000 }: { say: ReportProgress; patienceMs?: number },
) {
  const { id } = tenant;
  const until = Date.now() + patienceMs;
  if (tenant.access === 'open')
    await owner.steps('write', (tx) => tenantAccess.setAccess(tx, id, 'closing'));
  if (tenant.access === 'open' || tenant.access === 'closing') {
    await waitUntilNone(until, say, 'running jobs', () =>
      owner.steps('write', (tx) => countRunningJobs(tx, id)),
    );
    await owner.steps('write', (tx) => tenantAccess.setAccess(tx, id, 'closed'));
  }
  const begun = new Set(await owner.steps('write', (tx) => tenantAccess.openTransactions(tx)));
  await waitUntilNone(until, say, 'open transactions', async () => {
    const still = await owner.steps('write', (tx) => tenantAccess.openTransactions(tx));
    return still.filter((name) => begun.has(name)).length;
  });
}

async function waitUntilNone(
  until: number,
  say: ReportProgress,
  what: string,
  count: () => Promise<number>,
) {
  for (let reported = 0; ;) {
    const left = await count();
    if (left === 0) return;
    if (Date.now() > until)
      throw new TenantBusy(
        `There are still ${left} ${what}. The tenant stays closed. Repeat the command later, or open the tenant.`,
      );
    if (left !== reported) say(`Waiting for ${left} ${what}.`);
    reported = left;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
