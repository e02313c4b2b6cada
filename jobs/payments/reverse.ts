import { z } from 'zod';
import * as payments from '../../sql/payments/payments.ts';
import { date, text } from '../../sql/types.ts';
import { Conflict, Invalid, NotFound } from '../errors.ts';
import { openLoan } from '../loans/history/open-loan.ts';
import { recordEvents } from '../loans/history/record-events.ts';
import { newEvent } from '../loans/history/new-event.ts';
import { emit } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';
import { classifyReturnCode } from '../banks/return-codes.ts';

export const REVERSAL_REASONS = [
  'nsf',
  'return',
  'chargeback',
  'clerical_error',
  'duplicate',
  'fraud',
  'other',
  'deleted',
] as const;
/** A return code. Codes that dispute a return are not allowed, because they take nothing back. */
export const returnCode = text
  .regex(/^R\d{2}$/, 'Must be a return code like R01.')
  .refine(
    (code) => classifyReturnCode(code) === 'return',
    'R61 to R77 dispute a return. Name its own code.',
  );

export const PaymentReversal = z.object({
  reason: z
    .enum(REVERSAL_REASONS)
    .describe(
      'Why the payment is reversed. `nsf`, and `return` with a code, record a return with its fee and its effect on autopay. `chargeback`, and `return` without a code, only mark it as returned. The other reasons mark it as reversed.',
    ),
  return_code: returnCode
    .nullish()
    .describe("The bank's return code, such as R01, which is the default for `nsf`."),
  effective_date: date
    .nullish()
    .describe('When the money was paid back, which is the ledger date. Default: today.'),
});

/**
 * Reverses a completed payment as if it had never happened. The loan is refolded without it, its ledger
 * entries are mirrored, and the effects of later payments are corrected.
 */
export async function reversePayment(
  work: Work,
  paymentId: string,
  { reason, return_code, effective_date }: z.output<typeof PaymentReversal>,
) {
  const known = await payments.findLoanOfPayment(work.tx, paymentId);
  if (known === null) throw new NotFound();
  const loan = await openLoan(work, known.loan_id);
  const payment = await payments.lockPayment(work.tx, paymentId);
  if (payment === null || !['completed', 'settled'].includes(payment.status)) {
    throw notReversible(payment?.status);
  }
  const on = effective_date ?? work.today;
  if (on > work.today || on < payment.effective_date) {
    const message = 'Must be between the payment and the business date.';
    throw new Invalid({ effective_date: message });
  }
  const returned = ['nsf', 'return', 'chargeback'].includes(reason);
  await payments.markReversed(work.tx, paymentId, {
    status: returned ? 'returned' : 'reversed',
    by: work.actor.id,
    reason,
    return_code: return_code ?? null,
    on,
  });
  const reversal = newEvent({ kind: 'reversal', effective_date: on, reverses: paymentId });
  await recordEvents(work, loan, [reversal], {
    scheduleChangeReason: returned ? 'payment_returned' : undefined,
  });
  await emit(work, 'payment.reversed', {
    payment_id: paymentId,
    loan_id: payment.loan_id,
    amount: payment.amount,
    reason,
    ...(return_code && { return_code }),
    reversed_at: new Date().toISOString(),
  });
}

export const notReversible = (status: string | undefined) =>
  new Conflict(`A payment that is ${status} cannot be reversed.`, 'invalid_transition', {
    current_status: status,
  });
