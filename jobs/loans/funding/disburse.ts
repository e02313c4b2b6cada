import type { z } from 'zod';
import * as loans from '../../../sql/loans/loans.ts';
import type { Work } from '../../work.ts';
import { disburse, type Disbursement } from './first-disbursement.ts';
import { addDisbursement } from './further-disbursements.ts';

/** Funds an approved loan, or pays out more of the approved amount on one that is active. */
export async function payOut(work: Work, loanId: string, input: z.output<typeof Disbursement>) {
  const loan = await loans.read(work.tx, loanId);
  if (loan?.status !== 'active') return disburse(work, loanId, input);
  const { amount, disbursement_date, method } = input;
  const payment = { amount, disbursement_date, method: method ?? 'external' } as const;
  await addDisbursement(work, { loan_id: loanId, payee_type: 'borrower', ...payment });
}
