import * as loans from '../../../sql/loans/loans.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { insert } from '../../../sql/write.ts';
import type { BankOrder } from '../../payments/nacha/bank-order.ts';
import { emit } from '../../webhooks/emit.ts';
import type { Work } from '../../work.ts';
import type { EventOf } from '../engine/events.ts';
import type { assessOriginationFees } from '../fees/origination-fees.ts';
import { newEvent } from '../history/new-event.ts';

type Payout = { amount: string; on: string; method: string | null | undefined };

/** The event of a payout. It names the record of the payout. */
export type PayoutEvent = EventOf<'disbursement'> & { disbursement_id: string };

type Fees = Awaited<ReturnType<typeof assessOriginationFees>>;

/** Writes the record of a payout, and returns the event that lends the money. */
export async function writeDisbursement(
  { tx }: Work,
  loan_id: string,
  { amount, on, method }: Payout,
  fees: Fees,
  { send_by, transit }: BankOrder,
): Promise<PayoutEvent> {
  const disbursement_id = await insert(tx, 'disbursements', {
    loan_id,
    amount,
    ...fees.proceeds,
    disbursement_date: on,
    method,
    send_by,
  });
  await loans.addDisbursed(tx, loan_id, amount);
  const facts = { amount, disbursement_id, ...fees.financed, ...transit };
  return { ...newEvent({ kind: 'disbursement', effective_date: on, ...facts }), disbursement_id };
}

/** Notifies subscribers of a payout, with the balance and the next due date after it. */
export const emitDisbursed = (
  work: Work,
  { id, loan_number }: RawLoan,
  { disbursement_id, amount, effective_date }: PayoutEvent,
  { proceeds }: Fees,
  after: { principal_balance: string; first_payment_date: string | null },
) =>
  emit(work, 'loan.disbursed', {
    loan_id: id,
    loan_number,
    disbursement_id,
    amount,
    ...proceeds,
    disbursement_date: effective_date,
    ...after,
  });
