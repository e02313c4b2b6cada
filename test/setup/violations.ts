import { openPool } from '../../sql/database/db.ts';
import { checkInvariants } from '../../sql/invariants/invariants.ts';
import type { Stage } from './world.ts';

/** Every violated invariant of the whole database, as sentences. Empty if all books are correct. */
export async function violationsIn(stage: Pick<Stage, 'url'>): Promise<string[]> {
  const auditor = await openPool(stage.url, { role: 'servicing_auditor', size: 1 });
  try {
    return (await checkInvariants(auditor)).map(({ rule, message }) => `${rule}: ${message}`);
  } finally {
    await auditor.end();
  }
}
