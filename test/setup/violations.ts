import { openPool } from '../../sql/database/db.ts';
import { checkInvariants } from '../../sql/invariants/invariants.ts';
import type { Stage } from './world.ts';

/** What does not hold in the whole database, as sentences; nothing, where all books are right. */
export async function violationsIn(stage: Pick<Stage, 'url'>): Promise<string[]> {
  const auditor = await openPool(stage.url, { role: 'servicing_auditor', size: 1 });
  try {
    return (await checkInvariants(auditor)).map(({ rule, message }) => `${rule}: ${message}`);
  } finally {
    await auditor.end();
  }
}
