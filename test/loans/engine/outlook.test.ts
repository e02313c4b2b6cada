import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { addDays, addMonths, latest } from '../../../jobs/dates.ts';
import type { LateFeesOn } from '../../../jobs/loans/engine/outlook/outlook-view.ts';
import { positionOn } from '../../../jobs/loans/engine/run.ts';
import { lateFeesAhead } from '../../../jobs/loans/history/late-fee-rules.ts';
import { LATE_FEE_RULES } from '../../../jobs/loans/products/fee-rules.ts';
import { billsOn, firstDelinquencyDate } from '../../../jobs/loans/engine/bills.ts';
import { eventsInForce } from '../../../jobs/loans/engine/event-order.ts';
import { fold, replay, type FoldInput } from '../../../jobs/loans/engine/fold.ts';
import { FOREVER, outlookOf, type OutlookRow } from '../../../jobs/loans/engine/outlook/outlook.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import {
  startFuture,
  type AgreedStep,
} from '../../../jobs/loans/engine/projection/agreed-steps.ts';
import { finalPayment } from '../../../jobs/loans/engine/projection/final-payment.ts';
import { payoffAmount } from '../../../jobs/loans/engine/projection/payoff-amounts.ts';
import type { LoanState } from '../../../jobs/loans/engine/state.ts';
import { money, toCents } from '../../../jobs/money.ts';
import { anyLife } from '../arbitraries.ts';
import { anyServicedLife } from '../serviced-life.ts';
import { readOutlook } from './read-outlook.ts';

const LIVES = Number(process.env['LIVES'] ?? 30);
/** Days of each life that are compared. */
const DAYS = 100;

vi.setConfig({ testTimeout: 3_600_000 });

type PenaltyBasis = Pick<
  LoanState,
  'as_of' | 'principal_balance' | 'charge_off_balance' | 'maturity_date'
>;

/** A penalty of 1.23 % of principal for some months after the first day. */
const penaltyUntil =
  (end: string) =>
  ({ as_of, principal_balance, charge_off_balance, maturity_date }: PenaltyBasis): Big =>
    as_of >= end || (maturity_date !== null && as_of >= maturity_date)
      ? new Big(0)
      : toCents(new Big('0.0123').times(new Big(principal_balance).plus(charge_off_balance)));

type Penalty = ReturnType<typeof penaltyUntil>;

const anyLateFees = fc.record({
  rules: fc.array(
    fc.record({
      grace_days: fc.constantFrom(0, 1, 5, 12, 40),
      calculation: fc.constantFrom('flat', 'percent_of_past_due', 'percent_of_payment'),
      late_fee_rule: fc.constantFrom(...LATE_FEE_RULES),
    }),
    { maxLength: 2 },
  ),
  reliefs: fc.array(fc.record({ after: fc.nat(60), days: fc.nat(40) }), { maxLength: 2 }),
  freeze_until: fc.option(fc.nat(60)),
});

/** Late fees of a life: rules of 5 % or 25.00, periods without late fees, and the end of a freeze. */
function lateFeesOf(
  { events, as_of }: FoldInput,
  {
    rules,
    reliefs,
    freeze_until,
  }: typeof anyLateFees extends fc.Arbitrary<infer Fees> ? Fees : never,
): LateFeesOn {
  return lateFeesAhead({
    rules: rules.map(({ grace_days, ...rule }) => ({
      grace_days,
      rule: {
        ...rule,
        fee_type: 'late' as const,
        trigger: 'past_due' as const,
        amount: '25.00',
        percentage: '0.05',
      },
    })),
    exempt: new Set(),
    forbidden: [],
    facts: {
      exemptions: [],
      exempt_periods: reliefs.map(({ after, days }) => ({
        from: addDays(as_of, after),
        to: addDays(as_of, after + days),
      })),
      transfer_periods: [],
      legal: null,
      freeze_until: freeze_until === null ? null : addDays(as_of, freeze_until),
    },
    payment_days: events.flatMap((one) => (one.kind === 'payment' ? [one.effective_date] : [])),
  });
}

function lateFeesFoldedOn(life: FoldInput, day: string, lateFeesOn: LateFeesOn | null) {
  const run = replay({ ...life, as_of: day });
  const fees = lateFeesOn?.({
    day,
    bills: billsOn(run.position, day).bills,
    positionOn: (later) => positionOn(run, later),
  });
  return {
    late_fee: fees?.late_fee ?? null,
    cure_fee: fees?.cure_fee ?? null,
    is_late_fee_due: isReached(fees?.decision_on ?? null, day),
  };
}

const isReached = (date: string | null, day: string) => date !== null && date <= day;

type Options = { penaltyOn: Penalty; lateFeesOn: LateFeesOn | null };

/** The figures of a day, folded from the whole history including that day's events. */
function folded(
  life: FoldInput,
  day: string,
  { penaltyOn, lateFeesOn, final }: Options & { final: Big | null },
) {
  const input = { ...life, as_of: day };
  const run = replay(input);
  const state = fold(input);
  const next = fold({
    ...input,
    events: eventsInForce(life.events, day),
    as_of: addDays(day, 1),
  });
  const { bill } = state;
  const penalty = state.is_charged_off ? new Big(0) : penaltyOn(state);
  const isPastDue30 = state.days_past_due >= 30;
  return {
    accrued_interest: state.accrued_interest,
    unearned_interest: money(
      Big(state.interest_settled).minus(state.interest_earned).gt(0)
        ? Big(state.interest_settled).minus(state.interest_earned)
        : new Big(0),
    ),
    past_due_amount: state.past_due_amount,
    past_due_principal: bill.past_due.principal,
    past_due_interest: bill.past_due.interest,
    next_payment_amount: state.next_payment_amount,
    fees_due: bill.fees_due,
    amount_due: bill.amount_due,
    payoff_amount: money(payoffAmount(state, penalty)),
    final_payment_amount: finalOf(state, final),
    days_past_due: state.days_past_due,
    delinquency_bucket: state.delinquency_bucket,
    oldest_unpaid_due_date: state.oldest_unpaid_due_date,
    next_payment_date: state.next_payment_date,
    first_delinquency_date: firstDelinquencyDate(run.position, day, 1),
    current_rate: state.current_rate,
    interest_free_balance: state.interest_free_balance,
    prepayment_penalty: money(penalty),
    interest_of_day: money(Big(next.interest_earned).minus(state.interest_earned)),
    past_due_30: isPastDue30,
    ...lateFeesFoldedOn(life, day, lateFeesOn),
  };
}

/** The final payment as of the last event, until it is the next payment itself. */
function finalOf({ bill, ...state }: LoanState, final: Big | null): string | null {
  const { maturity_date: maturity, next_payment_date: next } = state;
  if (next === null) return null;
  if (bill.due_date === null) return state.next_payment_amount;
  return next === maturity ? bill.installment.amount : final && money(final);
}

function seen(row: OutlookRow, day: string, life: FoldInput) {
  const shown = readOutlook(row, day, life.terms);
  const { past_due_30_amount, ...amounts } = shown;
  return {
    ...amounts,
    delinquency_bucket: row.delinquency_bucket,
    oldest_unpaid_due_date: row.oldest_unpaid_due_date,
    next_payment_date: row.next_payment_date,
    first_delinquency_date: row.first_delinquency_date,
    current_rate: row.current_rate,
    interest_free_balance: row.interest_free_balance,
    prepayment_penalty: row.prepayment_penalty,
    past_due_30: past_due_30_amount !== '0.00',
    is_late_fee_due: isReached(row.late_fee_decision_on, day),
  };
}

/**
 * Marks a step as a scheduled payment, which earlier bills do not include. The final payment does include it, so
 * it is not compared.
 */
const toStep = (event: LoanEvent, at: number): AgreedStep => ({
  date: event.effective_date,
  at: 'morning',
  rank: String(at).padStart(4, '0'),
  pays: { amount: '0.00', is_regular: false, is_of_plan: false },
  is_overdue: false,
  take: () => ({ events: [event] }),
});

const rowOn = (rows: readonly OutlookRow[], day: string) =>
  rows.find(({ from_date, until_date }) => from_date <= day && day <= until_date) as OutlookRow;

function expectTheFold(
  rows: readonly OutlookRow[],
  life: FoldInput,
  options: Options,
  { isFinalCompared = true } = {},
) {
  const finals = new Map<string, Big | null>();
  /** The final payment as of the last event by a day. */
  const finalBy = (day: string) => {
    const dates = eventsInForce(life.events, day).map(({ effective_date }) => effective_date);
    const since = latest(life.as_of, dates.at(-1) ?? '');
    if (!finals.has(since)) finals.set(since, finalPayment(replay({ ...life, as_of: since })));
    return finals.get(since) ?? null;
  };
  const last = rows.at(-1)?.until_date ?? '';
  for (let days = 0; days <= DAYS; days += 1) {
    const day = addDays(life.as_of, days);
    if (last !== FOREVER && day > last) break;
    const row = rowOn(rows, day);
    const expected = folded(life, day, { ...options, final: finalBy(day) });
    const { past_due_30, ...actual } = seen(row, day, life);
    const { past_due_30: expected30, ...figures } = expected;
    if (!isFinalCompared) figures.final_payment_amount = actual.final_payment_amount;
    expect(actual, `on ${day}, ${days} days on, row from ${row.from_date}`).toEqual(figures);
    if (past_due_30) expect(expected30).toBe(true);
    // Lists of loans by this date rely on it.
    const { next_payment_date: next, from_date, until_date } = row;
    expect(next === null || next < from_date || next >= until_date).toBe(true);
  }
}

const known = (life: FoldInput): FoldInput => ({
  ...life,
  events: eventsInForce(life.events, life.as_of),
});

for (const [kind, lives] of Object.entries({
  'of any events': anyLife,
  'as a lender services it': anyServicedLife(24),
})) {
  test(`the outlook of a life ${kind} is what its history folds to on each day`, () => {
    fc.assert(
      fc.property(lives, fc.nat(14), anyLateFees, (given, months, fees) => {
        const life = known(given);
        const penaltyOn = penaltyUntil(addMonths(life.as_of, months));
        const options = { penaltyOn, lateFeesOn: lateFeesOf(life, fees) };

        const rows = outlookOf(replay(life), options);

        expectTheFold(rows, life, options);
      }),
      { numRuns: LIVES },
    );
  });

  test(`the outlook of a life ${kind} includes what is already agreed`, () => {
    fc.assert(
      fc.property(lives, fc.integer({ min: 5, max: 120 }), (given, days) => {
        const life = { ...given, as_of: addDays(given.as_of, -days) };
        const now = eventsInForce(life.events, life.as_of);
        fc.pre(now.length > 0);
        const whole = eventsInForce(life.events, addDays(life.as_of, 2 * DAYS));
        const penaltyOn = penaltyUntil('2020-01-01');

        const rows = outlookOf(replay({ ...life, events: now }), {
          penaltyOn,
          agreed: startFuture({ ...life, events: now }, whole.slice(now.length).map(toStep)),
        });

        const options = { penaltyOn, lateFeesOn: null };
        expectTheFold(rows, { ...life, events: whole }, options, { isFinalCompared: false });
      }),
      { numRuns: LIVES },
    );
  });
}
