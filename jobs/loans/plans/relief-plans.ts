import type { Big } from 'big.js';
import { addDays, daysBetween } from '../../dates.ts';
import { atLeastZero, min, money, parseMoney, ZERO } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { dueDates } from '../arithmetic/due-dates.ts';
import type { PaymentFrequency } from '../arithmetic/terms.ts';
import type { InstallmentState } from '../engine/state.ts';
import { planned } from './planned.ts';

/** Plans that ask for less for a while; all of what is not asked for is asked for later. */

type Amounts = { principal: Big; interest: Big; fees: Big };

const NOTHING: Amounts = { principal: ZERO, interest: ZERO, fees: ZERO };

/** Where what is not asked for goes: the instalment after the time, or the last one. */
export type Shortfall = 'next' | 'last';

/**
 * Asks for less by each of some instalments and adds the difference to a later one. Answers the rows
 * from the first changed one on.
 */
export function lowered(
  rows: readonly InstallmentState[],
  ask: (row: InstallmentState) => Big | null,
  shortfall: Shortfall,
): ScheduleRow[] {
  const first = rows.findIndex((row) => ask(row) !== null);
  if (first < 0) return [];
  const changed = rows.slice(first);
  const lastLowered = changed.findLastIndex((row) => ask(row) !== null);
  const target = shortfall === 'last' ? changed.length - 1 : lastLowered + 1;
  const to = Math.min(target, changed.length - 1);
  // Where nothing comes after, the last instalment keeps asking for all that is left.
  let missing = NOTHING;
  const asked = changed.map((row, index) => {
    const wanted = ask(row);
    const whole = amountsOf(row);
    if (wanted === null || index === to) return whole;
    const interest = min(wanted, whole.interest);
    const fees = min(wanted.minus(interest), whole.fees);
    const principal = min(wanted.minus(interest).minus(fees), whole.principal);
    const less = { principal, interest, fees };
    missing = combined(missing, whole, less);
    return less;
  });
  const receiver = asked[to];
  if (receiver !== undefined) {
    asked[to] = combined(receiver, missing, NOTHING);
  }
  return balanced(changed, asked);
}

/** The first and the second together, less the third. */
const combined = (one: Amounts, other: Amounts, less: Amounts): Amounts => ({
  principal: one.principal.plus(other.principal).minus(less.principal),
  interest: one.interest.plus(other.interest).minus(less.interest),
  fees: one.fees.plus(other.fees).minus(less.fees),
});

const amountsOf = (row: ScheduleRow): Amounts => ({
  principal: parseMoney(row.principal_amount),
  interest: parseMoney(row.interest_amount),
  fees: parseMoney(row.fees_amount),
});

/** The rows with these amounts, and the balances that follow from them. */
function balanced(rows: readonly ScheduleRow[], amounts: readonly Amounts[]): ScheduleRow[] {
  let balance = parseMoney(rows[0]?.beginning_balance ?? '0.00');
  return rows.map((row, index) => {
    const { principal, interest, fees } = amounts[index] ?? amountsOf(row);
    const before = balance;
    balance = atLeastZero(balance.minus(principal));
    return {
      period_number: row.period_number,
      due_date: row.due_date,
      payment_amount: money(principal.plus(interest).plus(fees)),
      principal_amount: money(principal),
      interest_amount: money(interest),
      fees_amount: money(fees),
      beginning_balance: money(before),
      ending_balance: money(balance),
      days_in_period: row.days_in_period,
    };
  });
}

/** Some instalments of interest alone before the plan goes on, from a row on, so much later. */
export function interestFirst(
  rows: readonly ScheduleRow[],
  by: {
    from_number: number;
    periods: number;
    frequency: PaymentFrequency;
    payment_day: number | null;
  },
): ScheduleRow[] {
  const rest = rows.filter(({ period_number }) => period_number >= by.from_number);
  const [first] = rest;
  if (first === undefined) return [];
  const dates = dueDates(by.frequency, first.due_date, rest.length + by.periods, by.payment_day);
  const begin = addDays(first.due_date, -first.days_in_period);
  const days = (index: number) => daysBetween(dates[index - 1] ?? begin, dates[index] ?? begin);
  return dates.map((due_date, index) => {
    const number = { period_number: by.from_number + index, due_date, days_in_period: days(index) };
    const old = rest[index - by.periods];
    if (old !== undefined) return { ...planned(old), ...number };
    return {
      ...planned(first),
      ...number,
      payment_amount: first.interest_amount,
      principal_amount: '0.00',
      fees_amount: '0.00',
      ending_balance: first.beginning_balance,
    };
  });
}
