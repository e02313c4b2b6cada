import { loanBelongsTo } from '../../sql/borrowers/tasks.ts';
import { Conflict, NotFound } from '../errors.ts';
import { missingOf } from '../payments/nacha/originator.ts';
import type { Work } from '../work.ts';

/** Refuses another borrower's loan as one that there is not. Whose a loan is, is said here alone. */
export async function assertOwnLoan({ tx }: Work, borrowerId: string, loanId: string) {
  if (!(await loanBelongsTo(tx, loanId, borrowerId))) throw new NotFound();
}

/** Refuses what draws on an account where the lender has told nobody which bank its files go to. */
export async function assertBank(work: Work) {
  if ((await missingOf(work)).length === 0) return;
  const message = 'We cannot draw on bank accounts yet. Write to us to pay in another way.';
  throw new Conflict(message, 'payments_not_ready');
}
