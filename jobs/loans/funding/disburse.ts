import type { z } from 'zod';
import * as loans from '../../../sql/loans/loans.ts';
import type { Work } from '../../work.ts';
import { disburse, resolveFunding, type Disbursement } from './first-disbursement.ts';
import { findScreeningBlocker } from '../origination/screening.ts';
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
 * Why this money may not go out, as a `Conflict`: the sanctions screening, or for a first disbursement the
 * disclosure that the borrower must receive before it. Null if it may.
 */
export async function findPayOutBlocker(work: Work, loanId: string, input: Payout) {
  const loan = await loans.lockLoan(work.tx, loanId);
  if (loan?.status === 'active') return findScreeningBlocker(work, loan);
  if (loan?.status !== 'approved') return null;
  const funding = resolveFunding(work, loan, input);
  return (await findScreeningBlocker(work, loan)) ?? findFundingBlocker(work, loan, funding);
}

/** Why a draw may not go out: the sanctions screening. */
export async function findDrawBlocker(work: Work, { loan_id }: { loan_id: string }) {
  const loan = await loans.lockLoan(work.tx, loan_id);
  return loan?.status === 'active' ? findScreeningBlocker(work, loan) : null;
}

export const findDisbursementBlocker = (
  work: Work,
  { loan_id, amount, disbursement_date }: NewDisbursement,
) => findPayOutBlocker(work, loan_id, { amount, disbursement_date });
