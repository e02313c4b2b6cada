import * as payments from '../../sql/payments/payments.ts';
import { openLoan } from '../loans/history/open-loan.ts';
import { updateAgreed } from '../loans/history/record-events.ts';
import { emit } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';
import { canStillDraw } from './nacha/bank-order.ts';
import { NewPayment, postPayment } from './receive.ts';

/** Executes a scheduled payment on its date. Does nothing if it was already executed or canceled. */
export async function executeScheduledPayment(work: Work, paymentId: string) {
  const owner = await payments.findLoanOfPayment(work.tx, paymentId);
  if (owner === null) return;
  const loan = await openLoan(work, owner.loan_id);
  const payment = await payments.lockScheduled(work.tx, paymentId);
  if (payment === null) return;
  if (!['active', 'charged_off'].includes(loan.row.status))
    return payments.cancelScheduledPayment(work.tx, paymentId);
  const { payment_instrument_id: instrument } = payment;
  // An ACH payment without an account would credit the loan although no file draws the money.
  const canDraw =
    instrument === null
      ? payment['payment_method'] !== 'ach'
      : await canStillDraw(work, instrument);
  if (!canDraw) return failScheduled(work, paymentId, owner.loan_id, payment.amount);
  await payments.deleteScheduled(work.tx, paymentId);
  const effective_date = payment.effective_date > work.today ? work.today : payment.effective_date;
  await postPayment(work, loan, paymentId, {
    ...NewPayment.parse(payment),
    ...payment,
    effective_date,
  });
}

/**
 * The payment has no instrument, or it was blocked or deleted after the payment was scheduled. Marks it failed and
 * notifies subscribers.
 */
async function failScheduled(work: Work, payment_id: string, loan_id: string, amount: string) {
  const failure_reason = 'The payment instrument cannot be used.';
  await payments.markScheduledFailed(work.tx, payment_id, failure_reason);
  const notice = { payment_id, loan_id, amount, failure_reason, will_retry: false };
  await emit(work, 'payment.failed', notice);
  await updateAgreed(work, loan_id);
}
