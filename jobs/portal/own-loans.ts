import { isBorrowing, findLiableRole, type LiableRole } from '../../sql/loans/co-borrowers.ts';
import { Conflict, NotFound } from '../errors.ts';
import { missingOriginatorSettings } from '../payments/nacha/originator.ts';
import type { Work } from '../work.ts';

/**
 * Refuses a loan that this person does not owe as one that there is not, and answers as what they owe
 * it. Whose a loan is, is said here alone.
 */
export async function assertOwnLoan({ tx }: Work, borrowerId: string, loanId: string) {
  const role = await findLiableRole(tx, loanId, borrowerId);
  if (role === null) throw new NotFound();
  return role;
}

/** The same for what changes the loan: whoever only answers for the debt sees it and pays it. */
export async function assertIsBorrower(work: Work, borrowerId: string, loanId: string) {
  const role = await assertOwnLoan(work, borrowerId, loanId);
  if (isBorrowing(role)) return;
  const message = 'Only those who borrowed the money may change how the loan is paid.';
  throw new Conflict(message, 'borrowers_only', { liable_as: role });
}

/** What is told of a loan to one of those who owe it. */
export const liabilityFields = (liable_as: LiableRole) => ({
  liable_as,
  can_change: isBorrowing(liable_as),
});

/** Refuses what draws on an account where the lender has told nobody which bank its files go to. */
export async function assertBankConfigured(work: Work) {
  if ((await missingOriginatorSettings(work)).length === 0) return;
  const message =
    'Payments from bank accounts are not available yet. Write to us to pay another way.';
  throw new Conflict(message, 'payments_not_ready');
}
