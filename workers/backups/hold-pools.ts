import { POOLS } from '../../jobs/job.ts';
import {
  pauseWork,
  listPauses,
  resumeWork,
  type ChangeReason,
} from '../../sql/queue/worker-operations.ts';
import type { OwnerConnection } from '../../sql/queue/workers.ts';

/** The prefix of the pause reasons that hold a restored copy. */
const RESTORED = 'A restored copy';

/**
 * Pauses every pool of a restored copy. The copy contains jobs that the original has done or will do; they
 * would write to borrowers, debit accounts and close days a second time. Pools that were already paused
 * keep their own pause, which `releasePools` does not end. Returns the pools that are held.
 */
export async function holdPools(
  owner: OwnerConnection,
  { who, why }: ChangeReason,
): Promise<string[]> {
  const paused = await poolsPaused(owner);
  const free = POOLS.filter((pool) => !paused.has(pool));
  const reason = `${RESTORED}: ${why}`.slice(0, 500);
  for (const pool of free) await pauseWork(owner, { pool }, { who, why: reason });
  return heldPools(owner);
}

/** Ends only the pauses that `holdPools` made. Returns the released pools. */
export async function releasePools(owner: OwnerConnection, by: ChangeReason): Promise<string[]> {
  const held = await heldPools(owner);
  for (const pool of held) await resumeWork(owner, { pool }, by);
  return held;
}

/** The pools that are paused because this database is a restored copy. */
export const heldPools = async (owner: OwnerConnection): Promise<string[]> =>
  [...(await poolsPaused(owner))]
    .filter(([, reason]) => reason?.startsWith(RESTORED))
    .map(([pool]) => pool);

async function poolsPaused(owner: OwnerConnection): Promise<Map<string, string | null>> {
  const whole = (await listPauses(owner)).filter(({ task, tenant_id }) => !task && !tenant_id);
  return new Map(whole.flatMap(({ pool, reason }) => (pool ? [[pool, reason] as const] : [])));
}
