import { isUsable } from '../../sql/borrowers/borrowers.ts';
import { loanBelongsTo } from '../../sql/borrowers/tasks.ts';
import { Forbidden, NotFound } from '../errors.ts';
import type { Work } from '../work.ts';

/** The portal is for borrowers who are not archived. */
export async function assertOpenTo({ tx }: Work, borrowerId: string) {
  if (!(await isUsable(tx, borrowerId))) throw new Forbidden('The portal is closed for you.');
}

/** Refuses another borrower's loan as one that there is not. Whose a loan is, is said here alone. */
export async function assertOwnLoan({ tx }: Work, borrowerId: string, loanId: string) {
  if (!(await loanBelongsTo(tx, loanId, borrowerId))) throw new NotFound();
}
