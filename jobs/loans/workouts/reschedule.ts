import { z } from 'zod';
import { date, flag, positiveMoney, requiredFreeText } from '../../../sql/types.ts';
import { addMonths } from '../../dates.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { money, parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { isFirstPaymentTooLate } from '../arithmetic/due-dates.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { newEvent } from '../history/new-event.ts';
import { assertAllowed } from '../history/statuses.ts';
import { refusalDetails } from '../products/refusals.ts';
import type { Agreement } from '../schedule/agreement.ts';
import { movedDueDates } from '../schedule/move-installments.ts';
import { nextUnpaidNumber } from '../schedule/schedule-basis.ts';
import { readTerms } from '../products/loan-terms.ts';

export const Reschedule = z.object({
  new_first_payment_date: date
    .nullish()
    .describe(
      'The next installment moves to this date, and the following ones to the same day of later periods. Must be within a year of the present date.',
    ),
  shift_days: z
    .int()
    .min(1)
    .max(366)
    .nullish()
    .describe('Moves all future installments by this many days.'),
  shift_periods: z
    .int()
    .min(1)
    .max(24)
    .nullish()
    .describe('Moves all future installments by this many periods.'),
  installments: z
    .array(
      z.object({
        number: z.int().min(1).describe('The number of a future installment.'),
        due_date: date.describe('The new due date. Must be after the previous installment.'),
        amount: positiveMoney.nullish().describe('The new amount. Default: unchanged.'),
      }),
    )
    .min(1)
    .max(600)
    .nullish()
    .describe('New dates, and amounts, for single installments. The others stay unchanged.'),
  extend_maturity: flag
    .default(true)
    .describe(
      'Whether installments may fall after the present maturity date. Otherwise those are dropped, and the others repay the loan.',
    ),
  recalculate_interest: flag
    .default(true)
    .describe(
      'Whether the new dates change how installments are split, and what is left for the last one. Otherwise only the dates change.',
    ),
  effective_date: date.nullish().describe('Installments due before this date do not change.'),
  reason: requiredFreeText.nullish().describe('Kept in the history of the loan.'),
});
type Reschedule = z.output<typeof Reschedule>;

/** The installments of the loan, with the first one that may still move. */
export type RemainingSchedule = {
  from_number: number;
  rows: readonly ScheduleRow[];
  first: ScheduleRow;
};

/** Moves the due dates of future installments. Past due amounts stay due. */
export async function reschedule(work: Work, loanId: string, input: Reschedule) {
  const methods = [input.new_first_payment_date, input.shift_days, input.shift_periods];
  if (
    [...methods, input.installments].filter((way) => way !== null && way !== undefined).length !== 1
  )
    throw new Invalid({
      new_first_payment_date:
        'Give one of new_first_payment_date, shift_days, shift_periods and installments.',
    });
  const loan = await openLoan(work, loanId);
  assertAllowed(loan.row, 'reschedule');
  const ahead = findRemainingSchedule(work, loan, input.effective_date);
  await replaceSchedule(work, loan, agreementOf(work, loan, ahead, input));
}

/**
 * Finds the first unpaid installment due on or after `from` (default: today). Throws `Conflict` if there is
 * none or the loan is accelerated.
 */
export function findRemainingSchedule(
  work: Work,
  { row, state }: OpenLoan,
  from?: string | null,
): RemainingSchedule {
  const on = from ?? work.today;
  if (on < work.today) throw new Invalid({ effective_date: 'Must not be in the past.' });
  const from_number = nextUnpaidNumber(state, on);
  const first = state.installments.find(({ period_number }) => period_number === from_number);
  if (from_number === null || first === undefined || state.is_accelerated) {
    const message = 'The loan has no future installments to move.';
    throw new Conflict(message, 'no_installments_ahead', refusalDetails(row));
  }
  return { from_number, rows: state.installments, first };
}

/** Records the new schedule, effective today regardless of its first due date. */
export async function replaceSchedule(work: Work, loan: OpenLoan, agreement: Agreement) {
  const event = newEvent({ kind: 'schedule_agreed', effective_date: work.today, agreement });
  await recordEvents(work, loan, [event]);
}

function agreementOf(
  work: Work,
  loan: OpenLoan,
  ahead: RemainingSchedule,
  input: Reschedule,
): Agreement {
  if (input.installments) return moveToGivenDates(work, ahead, input.installments);
  const terms = readTerms(loan.row);
  const { from_number: from } = ahead;
  const agreement = {
    rule: 'moved',
    from,
    by: moveToPaymentDay(work, ahead, input, terms.payment_day),
  } as const;
  const dates = movedDueDates(agreement, loan.state, terms);
  const keptDates = input.extend_maturity ? dates : dropAfterMaturity(ahead, dates);
  const isShortened = keptDates.length < dates.length;
  if (!input.recalculate_interest && !isShortened) return agreement;
  // The payment amount stays the same unless the schedule loses installments.
  const keepsPayment = input.extend_maturity && terms.amortization === 'level_payment';
  const payment_amount = keepsPayment ? { payment_amount: withoutFees(ahead.first) } : {};
  return { rule: 'spread', from, dates: keptDates, ...payment_amount };
}

function moveToPaymentDay(
  work: Work,
  ahead: RemainingSchedule,
  input: Reschedule,
  payment_day: number | null,
) {
  const { new_first_payment_date, shift_days, shift_periods } = input;
  if (new_first_payment_date) return { first: moveToStart(work, ahead, new_first_payment_date) };
  return shift_days ? { days: shift_days } : { periods: shift_periods ?? 1, payment_day };
}

function moveToStart(
  { today }: Work,
  { rows, from_number, first }: RemainingSchedule,
  start: string,
): string {
  const before = rows.findLast(({ period_number }) => period_number < from_number);
  const field = 'new_first_payment_date';
  if (start <= today) throw new Invalid({ [field]: 'Must be after the business date.' });
  if (before && start <= before.due_date) {
    throw new Invalid({ [field]: `Must be after the installment due ${before.due_date}.` });
  }
  if (start > addMonths(first.due_date, 12)) {
    throw new Invalid({ [field]: `Must be within a year of ${first.due_date}.` });
  }
  return start;
}

/**
 * The named installments get the given dates and amounts. The other installments stay unchanged. Due dates
 * must stay in ascending order.
 */
function moveToGivenDates(
  { today }: Work,
  { rows, from_number }: RemainingSchedule,
  requestedDates: readonly {
    number: number;
    due_date: string;
    amount?: string | null | undefined;
  }[],
): Agreement {
  const named = new Map(
    requestedDates.map((wanted, index) => [wanted.number, { ...wanted, index }]),
  );
  const ahead = rows.filter(({ period_number }) => period_number >= from_number);
  for (const { number, index } of named.values()) {
    if (ahead.some(({ period_number }) => period_number === number)) continue;
    throw new Invalid({
      [`installments.${index}.number`]: 'Must be a future installment of the loan.',
    });
  }
  let before = rows.findLast(({ period_number }) => period_number < from_number)?.due_date ?? today;
  for (const row of ahead) {
    const wanted = named.get(row.period_number);
    const due_date = wanted?.due_date ?? row.due_date;
    if (due_date <= before || (wanted && due_date <= today)) {
      const field = wanted ? `installments.${wanted.index}.due_date` : 'installments';
      throw new Invalid({ [field]: `Must be after ${before > today ? before : today}.` });
    }
    if (wanted && isFirstPaymentTooLate(due_date, today))
      throw new Invalid({ [`installments.${wanted.index}.due_date`]: 'Must be within 40 years.' });
    before = due_date;
  }
  const installments = [...named.values()].map(({ number, due_date, amount }) => ({
    number,
    due_date,
    ...(amount && { amount }),
  }));
  return { rule: 'named', installments };
}

/** Drops the last due dates that would fall after the maturity date. */
function dropAfterMaturity({ rows }: RemainingSchedule, dates: readonly string[]): string[] {
  const maturity = rows.at(-1)?.due_date ?? '';
  const keptDates = dates.filter((due_date) => due_date <= maturity);
  if (keptDates.length > 0) return keptDates;
  throw new Invalid({ extend_maturity: 'No installment would remain before the maturity date.' });
}

const withoutFees = ({ payment_amount, fees_amount }: ScheduleRow) =>
  money(parseMoney(payment_amount).minus(fees_amount));
