import { Big } from 'big.js';
import { addDays } from '../../jobs/dates.ts';
import { dueDates } from '../../jobs/loans/arithmetic/due-dates.ts';
import { money } from '../../jobs/money.ts';
import { nextRandom, seedRandom } from './random.ts';
import type { TapeRow } from './read-tape.ts';

/** How a borrower pays. It is derived from the loan's number and from its status on the tape. */
export const PAYMENT_BEHAVIOURS = ['on_time', 'late', 'partial', 'none'] as const;
export type PaymentBehaviour = (typeof PAYMENT_BEHAVIOURS)[number];

export type SimulatedPayment = {
  loan_number: string;
  number: number;
  date: string;
  amount: string;
};

export function paymentBehaviourOf({
  loan_number,
  source_status = 'Current',
}: TapeRow): PaymentBehaviour {
  const drawn = nextRandom(seedRandom(`manner ${loan_number}`));
  if (/Late \(31/.test(source_status)) return drawn < 0.5 ? 'none' : 'partial';
  if (/Late|Grace/.test(source_status)) return 'late';
  if (drawn < 0.88) return 'on_time';
  if (drawn < 0.95) return 'late';
  return drawn < 0.98 ? 'partial' : 'none';
}

/**
 * Returns the payments that arrive for a loan up to and including `through`:
 *
 * - `on_time`: on the due date or up to three days earlier
 * - `late`: 5 to 40 days after the due date
 * - `partial`: 55 % on the due date, and the rest of every second installment 20 days later
 * - `none`: at most the first payment
 */
export function simulatePayments(row: TapeRow, through: string): SimulatedPayment[] {
  if (row.status !== 'active') return [];
  const manner = paymentBehaviourOf(row);
  const random = seedRandom(`payments ${row.loan_number}`);
  const dates = dueDates('monthly', row.first_payment_date, row.term_months);
  const arrivals: Omit<SimulatedPayment, 'loan_number' | 'number'>[] = [];
  for (const [index, due] of dates.entries()) {
    if (due > addDays(through, 3)) break;
    const drawn = nextRandom(random);
    if (manner === 'on_time') {
      const early = due > addDays(row.origination_date, 3) ? Math.floor(drawn * 4) : 0;
      arrivals.push({ date: addDays(due, -early), amount: row.payment_amount });
    } else if (manner === 'late') {
      arrivals.push({ date: addDays(due, 5 + Math.floor(drawn * 36)), amount: row.payment_amount });
    } else if (manner === 'partial') {
      const part = money(new Big(row.payment_amount).times('0.55'));
      const rest = money(new Big(row.payment_amount).minus(part));
      arrivals.push({ date: due, amount: part });
      if (index % 2 === 0) arrivals.push({ date: addDays(due, 20), amount: rest });
    } else if (index === 0 && drawn < 0.5) {
      arrivals.push({ date: due, amount: row.payment_amount });
    }
  }
  return arrivals
    .filter(({ date }) => date <= through)
    .map((arrival, index) => ({ ...arrival, loan_number: row.loan_number, number: index + 1 }));
}
