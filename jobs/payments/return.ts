import { z } from 'zod';
import * as plans from '../../sql/payments/autopay-plans.ts';
import * as draws from '../../sql/payments/autopay-draws.ts';
import * as payments from '../../sql/payments/payments.ts';
import * as sentEntries from '../../sql/payments/sent-entries.ts';
import { date, flag } from '../../sql/types.ts';
import { update } from '../../sql/write.ts';
import { nextBusinessDay } from '../banks/bank-calendar.ts';
import { addDays } from '../dates.ts';
import { Invalid, NotFound } from '../errors.ts';
import { assessFee } from '../loans/fees/origination-fees.ts';
import { openLoan } from '../loans/history/open-loan.ts';
import { recordEvents } from '../loans/history/record-events.ts';
import { saveNextDraw } from '../loans/history/autopay/save-next-draw.ts';
import { feeAmount, loanFeeRules } from '../loans/products/fee-amounts.ts';
import { money } from '../money.ts';
import { emit } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';
import { returnSentEntry } from './nacha/settle-files.ts';
import { isFinalReturnCode, isInsufficientFunds, returnReason } from '../banks/return-codes.ts';
import { applyReturnCode } from './return-effects.ts';
import { returnCode, reversePayment, type PaymentReversal } from './reverse.ts';

/** Consecutive returns that pause autopay. */
const RETURNS_MAX = 2;

export const PaymentReturn = z.object({
  return_code: returnCode.describe(
    "The bank's return code. Decides whether the fee is charged, autopay retries, and the account is blocked.",
  ),
  returned_date: date
    .nullish()
    .describe('When the bank returned the payment. Default: the business date.'),
  waive_fee: flag.default(false).describe('Whether no fee is charged for this return.'),
});
type PaymentReturn = z.output<typeof PaymentReturn>;

/**
 * Records that the bank returned a payment. Reverses the payment, charges the product's fee once, and
 * retries or pauses autopay, in one transaction.
 */
export async function returnPayment(
  work: Work,
  paymentId: string,
  input: PaymentReturn,
  reason: 'return' | 'nsf' = 'return',
) {
  const payment = await payments.findForReturn(work.tx, paymentId);
  if (payment === null) throw new NotFound();
  const returnedOn = input.returned_date ?? work.today;
  if (returnedOn > work.today || returnedOn < payment.payment_date) {
    const message = 'Must be between the payment and the business date.';
    throw new Invalid({ returned_date: message });
  }
  const { return_code } = input;
  await reversePayment(work, paymentId, {
    reason,
    return_code,
    effective_date: returnedOn,
  });
  const sent = await sentEntries.lockSentEntryOfPayment(work.tx, paymentId);
  if (sent !== null) await returnSentEntry(work, sent, return_code, returnedOn);
  const failure_reason = returnReason(return_code);
  const failed_at =
    returnedOn === work.today ? new Date().toISOString() : `${returnedOn}T12:00:00.000Z`;
  await update(work.tx, 'payments', paymentId, { failed_at, failure_reason });
  const isWaived = input.waive_fee || payment.waive_returned_fee;
  const isRefund = payment.payment_type === 'reimbursement';
  if (!isRefund && !isWaived && isInsufficientFunds(return_code)) await chargeFee(work, payment);
  const next_retry_date = await updateAutopay(work, payment, return_code);
  await emit(work, 'payment.failed', {
    payment_id: paymentId,
    loan_id: payment.loan_id,
    amount: payment.amount,
    failure_reason,
    return_code,
    will_retry: next_retry_date !== null,
    ...(next_retry_date !== null && { next_retry_date }),
  });
}

/**
 * Reverses a payment. The reason `nsf`, or `return` with a code, makes it a return with all its
 * consequences.
 */
export function reverseOrReturnPayment(
  work: Work,
  paymentId: string,
  input: z.output<typeof PaymentReversal>,
) {
  const { reason, return_code, effective_date } = input;
  const isReturn = reason === 'nsf' || (reason === 'return' && return_code);
  if (!isReturn) return reversePayment(work, paymentId, input);
  return returnPayment(
    work,
    paymentId,
    { return_code: return_code ?? 'R01', waive_fee: false, returned_date: effective_date },
    reason,
  );
}

/** A unique index allows one fee per payment. Loans that are not active pay none. */
async function chargeFee(work: Work, { id, loan_id, amount }: payments.PaymentToReturn) {
  const loan = await openLoan(work, loan_id);
  const rule = loanFeeRules(loan.row).find(({ trigger }) => trigger === 'payment_returned');
  if (!rule || loan.row.status !== 'active' || loan.state.forgives_fees) return;
  const fee = feeAmount(rule, amount);
  if (fee.lte(0)) return;
  const event = await assessFee(work, loan.row, {
    fee_type: 'returned_payment',
    amount: money(fee),
    on: work.today,
    due_date: work.today,
    description: 'Returned payment fee',
    payment_id: id,
    fee_rule_id: rule.id ?? null,
  });
  await recordEvents(work, loan, [event]);
}

/** Updates the instrument and the autopay plan. Returns the date of the next attempt, or null. */
async function updateAutopay(
  work: Work,
  payment: payments.PaymentToReturn,
  code: string,
): Promise<string | null> {
  const { tx } = work;
  if (payment.payment_instrument_id)
    await applyReturnCode(work, payment.payment_instrument_id, code);
  const draw = await draws.lockDrawOfPayment(tx, payment.id);
  const plan = draw && (await plans.lockAutopayPlan(tx, draw.autopay_plan_id));
  if (!draw || !plan) return null;
  const loan = await openLoan(work, payment.loan_id);
  // The returned draw had paid the loan off. The loan is open again, so its plan reopens.
  const isReopened = plan.cancel_reason === 'loan_closed' && loan.row.status === 'active';
  if (isReopened && !(await plans.hasOpenPlan(tx, plan.loan_id)))
    await plans.reopenAutopayPlan(tx, plan.id);
  const isRunning = (plan.status === 'active' || isReopened) && plan.is_enabled;
  const consecutive_failures = plan.consecutive_failures + 1;
  const mustRest = isFinalReturnCode(code) || consecutive_failures >= RETURNS_MAX;
  const mayRetry =
    isRunning && !mustRest && isInsufficientFunds(code) && draw.attempts <= plan.retry_count;
  const retry_on = mayRetry ? nextBusinessDay(addDays(work.today, plan.retry_interval_days)) : null;
  const status = mayRetry ? 'retrying' : 'returned';
  await update(tx, 'autopay_draws', draw.id, { status, retry_on, reason: code });
  await update(tx, 'autopay_plans', plan.id, {
    consecutive_failures,
    ...(isRunning && mustRest && { status: 'paused' }),
  });
  if (mustRest) await draws.cancelRetries(tx, plan.id);
  await saveNextDraw(work, loan, plan.id);
  return retry_on;
}
