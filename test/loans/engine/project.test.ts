import { Big } from 'big.js';
import * as fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { latest } from '../../../jobs/dates.ts';
import { isBilledByCycle } from '../../../jobs/loans/arithmetic/terms.ts';
import { fold } from '../../../jobs/loans/engine/fold.ts';
import { projectedPaymentEvent } from '../../../jobs/loans/engine/projection/course.ts';
import { projectState } from '../../../jobs/loans/engine/projection/project.ts';
import { anyLife } from '../arbitraries.ts';
import { DISBURSED, payment, SCHEDULE, TERMS } from '../fixtures.ts';

vi.setConfig({ testTimeout: 120_000 });

const INPUT = { terms: TERMS, schedule: SCHEDULE, events: [DISBURSED] };

describe('a projection', () => {
  test('makes each scheduled payment on its due date', () => {
    const { state, payments } = projectState(INPUT, { today: '2026-01-20', as_of: '2026-03-20' });

    expect(payments).toEqual([
      { installment_number: 1, due_date: '2026-02-15', amount: '315.68' },
      { installment_number: 2, due_date: '2026-03-15', amount: '315.68' },
    ]);
    expect(state).toMatchObject({ days_past_due: 0, next_payment_date: '2026-04-15' });
  });

  test('includes today’s payment, also when today itself is requested', () => {
    const ahead = projectState(INPUT, { today: '2026-02-15', as_of: '2026-03-20' });
    const now = projectState(INPUT, { today: '2026-02-15', as_of: '2026-02-15' });

    expect(ahead.payments.map(({ due_date }) => due_date)).toEqual(['2026-02-15', '2026-03-15']);
    expect(ahead.state).toMatchObject({ days_past_due: 0, past_due_amount: '0.00' });
    expect(now.payments).toMatchObject([{ due_date: '2026-02-15' }]);
  });

  test('bills everything that is left in the last payment', () => {
    const { state, payments } = projectState(INPUT, { today: '2026-01-20', as_of: '2029-02-01' });

    expect(payments).toHaveLength(36);
    expect(payments.at(-1)?.amount).not.toBe('315.48');
    expect(state).toMatchObject({ is_paid_off: true, total_balance: '0.00' });
  });

  test('ends early after extra payments', () => {
    const extra = payment('p', '2026-02-15', '5000.00');
    const { state, payments } = projectState(
      { ...INPUT, events: [DISBURSED, extra] },
      { today: '2026-02-20', as_of: '2029-02-01' },
    );

    expect(payments.length).toBeLessThan(20);
    expect(state).toMatchObject({ is_paid_off: true, suspense_balance: '0.00' });
  });

  test('equals the fold once those payments are really made', () => {
    fc.assert(
      fc.property(anyLife, fc.integer({ min: 1, max: 400 }), (life, days) => {
        // Projections of lines of credit include cycles: test/loans/arithmetic/cycles-properties.test.ts.
        fc.pre(!isBilledByCycle(life.terms));
        const today = life.as_of;
        const known = life.events.filter((event) => event.effective_date <= today);
        const end = new Date(Date.parse(today) + days * 86_400_000).toISOString().slice(0, 10);
        const as_of = latest(today, end);
        const { state, payments } = projectState({ ...life, events: known }, { today, as_of });
        const made = payments.map(projectedPaymentEvent);

        expect(fold({ ...life, events: [...known, ...made], as_of })).toEqual(state);
        expect(payments.every(({ amount }) => new Big(amount).gt(0))).toBe(true);
      }),
      { numRuns: Number(process.env['LIVES'] ?? 250) },
    );
  });
});
