import { resnapshotAndAge } from '../../sql/business-day/close-steps.ts';
import type { RunToFinish } from '../../sql/business-day/closes.ts';
import { quarantine } from '../../sql/business-day/loan-errors.ts';
import { withSavepoint } from '../../sql/database/db.ts';
import { isTransient } from '../../sql/database/transient-errors.ts';
import { addDays } from '../dates.ts';
import { summarizeError } from '../serialize-error.ts';
import { emitAll } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';

/**
 * Loans that were paid, boarded or otherwise written to after their chunk was closed are kept of the day as it leaves
 * them, and aged from there: all by one statement a step, or where that fails each alone, so that one that cannot be
 * is set aside and stops nobody. Nobody writes to a loan meanwhile, and no day is over yet.
 */
export async function resnapshotChangedLoans(work: Work, { id, cob_date, written }: RunToFinish) {
  if (written.length === 0) return;
  const look = async (loans: readonly string[]) => {
    const moved = await resnapshotAndAge(work.tx, loans, cob_date, addDays(cob_date, 1));
    await emitAll(work, 'delinquency.changed', moved);
  };
  if (await isDone(work, () => look(written))) return;
  for (const loan of written)
    await isDone(
      work,
      () => look([loan]),
      (error) => quarantine(work.tx, id, loan, 'snapshot', summarizeError(error)),
    );
}

/** Whether it could be done; where not, it has left nothing behind. */
async function isDone(
  { tx }: Work,
  look: () => Promise<void>,
  otherwise?: (error: unknown) => Promise<unknown>,
) {
  const outcome = await withSavepoint(tx, look);
  if ('result' in outcome) return true;
  if (isTransient(outcome.error)) throw outcome.error;
  await otherwise?.(outcome.error);
  return false;
}
