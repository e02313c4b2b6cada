import { Big } from 'big.js';
import { addDays } from '../../jobs/dates.ts';
import { dueDates } from '../../jobs/loans/arithmetic/due-dates.ts';
import type { TapeRow } from '../../jobs/loans/boarding/boarding-tape.ts';
import { money } from '../../jobs/money.ts';
import { nextRandom, seedRandom } from './random.ts';

/** How a borrower pays; drawn once for each loan, and told from what the tape says of it. */
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
 * The payments that arrive for a loan up to a day. Whoever pays on time does so on the due date or up
 * to three days before; late means 5 to 40 days after; in part means a bit more than half, and the
 * rest of every second instalment 20 days later; none means that nothing comes after the first one.
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
