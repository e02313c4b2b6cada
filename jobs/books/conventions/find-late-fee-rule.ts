import { addDays, daysBetween } from '../../dates.ts';
import { formatCents } from '../../loans/arithmetic/minor-units.ts';
import { originalSchedule } from '../../loans/schedule/boarded-schedule.ts';
import { isLateFee, type BookLoan } from './book-loan.ts';
import type { LateFeeRule } from './conventions.ts';
import { centsOf } from './differences.ts';

/** Without clear grace days, a fee is dated more than this many days after its due date. */
const MOST_GRACE_DAYS = 45;

type Tally = Map<number | string, number>;

const add = (tally: Tally, value: number | string) => tally.set(value, (tally.get(value) ?? 0) + 1);

const mostFrequent = (tally: Tally) =>
  [...tally].toSorted(([, one], [, other]) => other - one)[0] ?? null;

/**
 * Reads the rule from the late fees of a history: the days since the last due date, and an amount or a share of the
 * installment that all fees have in common. Most fees must follow the rule.
 */
export function findLateFeeRule() {
  const [days, amounts, shares]: [Tally, Tally, Tally] = [new Map(), new Map(), new Map()];
  let fees = 0;
  return {
    add(loan: BookLoan) {
      const charged = loan.events.filter(isLateFee);
      if (charged.length === 0 || fees > 20_000) return;
      const rows = loan.schedule ?? originalSchedule(loan.terms, loan.contract);
      for (const fee of charged) {
        fees += 1;
        const latest = addDays(fee.effective_date, -1);
        const row = rows.findLast(({ due_date }) => due_date <= latest);
        if (row === undefined) continue;
        const late = daysBetween(row.due_date, fee.effective_date);
        if (late <= MOST_GRACE_DAYS) add(days, late - 1);
        add(amounts, fee.amount);
        const share = Number(centsOf(fee.amount)) / Number(centsOf(row.payment_amount));
        add(shares, (Math.round(share * 1_000) / 1_000).toFixed(3));
      }
    },
    rule(): LateFeeRule | null {
      const [grace, amount] = [mostFrequent(days), mostFrequent(amounts)];
      const share = mostFrequent(shares);
      if (!grace || !amount) return null;
      const grace_days = Number(grace[0]);
      const base = { fee_type: 'late', trigger: 'past_due' } as const;
      const isFlat = amount[1] >= (share?.[1] ?? 0);
      if (isFlat)
        return {
          grace_days,
          rule: { ...base, calculation: 'flat', amount: formatCents(centsOf(String(amount[0]))) },
        };
      return {
        grace_days,
        rule: { ...base, calculation: 'percent_of_payment', percentage: String(share?.[0] ?? '0') },
      };
    },
  };
}
