import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import type { InstallmentState } from '../../../jobs/loans/engine/bills.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { projectSchedule } from '../../../jobs/loans/engine/projection/project.ts';
import { atLeastZero, money, parseMoney, sum } from '../../../jobs/money.ts';
import { anyServicedLife, type Life } from '../serviced-life.ts';

vi.setConfig({ testTimeout: 3_600_000 });

const LIVES = Number(process.env['LIVES'] ?? 80);

const isOpen = ({ status }: InstallmentState) => status !== 'paid' && status !== 'canceled';

/** The schedule's amounts from a day on, row by row. */
const askedFrom = (rows: readonly InstallmentState[], day: string) =>
  rows
    .filter((row) => isOpen(row) && row.due_date >= day)
    .map(({ due_date, open_amount: amount }) => ({ due_date, amount }))
    .filter(({ amount }) => amount !== '0.00');

/** An actual payment. Its id sorts it before the projected payments of its day. */
const paid = (number: number, effective_date: string, amount: string): LoanEvent => ({
  id: `paid-${String(number).padStart(4, '0')}`,
  kind: 'payment',
  effective_date,
  amount,
});

/** Pays the past due amount now and each row of the schedule on its due date. */
function payingAll(life: Life) {
  const { past_due_amount } = fold(life);
  const asked = askedFrom(projectSchedule(life), life.as_of);
  const late = past_due_amount === '0.00' ? [] : [paid(0, life.as_of, past_due_amount)];
  const payments = asked.map(({ due_date, amount }, index) => paid(index + 1, due_date, amount));
  return { late, asked, payments };
}

/** A payment on the day of a new schedule takes effect before it. */
const isReplannedToday = ({ events, as_of }: Life, payments: readonly LoanEvent[]) =>
  payments[0]?.effective_date === as_of &&
  events.some(({ kind, effective_date }) => kind === 'schedule_agreed' && effective_date === as_of);

/** Lives of loans that owe a balance which is not due all at one time. */
function ongoing(life: Life) {
  const state = fold(life);
  fc.pre(!state.is_accelerated && !state.is_charged_off && state.total_balance !== '0.00');
  return state;
}

test('a borrower who pays the past due amount and then each installment owes nothing at the end', () => {
  fc.assert(
    fc.property(anyServicedLife(12), (life) => {
      const { suspense_balance, maturity_date } = ongoing(life);
      const { late, payments } = payingAll(life);
      const end = payments.at(-1)?.effective_date ?? life.as_of;

      const state = fold({ ...life, events: [...life.events, ...late, ...payments], as_of: end });

      expect(state).toMatchObject({ total_balance: '0.00', suspense_balance });
      expect(end <= (maturity_date ?? '') || payments.length === 0).toBe(true);
    }),
    { numRuns: LIVES },
  );
});

test('a row’s parts add up to it, balances connect, and no part is negative', () => {
  fc.assert(
    fc.property(anyServicedLife(12), (life) => {
      ongoing(life);
      const { late } = payingAll(life);
      const state = fold({ ...life, events: [...life.events, ...late] });
      let { principal_balance: balance } = state;
      const paidAhead = new Big(state.interest_settled).minus(state.interest_earned);
      let mayComeBack = atLeastZero(paidAhead);

      const rows = projectSchedule(life).filter((row) => isOpen(row) && row.due_date >= life.as_of);

      for (const row of rows) {
        const parts = [row.principal_amount, row.interest_amount, row.fees_amount];
        expect(money(sum(parts.map(parseMoney)))).toBe(row.payment_amount);
        expect(money(parseMoney(row.payment_amount).minus(row.paid_amount))).toBe(row.open_amount);
        expect(parts.every((part) => new Big(part).gte(0))).toBe(true);
        // A partly paid row starts at the balance of its partial payment, regardless of later events.
        if (row.paid_amount !== '0.00') {
          balance = row.ending_balance;
          continue;
        }
        // Interest that was paid ahead and is still unearned by then repays principal before the row does.
        const comesBack = parseMoney(balance).minus(row.beginning_balance);
        expect(comesBack.gte(0) && comesBack.lte(mayComeBack)).toBe(true);
        mayComeBack = mayComeBack.minus(comesBack);
        balance = money(parseMoney(row.beginning_balance).minus(row.principal_amount));
        expect(row.ending_balance).toBe(balance);
      }
      if (rows.length > 0) expect(balance).toBe('0.00');
    }),
    { numRuns: LIVES },
  );
});

test('the schedule stays the same after each scheduled payment', () => {
  fc.assert(
    fc.property(anyServicedLife(9), fc.array(fc.nat(), { maxLength: 4 }), (life, dice) => {
      ongoing(life);
      const { late, asked, payments } = payingAll(life);
      fc.pre(payments.length > 1 && !isReplannedToday(life, [...late, ...payments]));

      for (const die of [0, ...dice]) {
        const kept = die % payments.length;
        const since = payments[kept - 1]?.effective_date ?? life.as_of;
        const next = asked[kept]?.due_date ?? since;
        const events = [...life.events, ...late, ...payments.slice(0, kept)];
        const after = addDays(since, die % 3);
        const as_of = after < next ? after : since;
        expect(askedFrom(projectSchedule({ ...life, events, as_of }), as_of)).toEqual(
          asked.slice(kept),
        );
      }
    }),
    { numRuns: LIVES },
  );
});
