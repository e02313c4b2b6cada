import { POOLS } from '../../jobs/job.ts';
import {
  pauseWork,
  listPauses,
  resumeWork,
  type ChangeReason,
} from '../../sql/queue/worker-operations.ts';
import type { OwnerConnection } from '../../sql/queue/workers.ts';

/** How the reason of each pause begins by which a restored copy is held. */
const RESTORED = 'A restored copy';

/**
 * Keeps every pool of a copy from fetching: it holds jobs that the original has done or will do, and
 * would write to borrowers, debit accounts and close days a second time. A pool that somebody had
 * paused before keeps that pause, which outlives the release. Answers the pools that are held by now.
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

/** Ends what `holdCopy` began, and nothing else; answers the pools that go on. */
export async function releasePools(owner: OwnerConnection, by: ChangeReason): Promise<string[]> {
  const held = await heldPools(owner);
  for (const pool of held) await resumeWork(owner, { pool }, by);
  return held;
}

/** The pools that wait because this is a copy. */
export const heldPools = async (owner: OwnerConnection): Promise<string[]> =>
  [...(await poolsPaused(owner))]
    .filter(([, reason]) => reason?.startsWith(RESTORED))
    .map(([pool]) => pool);

async function poolsPaused(owner: OwnerConnection): Promise<Map<string, string | null>> {
  const whole = (await listPauses(owner)).filter(({ task, tenant_id }) => !task && !tenant_id);
  return new Map(whole.flatMap(({ pool, reason }) => (pool ? [[pool, reason] as const] : [])));
}
