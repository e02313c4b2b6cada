import type { Big } from 'big.js';
import { money, parseMoney, sum } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';

/** Fees spread over installments in equal parts. The last part takes the remaining cents. */

/** Spreads a fee amount over the rows. Spread fees bear no interest. */
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

/** The sum of spread fees in the rows. */
export const feesIn = (rows: readonly Pick<ScheduleRow, 'fees_amount'>[]): Big =>
  sum(rows.map(({ fees_amount }) => parseMoney(fees_amount)));
