import * as fc from 'fast-check';
import { addDays } from '../../jobs/dates.ts';
import { buildSchedule } from '../../jobs/loans/arithmetic/amortize.ts';
import { onePeriodAfter } from '../../jobs/loans/arithmetic/due-dates.ts';
import type { Terms } from '../../jobs/loans/arithmetic/terms.ts';
import type { LoanState } from '../../jobs/loans/engine/state.ts';
import type { Agreement } from '../../jobs/loans/schedule/agreement.ts';
import { nextUnpaidNumber, numberAfterLast } from '../../jobs/loans/schedule/schedule-basis.ts';
import { money, parseMoney } from '../../jobs/money.ts';

/** Workouts that a lender may agree to, depending on the loan's state that day. */

const upToFour = fc.integer({ min: 1, max: 4 });
const share = fc.integer({ min: 40, max: 250 }).map((percent) => percent / 100);

export const anyPlanning = fc.oneof(
  fc.record({
    way: fc.constant('spread' as const),
    change: fc.option(
      fc.oneof(
        fc.record({ rate: fc.constantFrom('0', '0.0399', '0.2999') }),
        fc.record({ capitalizes: fc.constant(true) }),
        fc.record({ forgives: fc.constantFrom('100.00', 'all') }),
        fc.record({ draws: fc.constantFrom('50.00', '2500.00') }),
        fc.record({ more_fees: fc.constant('10.01') }),
      ),
    ),
    dates: fc.option(
      fc.record({
        later: fc.integer({ min: 0, max: 40 }),
        count: fc.integer({ min: 1, max: 20 }),
        payment_day: fc.option(fc.integer({ min: 1, max: 31 })),
      }),
    ),
    share: fc.option(share),
    interest_only: fc.option(upToFour),
  }),
  fc.record({ way: fc.constant('cure' as const), count: fc.integer({ min: 1, max: 20 }) }),
  fc.record({ way: fc.constant('fewer' as const), less: upToFour }),
  fc.record({
    way: fc.constant('moved' as const),
    by: fc.oneof(
      fc.record({
        periods: upToFour,
        payment_day: fc.option(fc.integer({ min: 1, max: 31 })),
      }),
      fc.record({ days: fc.integer({ min: 1, max: 40 }) }),
      fc.record({ payment_day: fc.integer({ min: 1, max: 31 }) }),
      fc.record({ later: fc.integer({ min: 1, max: 60 }) }),
    ),
    skip: fc.nat(3),
    asks_interest: fc.boolean(),
    defers: fc.boolean(),
  }),
  fc.record({
    way: fc.constant('named' as const),
    skip: fc.nat(2),
    days: fc.integer({ min: 0, max: 5 }),
    shares: fc.array(fc.option(share), { minLength: 1, maxLength: 3 }),
  }),
  fc.record({
    way: fc.constant('lowered' as const),
    count: upToFour,
    to: fc.constantFrom('1.00' as const, '75.00' as const, 'interest' as const, 'paid' as const),
    shortfall: fc.constantFrom('next' as const, 'last' as const),
    pauses: fc.boolean(),
    isBack: fc.boolean(),
  }),
  fc.record({ way: fc.constant('written' as const), count: fc.integer({ min: 1, max: 20 }) }),
);
export type Planning = typeof anyPlanning extends fc.Arbitrary<infer It> ? It : never;

type On = { state: LoanState; terms: Terms; today: string };

const agreed = (agreement: Agreement, more = {}) => ({
  kind: 'schedule_agreed',
  agreement,
  ...more,
});

/** The events of the workout. Empty if no future installment could change. */
export function plansOf(planning: Planning, on: On): Record<string, unknown>[] {
  const { state, terms, today } = on;
  if (state.is_accelerated) return [];
  const from = nextUnpaidNumber(state, today);
  if (planning.way === 'spread') return spreads(planning, on, from);
  if (planning.way === 'cure') {
    const { payment_frequency: frequency, term_months, payment_day } = terms;
    const toCome = state.installments.find((row) => row.period_number === from);
    const next = onePeriodAfter(frequency, today, term_months, payment_day);
    const first = toCome?.due_date ?? next;
    const dates = { first, count: planning.count, payment_day };
    return [agreed({ rule: 'spread', from: 'oldest_unpaid', dates })];
  }
  if (from === null) return [];
  const ahead = state.installments.filter(({ period_number }) => period_number >= from);
  if (planning.way === 'fewer') {
    const dates = ahead.slice(0, -planning.less).map(({ due_date }) => due_date);
    return dates.length > 0 ? [agreed({ rule: 'spread', from, dates })] : [];
  }
  if (planning.way === 'moved') return moves(planning, ahead, terms);
  if (planning.way === 'named') return [agreed(named(planning, ahead))];
  if (planning.way === 'lowered') return lowers(planning, state, from, today);
  const rows = buildSchedule({
    ...terms,
    principal: state.principal_balance,
    number_of_payments: planning.count,
    start_date: today,
    first_period_number: from,
  });
  return rows.length > 0 ? [agreed({ rule: 'written', rows })] : [];
}

type Ahead = LoanState['installments'];
type Way<Name extends Planning['way']> = Extract<Planning, { way: Name }>;

function spreads(
  { change, dates, share: part, interest_only }: Way<'spread'>,
  { state, today }: On,
  next: number | null,
): Record<string, unknown>[] {
  const [row] = state.installments.filter(({ period_number }) => period_number === next);
  if (next === null && dates === null) return [];
  const isAnew = change !== null && ('capitalizes' in change || 'forgives' in change);
  const first = addDays(
    row && row.due_date > today ? row.due_date : addDays(today, 1),
    dates?.later ?? 0,
  );
  const payment_amount = row && part ? money(parseMoney(row.payment_amount).times(part)) : null;
  const plan = agreed({
    rule: 'spread',
    from: next ?? numberAfterLast(state),
    ...(dates && { dates: { first, count: dates.count, payment_day: dates.payment_day } }),
    ...(payment_amount !== null && payment_amount !== '0.00' && { payment_amount }),
    ...(isAnew && { accrues_from: today }),
    ...(interest_only && { interest_only }),
    ...(change && 'more_fees' in change && { more_fees: change.more_fees }),
  });
  return [...besides(change), plan];
}

function besides(change: Way<'spread'>['change']): Record<string, unknown>[] {
  if (change === null) return [];
  if ('rate' in change) return [{ kind: 'rate_change', interest_rate: change.rate }];
  if ('capitalizes' in change) return [{ kind: 'capitalization', interest: 'all', fees: 'all' }];
  if ('draws' in change) return [{ kind: 'draw', amount: change.draws }];
  if ('more_fees' in change) return [{ kind: 'fee', amount: change.more_fees, is_spread: true }];
  const portions = change.forgives === 'all' ? { interest: 'all' } : { principal: change.forgives };
  return [{ kind: 'forgiveness', ...portions }];
}

function moves({ by, skip, asks_interest, defers }: Way<'moved'>, ahead: Ahead, terms: Terms) {
  const first = ahead[skip] ?? ahead[0];
  if (first === undefined) return [];
  const from = first.period_number;
  const isByMonth = ['monthly', 'quarterly'].includes(terms.payment_frequency);
  if ('payment_day' in by && !('periods' in by) && !isByMonth) return [];
  const wanted = 'later' in by ? { first: addDays(first.due_date, by.later) } : by;
  const gains = 'periods' in by && asks_interest && { asks_interest: true as const };
  const until = addDays(first.due_date, 30);
  const skipped = 'periods' in by && defers && { from_number: from, periods: by.periods, until };
  return [
    agreed({ rule: 'moved', from, by: wanted, ...gains }, skipped ? { defers: skipped } : {}),
  ];
}

function named({ skip, days, shares }: Way<'named'>, ahead: Ahead): Agreement {
  const first = Math.min(skip, ahead.length - 1);
  const installments = shares.flatMap((part, index) => {
    const row = ahead[first + index];
    if (row === undefined) return [];
    const { period_number: number, payment_amount } = row;
    const amount = part === null ? null : money(parseMoney(payment_amount).times(part));
    const isAmount = amount !== null && amount !== '0.00';
    return [{ number, due_date: addDays(row.due_date, days), ...(isAmount && { amount }) }];
  });
  return { rule: 'named', installments };
}

function lowers(
  { count, to, shortfall, pauses, isBack }: Way<'lowered'>,
  { installments }: LoanState,
  from: number,
  today: string,
): Record<string, unknown>[] {
  const late = installments.filter(({ status }) => status === 'past_due');
  const rows =
    isBack && late.length > 0 ? late : installments.filter((row) => row.period_number >= from);
  const numbers = rows.slice(0, count).map(({ period_number }) => period_number);
  const pause = pauses ? [{ kind: 'delinquency_pause', to: addDays(today, 30) }] : [];
  return [...pause, agreed({ rule: 'lowered', numbers, to, shortfall })];
}
