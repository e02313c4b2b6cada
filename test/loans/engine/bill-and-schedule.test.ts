import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { projectSchedule } from '../../../jobs/loans/engine/projection/project.ts';
import { parseMoney } from '../../../jobs/money.ts';
import { anyServicedLife } from '../serviced-life.ts';

vi.setConfig({ testTimeout: 3_600_000 });

const LIVES = Number(process.env['LIVES'] ?? 80);

test('the next payment is the schedule’s first open installment if nothing is past due', () => {
  fc.assert(
    fc.property(anyServicedLife(12), (life) => {
      const state = fold(life);
      fc.pre(!state.is_accelerated && !state.is_charged_off && state.total_balance !== '0.00');
      fc.pre(state.past_due_amount === '0.00');

      const first = projectSchedule(life)
        .filter(({ due_date, status }) => due_date >= life.as_of && status !== 'paid')
        .map((row) => ({
          next_payment_date: row.due_date,
          next_payment_amount: row.open_amount,
        }))
        .find(({ next_payment_amount }) => next_payment_amount !== '0.00');

      expect(state).toMatchObject(first ?? { next_payment_amount: '0.00' });
    }),
    { numRuns: LIVES },
  );
});

test('the past due amount plus the next payment never exceeds the debt by then', () => {
  fc.assert(
    fc.property(anyServicedLife(12), (life) => {
      const state = fold(life);
      const { next_payment_date: next, past_due_amount, next_payment_amount } = state;
      fc.pre(!state.is_accelerated && next !== null && next >= life.as_of);

      const { total_balance } = fold({ ...life, as_of: next ?? life.as_of });

      const bill = parseMoney(past_due_amount).plus(next_payment_amount);
      expect(bill.lte(total_balance)).toBe(true);
    }),
    { numRuns: LIVES },
  );
});
