import { z } from 'zod';
import { setPaymentDay } from '../../../sql/loans/workouts/payment-day.ts';
import { date, flag, requiredFreeText } from '../../../sql/types.ts';
import { daysBetween, dateParts } from '../../dates.ts';
import { Invalid } from '../../errors.ts';
import { money, ZERO } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { LoanEvent } from '../engine/events.ts';
import { assertFeesAllowed } from '../fees/forgiven-fees.ts';
import { assessFee } from '../fees/origination-fees.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { newEvent } from '../history/new-event.ts';
import { assertAllowed } from '../history/statuses.ts';
import { nextPaymentDayAfter } from '../schedule/move-installments.ts';
import { feeAmount, loanFeeRules } from '../products/fee-amounts.ts';
import { findRemainingSchedule, type RemainingSchedule } from './reschedule.ts';

const day = z.int().min(1).max(31);

export const DueDateChange = z.object({
  payment_day: day
    .nullish()
    .describe(
      'The new day of the month. 29 to 31 mean the end of shorter months. The next installment moves by 1 to 45 days to a later date.',
    ),
  new_payment_day: day.nullish().describe('The same as `payment_day`, which comes first.'),
  new_due_day: day.nullish().describe('The same as `payment_day`, which comes first.'),
  effective_date: date.nullish().describe('Installments due before this date do not change.'),
  charge_fee: flag
    .default(false)
    .describe(
      "Charges the product's fee for a due date change. Answers 422 if the product has none.",
    ),
  reason: requiredFreeText.nullish().describe('Kept in the history of the loan.'),
});
type DueDateChange = z.output<typeof DueDateChange>;

/** The next installment may not move to an earlier date, nor by more than this many days. */
const DAYS_LATER_MAX = 45;

/**
 * Moves the future installments to another day of the month. Interest accrues daily through the one longer
 * period. Does nothing if the loan already uses that day.
 */
export async function changeDueDate(work: Work, loanId: string, input: DueDateChange) {
  const payment_day = input.payment_day ?? input.new_payment_day ?? input.new_due_day;
  if (!payment_day) throw new Invalid({ payment_day: 'Is required.' });
  const loan = await openLoan(work, loanId);
  const { row } = loan;
  assertAllowed(row, 'change-due-date');
  const ahead = findRemainingSchedule(work, loan, input.effective_date);
  const present = row.payment_day ?? dateParts(ahead.first.due_date).day;
  if (present === payment_day) return;
  assertNear(ahead, nextPaymentDayAfter(ahead.first.due_date, payment_day));
  const fee = input.charge_fee ? await feeFor(work, loan) : [];
  await setPaymentDay(work.tx, loanId, payment_day);
  const agreement = { rule: 'moved', from: ahead.from_number, by: { payment_day } } as const;
  const plan = newEvent({ kind: 'schedule_agreed', effective_date: work.today, agreement });
  await recordEvents(work, await openLoan(work, loanId), [plan, ...fee]);
}

function assertNear({ first }: RemainingSchedule, moved: string) {
  const later = daysBetween(first.due_date, moved);
  if (later >= 1 && later <= DAYS_LATER_MAX) return;
  throw new Invalid({
    payment_day: `Must be 1 to ${DAYS_LATER_MAX} days after the current due date.`,
  });
}

/** The product's fee for a due date change. Throws `Invalid` if the product has none. */
async function feeFor(work: Work, loan: OpenLoan): Promise<LoanEvent[]> {
  const { row } = loan;
  const rule = loanFeeRules(row).find(({ trigger }) => trigger === 'due_date_change');
  const amount = rule ? feeAmount(rule, row.payment_amount ?? '0.00') : ZERO;
  if (!rule || amount.lte(0)) {
    throw new Invalid({ charge_fee: 'The product has no due date change fee.' });
  }
  assertFeesAllowed(loan, work.today);
  const { fee_type, id = null } = rule;
  const fee = { fee_type, amount: money(amount), on: work.today, fee_rule_id: id };
  return [await assessFee(work, row, { ...fee, description: 'Change of the due date' })];
}
