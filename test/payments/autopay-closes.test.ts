import { Big } from 'big.js';
import * as fc from 'fast-check';
import { expect, test, vi } from 'vitest';
import { addDays } from '../../jobs/dates.ts';
import {
  completeTerms,
  DAY_COUNTS,
  INTEREST_METHODS,
  PAYMENT_FREQUENCIES,
} from '../../jobs/loans/arithmetic/terms.ts';
import type { LoanEvent } from '../../jobs/loans/engine/events.ts';
import { fold } from '../../jobs/loans/engine/fold.ts';
import { firstSchedule } from '../../jobs/loans/schedule/first-schedule.ts';
import { money } from '../../jobs/money.ts';
import {
  nextAutopayDueDate,
  autopayRunDate,
} from '../../jobs/loans/history/autopay/autopay-dates.ts';
import { drawAmount } from '../../jobs/loans/history/autopay/draw-amount.ts';
import type { AutopayPlan } from '../../sql/loans/open-autopay-plan.ts';
import { payment, SCHEDULE, stateOn } from '../loans/fixtures.ts';

vi.setConfig({ testTimeout: 300_000 });
const START = '2026-01-31';

const anyContract = fc.record({
  principal: fc.integer({ min: 50_000, max: 5_000_000 }).map((c) => (c / 100).toFixed(2)),
  terms: fc.record({
    interest_rate: fc.constantFrom('0', '0.0399', '0.085', '0.2999'),
    day_count: fc.constantFrom(...DAY_COUNTS),
    interest_method: fc.constantFrom(...INTEREST_METHODS),
    payment_frequency: fc.constantFrom(...PAYMENT_FREQUENCIES),
    extra_payment_to: fc.constantFrom('principal', 'next_installment'),
    term_months: fc.integer({ min: 1, max: 18 }),
  }),
  first: fc.option(fc.integer({ min: 1, max: 90 })),
  /** Days until a fee is assessed. Some fees come after the last due date. */
  fee: fc.option(fc.integer({ min: 0, max: 600 })),
});

const anyPlan = fc.record({
  amount_type: fc.constantFrom(
    'minimum_due',
    'minimum_due_plus',
    'past_due_and_current',
    'statement_balance',
  ),
  frequency: fc.constantFrom('on_due_date', 'on_due_date', 'monthly', 'biweekly'),
  days_before_due: fc.integer({ min: 0, max: 10 }),
  start: fc.integer({ min: 0, max: 400 }),
});

test('autopay alone repays any loan completely', () => {
  fc.assert(
    fc.property(anyContract, anyPlan, (contract, wish) => {
      const terms = completeTerms(contract.terms);
      const { principal, first } = contract;
      const first_payment_date = first === null ? null : addDays(START, first);
      const schedule = firstSchedule(
        {
          ...terms,
          first_payment_rule: 'next_month_on_payment_day',
          min_days_to_first_payment: 15,
        } as never,
        { principal: new Big(principal), on: START, first_payment_date, spread_fees: new Big(0) },
      );
      const events: LoanEvent[] = [
        { id: 'd', kind: 'disbursement', effective_date: START, amount: principal },
      ];
      if (contract.fee !== null) {
        const effective_date = addDays(START, contract.fee);
        events.push({ id: 'f', kind: 'fee', effective_date, amount: '38.70' });
      }
      const on = (as_of: string) => fold({ terms, schedule, events, as_of });
      const start_date = addDays(START, wish.start);
      const plan = {
        ...wish,
        start_date,
        end_date: null,
        day_of_month: null,
        extra_amount: '10.00',
        drawn_through: addDays(start_date, -1),
      } as unknown as AutopayPlan;
      let today = start_date;
      for (let turn = 0; turn < 200; turn += 1) {
        const due = nextAutopayDueDate(plan, on(today));
        if (due === null) break;
        const run = autopayRunDate(plan, due);
        if (run > today) today = run;
        const state = on(today);
        const amount = drawAmount(plan, state, due);
        plan.drawn_through = due;
        if (amount.gt(0))
          events.push({
            id: `p${String(turn).padStart(4, '0')}`,
            kind: 'payment',
            effective_date: today,
            amount: money(amount),
          });
        if (on(today).is_paid_off && today > addDays(START, contract.fee ?? 0)) break;
      }
      const end = on(today);
      expect(end.total_balance).toBe('0.00');
      expect(end.suspense_balance).toBe('0.00');
    }),
    { numRuns: Number(process.env['LIVES'] ?? 60) },
  );
});

test('the last draw includes the rest of an earlier installment', () => {
  const short = (Number(SCHEDULE[34]?.payment_amount) - 38.7).toFixed(2);
  const paid = SCHEDULE.slice(0, 35).map(({ due_date, payment_amount }, index) => ({
    id: `p${index + 10}`,
    kind: 'payment' as const,
    effective_date: due_date,
    amount: index === 34 ? short : payment_amount,
  }));
  const last = SCHEDULE[35]?.due_date ?? '';
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- only the fields that the draw reads.
  const plan = { amount_type: 'minimum_due', frequency: 'on_due_date' } as AutopayPlan;

  const owing = stateOn(last, paid);
  const amount = money(drawAmount(plan, owing, last));
  const after = stateOn(last, [...paid, payment('z', last, amount)]);

  expect(owing.past_due_amount).toBe('38.70');
  expect(amount).toBe(owing.bill.amount_due);
  expect(after).toMatchObject({ total_balance: '0.00', suspense_balance: '0.00' });
});
