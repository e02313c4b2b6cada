import * as door from '../../sql/moving/tenant-access.ts';
import { countRunningJobs } from '../../sql/moving/jobs.ts';
import type { OwnerConnection } from '../../sql/moving/owner.ts';
import type { Say } from './manifest.ts';

const LOOK_MS = 500;

/** What was waited for did not end: the tenant stays as closed as it is, and the same may be asked again. */
export class TenantBusy extends Error {}

/**
 * Closes a tenant. From the first moment requests are refused and no worker begins a job of it; jobs that
 * run are finished. Then its transactions are refused, too, and those that had begun are waited for:
 * after that nothing writes for it, and its state is in the database and outlives every process.
 */
export async function closeTenant(
  owner: OwnerConnection,
  tenant: Pick<door.TenantAccess, 'id' | 'door'>,
  { say, patienceMs = 300_000 }: { say: Say; patienceMs?: number },
) {
  const { id } = tenant;
  const until = Date.now() + patienceMs;
  if (tenant.door === 'open') await owner.steps('write', (tx) => door.setAccess(tx, id, 'closing'));
  if (tenant.door === 'open' || tenant.door === 'closing') {
    await none(until, say, 'jobs that run', () =>
      owner.steps('write', (tx) => countRunningJobs(tx, id)),
    );
    await owner.steps('write', (tx) => door.setAccess(tx, id, 'closed'));
  }
  const begun = new Set(await owner.steps('write', (tx) => door.openTransactions(tx)));
  await none(until, say, 'transactions that had begun', async () => {
    const still = await owner.steps('write', (tx) => door.openTransactions(tx));
    return still.filter((name) => begun.has(name)).length;
  });
}

async function none(until: number, say: Say, what: string, count: () => Promise<number>) {
  for (let told = 0; ;) {
    const left = await count();
    if (left === 0) return;
    if (Date.now() > until)
      throw new TenantBusy(
        `There are still ${left} ${what}. The tenant stays closed: ask again later, or open it.`,
      );
    if (left !== told) say(`Waiting for ${left} ${what}.`);
    told = left;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
