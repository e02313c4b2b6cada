import { z } from 'zod';
import { date, positiveMoney } from '../../sql/types.ts';
import { Invalid } from '../errors.ts';
import { projectLoan } from '../loans/agreed/read-agreed-steps.ts';
import { penaltyIncludedIn, residueWriteOff } from '../loans/agreed/scheduled-payment.ts';
import { PAYMENT_TYPES } from '../loans/engine/events.ts';
import { fold } from '../loans/engine/fold.ts';
import { explainSplit } from '../loans/history/differences.ts';
import { readLoan } from '../loans/history/open-loan.ts';
import { newEvent, newEvents } from '../loans/history/new-event.ts';
import { assertAllowed } from '../loans/history/statuses.ts';
import { readTerms } from '../loans/products/loan-terms.ts';
import { money } from '../money.ts';
import type { Work } from '../work.ts';
import { effectivePaymentType } from './receive.ts';

export const PaymentPreview = z.object({
  amount: positiveMoney.describe('The amount of the payment.'),
  payment_date: date
    .nullish()
    .describe(
      'The day of the payment, today or later. Default: the business date. Assumes that nothing else happens until then.',
    ),
  payment_type: z.enum(PAYMENT_TYPES).default('regular').describe('As for a payment.'),
});

/** How the loan would allocate a payment on that date. Writes nothing. */
export async function previewPayment(
  work: Work,
  loanId: string,
  input: z.output<typeof PaymentPreview>,
) {
  const known = await readLoan(work, loanId);
  assertAllowed(known.row, 'payments');
  const on = input.payment_date ?? work.today;
  if (on < work.today) throw new Invalid({ payment_date: 'Must not be in the past.' });
  const loan = await projectLoan(work, known, on);
  const payment_type = effectivePaymentType(loan, on, input.payment_type);
  const payment = { effective_date: on, amount: input.amount, payment_type };
  const paymentEvent = newEvent({ kind: 'payment', ...payment });
  const penalty = money(penaltyIncludedIn(loan, payment));
  const assessed = { effective_date: on, amount: penalty, fee_type: 'prepayment_penalty' };
  const feeEvents = penalty === '0.00' ? [] : [newEvent({ kind: 'fee', ...assessed })];
  const paid = [...feeEvents, paymentEvent];
  const events = [...loan.events, ...paid, ...newEvents(residueWriteOff(loan, paid))];
  const state = fold({ terms: readTerms(loan.row), schedule: loan.schedule, events, as_of: on });
  const { id: _, coverage: _covered, ...split } = explainSplit(state, paymentEvent.id);
  return {
    amount: input.amount,
    as_of_date: on,
    ...split,
    prepayment_penalty: penalty,
    remaining_balance: state.total_balance,
  };
}
