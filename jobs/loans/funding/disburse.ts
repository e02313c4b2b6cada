import type { z } from 'zod';
import * as loans from '../../../sql/loans/loans.ts';
import type { Work } from '../../work.ts';
import { disburse, resolveFunding, type Disbursement } from './first-disbursement.ts';
import { findFundingBlocker } from './funding-disclosure.ts';
import { addDisbursement, type NewDisbursement } from './further-disbursements.ts';

type Payout = z.output<typeof Disbursement>;

/** Funds an approved loan, or pays out more of the approved amount of an active loan. */
export async function disburseOrAdd(work: Work, loanId: string, input: Payout) {
  const loan = await loans.readLoanRow(work.tx, loanId);
  if (loan?.status !== 'active') return disburse(work, loanId, input);
  const { amount, disbursement_date, method } = input;
  const payment = { amount, disbursement_date, method: method ?? 'external' } as const;
  await addDisbursement(work, { loan_id: loanId, payee_type: 'borrower', ...payment });
}

/**
 * The disclosure that the borrower must receive before this funding, as a `Conflict`. Null if there is none
 * or the loan is already funded.
 */
export async function findPayOutBlocker(work: Work, loanId: string, input: Payout) {
  const loan = await loans.lockLoan(work.tx, loanId);
  if (loan?.status !== 'approved') return null;
  return findFundingBlocker(work, loan, resolveFunding(work, loan, input));
}

export const findDisbursementBlocker = (
  work: Work,
  { loan_id, amount, disbursement_date }: NewDisbursement,
) => findPayOutBlocker(work, loan_id, { amount, disbursement_date });
