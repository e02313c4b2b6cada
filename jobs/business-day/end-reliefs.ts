import { attempt } from '../../sql/database/db.ts';
import { sideBySide } from '../../sql/database/joined.ts';
import { isPassing } from '../../sql/database/passing.ts';
import { lockEnded } from '../../sql/loans/reliefs.ts';
import { addDays } from '../dates.ts';
import { turnDeferments } from '../loans/agreements/deferments.ts';
import { turnForbearances } from '../loans/agreements/forbearances.ts';
import { follow } from '../loans/agreements/promotions.ts';
import { unfreeze, Unfreeze } from '../loans/standing/freeze.ts';
import type { Work } from '../work.ts';

type Ended = Awaited<ReturnType<typeof lockEnded>>[number];

/** More would keep payments waiting for the new day. The close of the next day ends the others. */
const AT_ONCE = 500;

/** Locks the loans whose reliefs end with a day. Loans are locked before the tenant, as requests do it. */
export const lockEndedReliefs = ({ tx }: Work, day: string) =>
  lockEnded(tx, addDays(day, 1), AT_ONCE);

/**
 * Ends the reliefs of a day that is over, in the transaction that moves the business date: on the next morning
 * each loan is what its agreement leaves, before anything is billed or paid. A loan that this fails for is left to
 * the next close, which records the reason.
 */
export async function endReliefs(work: Work, ended: readonly Ended[]) {
  if (ended.length === 0) return;
  const all = () => sideBySide(ended, (relief) => endOf(work, relief));
  const outcome = await attempt(work.tx, all);
  if (!('error' in outcome)) return;
  if (isPassing(outcome.error)) throw outcome.error;
  for (const relief of ended) {
    const alone = await attempt(work.tx, () => endOf(work, relief));
    if ('error' in alone && isPassing(alone.error)) throw alone.error;
  }
}

async function endOf(work: Work, { loan_id, is_frozen, promotions }: Ended) {
  if (is_frozen) await unfreeze(work, loan_id, Unfreeze.parse({}));
  for (const id of promotions) await follow(work, id, loan_id, false);
  await turnForbearances(work, loan_id);
  await turnDeferments(work, loan_id);
}
