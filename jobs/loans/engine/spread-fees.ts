import type { Big } from 'big.js';
import { atLeastZero, money, parseMoney, sum, ZERO } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { dueBy } from './coverage.ts';
import { outstandingOf, type Position } from './position.ts';

/** Fees that the instalments ask for in equal parts; the last one takes the cents that are left. */

/** The plan with an amount of fees spread over its rows. They bear no interest. */
export function withFees(rows: readonly ScheduleRow[], fees: Big): ScheduleRow[] {
  if (fees.lte(0) || rows.length === 0) return [...rows];
  const part = fees.div(rows.length).round(2, 0);
  const last = fees.minus(part.times(rows.length - 1));
  return rows.map((row, index) => {
    const fee = index === rows.length - 1 ? last : part;
    return {
      ...row,
      payment_amount: money(parseMoney(row.payment_amount).plus(fee)),
      fees_amount: money(parseMoney(row.fees_amount).plus(fee)),
    };
  });
}

/** What rows ask for of such fees. */
export const feesIn = (rows: readonly Pick<ScheduleRow, 'fees_amount'>[]): Big =>
  sum(rows.map(({ fees_amount }) => parseMoney(fees_amount)));

/** What is owed of such fees on a day: all that no later instalment is going to ask for. */
export function spreadDue(position: Position, date: string): Big {
  const spread = [...position.fees.values()].filter(({ is_spread }) => is_spread);
  if (spread.length === 0) return ZERO;
  const standing = position.installments.filter(({ is_canceled }) => !is_canceled);
  const later = standing.slice(dueBy(standing, date).length);
  return atLeastZero(sum(spread.map(outstandingOf)).minus(feesIn(later.map(({ row }) => row))));
}
