import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { addDays } from '../../../jobs/dates.ts';
import { completeTerms, DAY_COUNTS } from '../../../jobs/loans/arithmetic/terms.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { payoff } from '../../../jobs/loans/engine/projection/payoff-amounts.ts';
import { projectedPaymentEvent } from '../../../jobs/loans/engine/projection/course.ts';
import { projectState } from '../../../jobs/loans/engine/projection/project.ts';
import { closedThrough, drawn, paid, stateOn, undone } from '../line-fixtures.ts';

const anyLine = fc
  .record({
    interest_rate: fc.constantFrom('0', '0.0999', '0.2499'),
    day_count: fc.constantFrom(...DAY_COUNTS),
    cycle_day: fc.option(fc.integer({ min: 1, max: 28 })),
    payment_due_days: fc.integer({ min: 14, max: 27 }),
    grace_on_purchases: fc.boolean(),
    minimum_payment: fc.record({
      percentage: fc.constantFrom('0', '0.01', '0.025', '1'),
      floor_amount: fc.constantFrom('0.00', '25.00', '400.00'),
      plus_interest_and_fees: fc.boolean(),
    }),
  })
  .map((terms) => completeTerms({ ...terms, loan_type: 'line_of_credit' }));

const START = '2026-01-31';
const day = fc.integer({ min: 0, max: 300 }).map((days) => addDays(START, days));
const amount = fc.integer({ min: 1, max: 200_000 }).map((cents) => (cents / 100).toFixed(2));
const anyLife = fc.array(
  fc.record({
    kind: fc.constantFrom('draw', 'payment', 'payment', 'fee'),
    effective_date: day,
    amount,
  }),
  { maxLength: 12 },
);
const anyStory = fc.record({
  terms: anyLine,
  drafts: anyLife,
  undone: fc.integer({ min: 1, max: 12 }),
});
const LAST = addDays(START, 320);
const AFTER = addDays(LAST, 1);

const eventsOf = (drafts: readonly object[]) => [
  drawn('d0', START, '2000.00'),
  ...drafts.map((draft, index) => ({ ...draft, id: `e${index + 1}` }) as LoanEvent),
];

test('the order in which events become known does not affect what cycles bill', () => {
  fc.assert(
    fc.property(anyStory, ({ terms, drafts, undone: which }) => {
      const known = closedThrough(LAST, eventsOf(drafts), terms);
      const late = [
        ...closedThrough(LAST, [drawn('d0', START, '2000.00')], terms),
        ...eventsOf(drafts).slice(1).toReversed(),
      ];
      const reversal = undone('r', LAST, `e${which}`);
      const without = eventsOf(drafts).filter(({ id }) => id !== `e${which}`);

      expect(stateOn(LAST, late, terms)).toEqual(stateOn(LAST, known, terms));
      expect(stateOn(LAST, [...known, reversal], terms)).toEqual(
        stateOn(LAST, closedThrough(LAST, without, terms), terms),
      );
    }),
    { numRuns: Number(process.env['LIVES'] ?? 60) },
  );
});

test('a line is never billed more than it owes, and a payoff brings it to zero', () => {
  fc.assert(
    fc.property(anyStory, ({ terms, drafts }) => {
      const events = closedThrough(LAST, eventsOf(drafts), terms);
      const state = stateOn(AFTER, events, terms);
      const open = state.installments.reduce((sum, row) => sum + Number(row.open_amount), 0);
      const { payoff_amount } = payoff({ terms, schedule: [], events }, { payoff_date: AFTER });
      const last = { ...paid('z', AFTER, payoff_amount), payment_type: 'payoff' } as LoanEvent;

      expect(open).toBeLessThanOrEqual(Number(state.total_balance) + 0.001);
      if (payoff_amount === '0.00') return;
      expect(stateOn(AFTER, [...events, last], terms)).toMatchObject({
        total_balance: '0.00',
        is_paid_off: true,
        next_payment_amount: '0.00',
        days_past_due: 0,
      });
    }),
    { numRuns: Number(process.env['LIVES'] ?? 60) },
  );
});

test('a line’s projection equals the fold once its cycles end and are paid', () => {
  fc.assert(
    fc.property(
      anyStory,
      fc.integer({ min: 1, max: 330 }),
      fc.integer({ min: 1, max: 400 }),
      ({ terms, drafts }, since, days) => {
        const today = addDays(START, since);
        const known = eventsOf(drafts).filter(({ effective_date }) => effective_date <= today);
        const events = closedThrough(addDays(today, -1), known, terms);
        const as_of = addDays(today, days);

        const { state, payments } = projectState({ terms, schedule: [], events }, { today, as_of });

        const paying = [...events, ...payments.map(projectedPaymentEvent)];
        const { total_balance, installments, days_past_due } = stateOn(
          as_of,
          closedThrough(as_of, paying, terms),
          terms,
        );
        expect(state).toMatchObject({ total_balance, installments, days_past_due });
      },
    ),
    { numRuns: Number(process.env['LIVES'] ?? 60) },
  );
});

test('a borrower who pays each statement in full by its due date pays no interest where draws have a grace period', () => {
  fc.assert(
    fc.property(anyStory, fc.array(fc.nat(), { minLength: 12, maxLength: 12 }), (story, dice) => {
      const terms = { ...story.terms, grace_on_purchases: true };
      const drafts = story.drafts.filter(({ kind }) => kind !== 'payment');
      let events = eventsOf(drafts);

      for (const die of dice) {
        const { cycle } = stateOn(events.at(-1)?.effective_date ?? START, events, terms);
        events = closedThrough(cycle?.ends ?? START, events, terms);
        const statement = stateOn(cycle?.ends ?? START, events, terms);
        const day = addDays(cycle?.ends ?? START, 1 + (die % ((terms.payment_due_days ?? 0) + 1)));
        events.push(paid(`z${day}`, day, statement.cycle?.statement_remainder ?? '0.00'));
      }

      expect(stateOn(LAST, events, terms)).toMatchObject({ interest_earned: '0.00' });
    }),
    { numRuns: Number(process.env['LIVES'] ?? 8) },
  );
});
