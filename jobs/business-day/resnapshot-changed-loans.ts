import { resnapshotAndAge } from '../../sql/business-day/chunk-steps.ts';
import type { RunToFinish } from '../../sql/business-day/close-runs.ts';
import { quarantine } from '../../sql/business-day/quarantines.ts';
import { withSavepoint } from '../../sql/database/db.ts';
import { isTransient } from '../../sql/database/transient-errors.ts';
import { addDays } from '../dates.ts';
import { summarizeError } from '../monitoring/serialize-error.ts';
import { emitAll } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';

/**
 * Writes a new snapshot and delinquency for loans that changed after their chunk was closed. One statement
 * per step handles all of them. If it fails, each loan is tried alone, and failing loans are quarantined.
 * Runs while no other transaction can change a loan and before the day ends.
 */
export async function resnapshotChangedLoans(
  work: Work,
  { id, cob_date, changed_loan_ids }: RunToFinish,
) {
  if (changed_loan_ids.length === 0) return;
  const resnapshot = async (loans: readonly string[]) => {
    const moved = await resnapshotAndAge(work.tx, loans, cob_date, addDays(cob_date, 1));
    await emitAll(work, 'delinquency.changed', moved);
  };
  if (await succeeds(work, () => resnapshot(changed_loan_ids))) return;
  for (const loan of changed_loan_ids)
    await succeeds(
      work,
      () => resnapshot([loan]),
      (error) => quarantine(work.tx, id, loan, 'snapshot', summarizeError(error)),
    );
}

/** Returns whether it succeeded. A failure is rolled back to a savepoint. */
async function succeeds(
  { tx }: Work,
  run: () => Promise<void>,
  otherwise?: (error: unknown) => Promise<unknown>,
) {
  const outcome = await withSavepoint(tx, run);
  if ('result' in outcome) return true;
  if (isTransient(outcome.error)) throw outcome.error;
  await otherwise?.(outcome.error);
  return false;
}
