import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import { interestToCents } from '../../../jobs/loans/arithmetic/interest-rounding.ts';
import { eventsInForce } from '../../../jobs/loans/engine/event-order.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { payoff } from '../../../jobs/loans/engine/projection/payoff-amounts.ts';
import type { LoanState } from '../../../jobs/loans/engine/state.ts';
import { money, sum } from '../../../jobs/money.ts';
import { anyEvent, anyLife } from '../arbitraries.ts';

const RUNS = { numRuns: Number(process.env['LIVES'] ?? 300) };

/** Thousands of lives take long on a busy machine. */
vi.setConfig({ testTimeout: 180_000 });

function amountOf(lines: readonly { amount: string }[]): Big {
  return sum(lines.map((line) => new Big(line.amount)));
}

function linesOf(state: LoanState, component: string) {
  return state.allocations.filter((line) => line.component === component);
}

test('the order in which events arrive does not matter', () => {
  fc.assert(
    fc.property(anyLife, fc.array(fc.nat(), { minLength: 20 }), (life, dice) => {
      const shuffled = life.events
        .map((event, index) => ({ event, at: dice[index] ?? 0 }))
        .toSorted((one, other) => one.at - other.at)
        .map(({ event }) => event);

      expect(fold({ ...life, events: shuffled })).toEqual(fold(life));
    }),
    RUNS,
  );
});

test('an event and its reversal together leave no trace', () => {
  fc.assert(
    fc.property(anyLife, anyEvent, (life, draft) => {
      fc.pre(draft.kind !== 'reversal');
      const done = { ...draft, id: 'x' } as LoanEvent;
      const undone: LoanEvent = {
        id: 'y',
        kind: 'reversal',
        effective_date: draft.effective_date,
        reverses: 'x',
      };

      expect(fold({ ...life, events: [...life.events, done, undone] })).toEqual(fold(life));
    }),
    RUNS,
  );
});

test('a fee waiver takes effect on its own date, whenever it is entered', () => {
  fc.assert(
    fc.property(anyLife, fc.nat({ max: 90 }), fc.nat({ max: 90 }), (life, soon, late) => {
      const fee = eventsInForce(life.events, life.as_of).find(({ kind }) => kind === 'fee');
      fc.pre(fee?.kind === 'fee');
      const waived = (days: number): LoanEvent => ({
        id: 'w',
        kind: 'fee_waiver',
        effective_date: addDays(fee.effective_date, days),
        fee_id: fee.fee_id ?? fee.id,
      });
      const at = (days: number) => fold({ ...life, events: [...life.events, waived(days)] });
      const state = at(late);

      expect(state).toEqual(at(soon));
      const [after] = state.fees.filter(({ fee_id }) => fee_id === (fee.fee_id ?? fee.id));
      expect(after).toMatchObject({ amount_paid: '0.00', outstanding_amount: '0.00' });
    }),
    RUNS,
  );
});

test('future events do not affect earlier days', () => {
  fc.assert(
    fc.property(anyLife, (life) => {
      const known = eventsInForce(life.events, life.as_of);

      expect(fold({ ...life, events: known })).toEqual(fold(life));
    }),
    RUNS,
  );
});

test('the parts of a payment and of collateral proceeds add up to their totals', () => {
  fc.assert(
    fc.property(anyLife, (life) => {
      const state = fold(life);

      for (const event of eventsInForce(life.events, life.as_of)) {
        if (event.kind !== 'payment' && event.kind !== 'liquidation') continue;
        const lines = state.allocations.filter((line) => line.event_id === event.id);
        const brought = event.kind === 'payment' ? event.amount : event.net_proceeds;
        expect(money(amountOf(lines))).toBe(brought);
      }
    }),
    RUNS,
  );
});

test('every balance is the sum of its explained changes, and none is negative', () => {
  fc.assert(
    fc.property(anyLife, (life) => {
      const state = fold(life);

      expect(money(amountOf(linesOf(state, 'principal')).neg())).toBe(state.principal_balance);
      expect(money(amountOf(linesOf(state, 'interest')))).toBe(state.interest_settled);
      expect(money(amountOf(linesOf(state, 'suspense')))).toBe(state.suspense_balance);
      expect(money(amountOf(linesOf(state, 'surplus')))).toBe(state.surplus_balance);
      expect(money(amountOf(linesOf(state, 'charge_off')).neg())).toBe(state.charge_off_balance);
      const fees = amountOf(state.fees).minus(amountOf(linesOf(state, 'fee')));
      expect(money(fees)).toBe(state.outstanding_fees);
      for (const balance of [
        state.principal_balance,
        state.accrued_interest,
        state.interest_accrued,
        state.interest_settled,
        state.outstanding_fees,
        state.suspense_balance,
        state.surplus_balance,
        state.deficiency_balance,
        state.charge_off_balance,
        state.past_due_amount,
        state.next_payment_amount,
        ...state.fees.map((fee) => fee.outstanding_amount),
        ...state.allocations.flatMap((line) => [line.balance_before, line.balance_after]),
      ]) {
        expect(new Big(balance).gte(0)).toBe(true);
      }
    }),
    RUNS,
  );
});

test('accrued interest is the sum of its explained periods', () => {
  fc.assert(
    fc.property(anyLife, (life) => {
      const state = fold(life);
      const counted = state.interest_segments.filter((segment) => segment.rule !== 'suspended');

      expect(amountOf(counted).toFixed(10)).toBe(state.interest_accrued);
    }),
    RUNS,
  );
});

test('coverage never exceeds an installment', () => {
  fc.assert(
    fc.property(anyLife, (life) => {
      const state = fold(life);

      for (const row of state.installments) {
        expect(new Big(row.paid_amount).lte(row.payment_amount)).toBe(true);
        if (life.events.some((event) => event.kind === 'schedule_agreed')) continue;
        const lines = state.coverage.filter((c) => c.installment_number === row.period_number);
        expect(money(amountOf(lines))).toBe(row.paid_amount);
      }
      expect(state.days_past_due).toBeGreaterThanOrEqual(0);
    }),
    RUNS,
  );
});

test('a payoff quoted for a day is the payment that brings the loan to zero that day', () => {
  fc.assert(
    fc.property(anyLife, fc.constantFrom('0.00', '150.00'), (life, agreed) => {
      const prepayment_penalty = fold(life).forgives_fees ? '0.00' : agreed;
      const quote = payoff(life, { payoff_date: life.as_of, prepayment_penalty });
      const amount = quote.payoff_amount;
      fc.pre(amount !== '0.00' && !fold(life).is_charged_off);
      const on = { effective_date: life.as_of };
      const fee_type = 'prepayment_penalty';
      const penalty: LoanEvent[] =
        prepayment_penalty === '0.00'
          ? []
          : [{ ...on, id: 'z1', kind: 'fee', fee_type, amount: prepayment_penalty }];
      const paid: LoanEvent = { ...on, id: 'z2', kind: 'payment', amount, payment_type: 'payoff' };

      const state = fold({ ...life, events: [...life.events, ...penalty, paid] });

      expect(state).toMatchObject({
        total_balance: '0.00',
        suspense_balance: '0.00',
        is_paid_off: true,
      });
      // Half a cent rounds to the even cent of all accrued interest, not of the remainder.
      const settled = fold(life).interest_settled;
      const accrued = amountOf(quote.explanation).plus(settled);
      const explained = interestToCents(accrued, life.terms.rounding_mode).minus(settled);
      expect(money(explained.lt(0) ? new Big(0) : explained)).toBe(quote.accrued_interest);
    }),
    RUNS,
  );
});
