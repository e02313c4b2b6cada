import * as accruals from '../../../sql/loans/accruals.ts';
import type { Work } from '../../work.ts';
import { fold } from '../engine/fold.ts';
import { termsOf } from '../products/terms-of.ts';
import { adjustInterest, earned } from './book.ts';
import { happen, openLoan } from './happen.ts';

/**
 * Books the interest that the nightly accrual had to leave out: the loan is folded anew, which mends
 * what the accrual stumbled over, and what its accrual rows lack is posted as one more row.
 */
export async function bookMissedInterest(work: Work, loanId: string) {
  await happen(work, await openLoan(work, loanId), []);
  const { row, schedule, events } = await openLoan(work, loanId);
  const state = fold({ terms: termsOf(row), schedule, events, as_of: row.posted_until });
  const missing = earned(state, events).minus(await accruals.recorded(work.tx, loanId));
  await adjustInterest(work, row, missing, null);
}
