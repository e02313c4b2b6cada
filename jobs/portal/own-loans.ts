import { isBorrowing, findLiableRole, type LiableRole } from '../../sql/loans/co-borrowers.ts';
import { Conflict, NotFound } from '../errors.ts';
import { missingOriginatorSettings } from '../payments/nacha/originator.ts';
import type { Work } from '../work.ts';

/**
 * Returns this person's role on the loan. Throws NotFound if they do not owe it. All portal access to loans
 * is decided here.
 */
export async function assertOwnLoan({ tx }: Work, borrowerId: string, loanId: string) {
  const role = await findLiableRole(tx, loanId, borrowerId);
  if (role === null) throw new NotFound();
  return role;
}

/**
 * For changes to the loan. Throws Conflict for co-signers and guarantors, who can only see and pay the
 * loan.
 */
export async function assertIsBorrower(work: Work, borrowerId: string, loanId: string) {
  const role = await assertOwnLoan(work, borrowerId, loanId);
  if (isBorrowing(role)) return;
  throw borrowersOnly(role);
}

/** The fields that tell a person their role on the loan. */
export const liabilityFields = (liable_as: LiableRole) => ({
  liable_as,
  can_change: isBorrowing(liable_as),
});

/** Throws Conflict if the tenant has not configured its bank for ACH files. */
export async function assertBankConfigured(work: Work) {
  if ((await missingOriginatorSettings(work)).length === 0) return;
  throw paymentsNotReady();
}

export const borrowersOnly = (liable_as: string) =>
  new Conflict('Only the borrowers of this loan can change how it is paid.', 'borrowers_only', {
    liable_as,
  });

export const paymentsNotReady = () =>
  new Conflict(
    'Payments from bank accounts are not available yet. Contact us to pay another way.',
    'payments_not_ready',
  );
