import { daysBetween } from '../../../jobs/dates.ts';
import { accruedCentsOn } from '../../../jobs/loans/engine/outlook/outlook-interest.ts';
import { GROWING } from '../../../jobs/loans/engine/outlook/outlook-view.ts';
import type { OutlookRow } from '../../../jobs/loans/engine/outlook/outlook.ts';
import type { Position } from '../../../jobs/loans/engine/position.ts';
import { money, parseMoney } from '../../../jobs/money.ts';

/** The figures of a loan on a day of a row. SQL reads it in the same way (`sql/loans/outlook.ts`). */
export function readOutlook(
  row: OutlookRow,
  day: string,
  { rounding_mode }: Pick<Position['terms'], 'rounding_mode'>,
) {
  const days = daysBetween(row.from_date, day);
  const earned = accruedCentsOn(row, days, rounding_mode);
  const grown = earned.minus(row.interest_earned);
  const amounts = GROWING.map((name) => {
    const amount = row.amounts[name];
    return [name, amount && money(parseMoney(amount).plus(grown.times(row.growth[name])))];
  });
  const interest_of_day =
    day === row.until_date
      ? row.last_day_interest
      : money(accruedCentsOn(row, days + 1, rounding_mode).minus(earned));
  return {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the names are those of the amounts.
    ...(Object.fromEntries(amounts) as OutlookRow['amounts']),
    days_past_due: row.past_due_from ? daysBetween(row.past_due_from, day) : (row.paused_days ?? 0),
    interest_of_day,
    late_fee: feeAhead(row.late_fee_amount, row.late_fee_after),
    cure_fee: feeAhead(row.cure_fee_amount, row.cure_fee_after, day),
  };
}

const feeAhead = (amount: string | null, last_day_on_time: string | null, day = '') =>
  amount !== null && last_day_on_time !== null && last_day_on_time >= day
    ? { amount, last_day_on_time }
    : null;
