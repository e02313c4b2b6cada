import { loanBelongsTo } from '../../sql/borrowers/tasks.ts';
import { NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

/** Refuses another borrower's loan as one that there is not. Whose a loan is, is said here alone. */
export async function assertOwnLoan({ tx }: Work, borrowerId: string, loanId: string) {
  if (!(await loanBelongsTo(tx, loanId, borrowerId))) throw new NotFound();
}
