import fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import { addDays } from '../../../jobs/dates.ts';
import { firstDelinquencyDate } from '../../../jobs/loans/engine/bills.ts';
import type { LoanEvent } from '../../../jobs/loans/engine/events.ts';
import { replay, type FoldInput } from '../../../jobs/loans/engine/fold.ts';
import { toLoanState } from '../../../jobs/loans/engine/state.ts';
import { openLoan, readLoan, type OpenLoan } from '../../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../../jobs/loans/history/record-events.ts';
import { newEvent } from '../../../jobs/loans/history/new-event.ts';
import { readTerms } from '../../../jobs/loans/products/loan-terms.ts';
import * as steps from '../../../sql/business-day/chunk-steps.ts';
import { sql } from '../../../sql/database/db.ts';
import { loans } from '../../../sql/loans/loans.ts';
import { find } from '../../../sql/table.ts';
import { setBusinessDate } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { newStage } from '../../setup/world.ts';
import { DISBURSED, SCHEDULE, START, TERMS } from '../fixtures.ts';

vi.setConfig({ testTimeout: 180_000 });

const ago = fc.oneof(fc.constant(0), fc.constant(0), fc.integer({ min: 1, max: 45 }));
const AMOUNTS = ['100.00', '215.68', '315.60', '315.68', '631.36', '947.04'] as const;

/** Events that make a loan late or current. Some are entered after their effective date. */
const aStep = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('payment' as const),
      amount: fc.constantFrom(...AMOUNTS),
      ago,
      extra_payment_to: fc.constantFrom('principal' as const, 'next_installment' as const),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('reversal' as const), which: fc.nat(5) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('delinquency_pause' as const),
      ago,
      days: fc.integer({
        min: 1,
        max: 40,
      }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('moved' as const),
      from: fc.integer({
        min: 1,
        max: 6,
      }),
      periods: fc.integer({
        min: 1,
        max: 2,
      }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('spread' as const) }) },
);
type Step = typeof aStep extends fc.Arbitrary<infer Value> ? Value : never;

const aLife = fc.record({
  grace: fc.constantFrom(0, 0, 5, 35),
  taken: fc.array(fc.record({ after: fc.integer({ min: 20, max: 170 }), step: aStep }), {
    minLength: 3,
    maxLength: 12,
  }),
});

function eventOf(step: Step, day: string, known: OpenLoan['events']) {
  const since = addDays(day, 'ago' in step ? -step.ago : 0);
  const effective_date = since < START ? START : since;
  switch (step.kind) {
    case 'payment': {
      const { ago: _, ...paid } = step;
      return newEvent({ ...paid, effective_date });
    }
    case 'delinquency_pause':
      return newEvent({ kind: step.kind, effective_date, to: addDays(effective_date, step.days) });
    case 'reversal': {
      const undone = new Set(
        known.flatMap((event) => (event.kind === 'reversal' ? [event.reverses] : [])),
      );
      const paid = known.filter(({ id, kind }) => kind === 'payment' && !undone.has(id));
      const bounced = paid.at(-1 - (step.which % Math.max(paid.length, 1)));
      return bounced && newEvent({ kind: step.kind, effective_date, reverses: bounced.id });
    }
    case 'moved': {
      const by = { periods: step.periods, payment_day: null };
      const agreement = { rule: step.kind, from: step.from, by };
      return newEvent({ kind: 'schedule_agreed', effective_date, agreement });
    }
    default: {
      const agreement = { rule: step.kind, from: 'oldest_unpaid' } as const;
      return newEvent({ kind: 'schedule_agreed', effective_date, agreement });
    }
  }
}

const inOrder = (taken: readonly { after: number; step: Step }[]) =>
  taken.toSorted((one, other) => one.after - other.after);

/** Looks at each day, back to the last one on which the loan was less than `leastDays` late. */
function lateSince(life: FoldInput, leastDays: 1 | 30): string | null {
  let since: string | null = null;
  for (let day = life.as_of; day > START; day = addDays(day, -1)) {
    const state = toLoanState(replay({ ...life, as_of: day }).position, day);
    if (state.days_past_due < leastDays) return since;
    since = state.oldest_unpaid_due_date;
  }
  return since;
}

test('the first day is the oldest due date that was unpaid when the current delinquency began', () => {
  const terms = { ...TERMS, interest_rate: '0.10' };
  fc.assert(
    fc.property(aLife, fc.integer({ min: 40, max: 200 }), ({ grace, taken }, last) => {
      const events: LoanEvent[] = [DISBURSED];
      for (const { after, step } of inOrder(taken)) {
        const event = eventOf(step, addDays(START, after), events);
        if (event) events.push(event);
      }
      const as_of = addDays(START, last);
      const own = { ...terms, delinquency_grace_days: grace };
      const life = { terms: own, schedule: SCHEDULE, events, as_of };

      const { position } = replay(life);

      expect(firstDelinquencyDate(position, as_of, 1)).toBe(lateSince(life, 1));
      expect(firstDelinquencyDate(position, as_of, 30)).toBe(lateSince(life, 30));
    }),
    { numRuns: Number(process.env['LIVES'] ?? 300) },
  );
});

const stage = await newStage();

test('on every day, the stored and shown first day of delinquency equals the fold’s', async () => {
  const tenant = await stage.tenant(START);
  const products = new Map<number, string>();
  for (const delinquency_grace_days of [0, 5, 35])
    products.set(delinquency_grace_days, await newProduct(tenant, { delinquency_grace_days }));
  const Kept = z.object({ late: z.string().nullable(), reported: z.string().nullable() });

  await fc.assert(
    fc.asyncProperty(aLife, async ({ grace, taken }) => {
      await setBusinessDate(tenant, START);
      const { id } = await newLoan(tenant, { product_id: products.get(grace) });
      for (let at = 28; at <= 180; at += 1) {
        const day = addDays(START, at);
        await setBusinessDate(tenant, day);
        const chunk = { first_loan_id: id, before_loan_id: null, cob_date: day };
        const state = {
          is_accrued: false,
          done_at: null,
          unbilled_month: null,
          has_ended_reliefs: false,
        };
        await tenant.within(({ tx }) => steps.ageLoans(tx, { ...chunk, ...state }, day));
        for (const { step } of inOrder(taken).filter(({ after }) => after === at))
          await tenant.within(async (work) => {
            const loan = await openLoan(work, id);
            const event = eventOf(step, day, loan.events);
            if (event) await recordEvents(work, loan, [event]);
          });
        const { row, kept, loan } = await tenant.within(async (work) => ({
          row: await find(work.tx, loans, id),
          kept: await work.tx.one(sql.type(Kept)`
            select first_delinquency_date as late, first_delinquency_30_date as reported
            from loans where id = ${id}`),
          loan: await readLoan(work, id),
        }));
        const life = { terms: readTerms(loan.row), schedule: loan.schedule, events: loan.events };
        const { position } = replay({ ...life, as_of: day });
        const first = firstDelinquencyDate(position, day, 1);
        const reported = firstDelinquencyDate(position, day, 30);
        expect([kept, row?.['first_delinquency_date']], `on ${day}`).toEqual([
          { late: first, reported },
          first,
        ]);
      }
    }),
    { numRuns: Number(process.env['LIVES'] ?? 4) },
  );
});
