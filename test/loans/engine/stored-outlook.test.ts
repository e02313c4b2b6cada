import { Big } from 'big.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { addDays, daysBetween } from '../../../jobs/dates.ts';
import { finalPayment } from '../../../jobs/loans/engine/projection/final-payment.ts';
import { fold, replay } from '../../../jobs/loans/engine/fold.ts';
import type { LoanState } from '../../../jobs/loans/engine/state.ts';
import { openLoan, readLoan } from '../../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../../jobs/loans/history/record-events.ts';
import { newEvent } from '../../../jobs/loans/history/new-event.ts';
import { prepaymentPenalty } from '../../../jobs/loans/products/prepayment-penalty.ts';
import { readTerms } from '../../../jobs/loans/products/loan-terms.ts';
import { money } from '../../../jobs/money.ts';
import { sql } from '../../../sql/database/db.ts';
import { loans } from '../../../sql/loans/loans.ts';
import { OUTLOOK_COLUMNS } from '../../../sql/loans/outlook.ts';
import { find } from '../../../sql/table.ts';
import { setBusinessDate } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { newStage } from '../../setup/world.ts';
import { aStory, eventOn, START } from '../any-story.ts';

const stage = await newStage();

test('the API’s values of a loan on any later day equal the fold of its history', async () => {
  const tenant = await stage.tenant(START);
  const spread = {
    fee_type: 'origination',
    trigger: 'disbursement',
    treatment: 'amortized',
    calculation: 'flat',
    amount: '120.35',
  };
  const products = [
    await tenant.first('/products'),
    await newProduct(tenant, {
      fee_rules: [spread],
      prepayment_penalty: { calculation: 'percent_of_principal', percentage: '0.0123' },
    }),
    await newProduct(tenant, { interest_method: 'interest_only', delinquency_grace_days: 5 }),
    await newProduct(tenant, {
      interest_method: 'scheduled',
      day_count: '30_360',
      prepayment_penalty: {
        calculation: 'flat',
        amount: '75.00',
        within_months: 7,
      },
    }),
    await newProduct(tenant, { interest_method: 'flat', extra_payment_to: 'next_installment' }),
  ];

  await fc.assert(
    fc.asyncProperty(aStory, async ({ product, events, looks, ...terms }) => {
      await setBusinessDate(tenant, START);
      const { id } = await newLoan(tenant, { ...terms, product_id: products[product] });
      const dated = events.toSorted((one, other) => one.after - other.after);
      for (const { after, what } of dated) {
        await setBusinessDate(tenant, addDays(START, after));
        await tenant.within(async (work) =>
          recordEvents(work, await openLoan(work, id), [eventOn(work.today, what)]),
        );
      }
      const last = dated.at(-1)?.after ?? 0;
      const since = addDays(START, last);
      for (const later of looks.toSorted((one, other) => one - other)) {
        const day = addDays(START, last + later);
        await setBusinessDate(tenant, day);
        const { row, loan, penalty } = await tenant.within(async (work) => ({
          row: await find(work.tx, loans, id),
          loan: await readLoan(work, id),
          penalty: await work.tx.oneFirst(sql.type(z.object({ penalty: z.string() }))`
            select prepayment_penalty::text as penalty from loan_outlook
            where loan_id = ${id} and ${day}::date between from_date and until_date
          `),
        }));
        const { events: happened, schedule } = loan;
        const life = { terms: readTerms(loan.row), schedule, events: happened };
        const state = fold({ ...life, as_of: day });
        const final = finalPayment(replay({ ...life, as_of: since }));
        expect(row, `as of ${day}, ${daysBetween(START, day)} days on`).toMatchObject({
          ...seenOf(state),
          final_payment_amount: finalOf(state, final),
        });
        expect(penalty, `as of ${day}`).toBe(money(prepaymentPenalty(loan.row, state)));
        expect(new Big(String(row?.['past_due_30_amount'])).lte(state.past_due_amount)).toBe(true);
      }
    }),
    { numRuns: Number(process.env['LIVES'] ?? 40) },
  );
}, 120_000);

/** The fields that both the row and the fold contain. */
const seenOf = ({ bill, ...state }: LoanState) => ({
  principal_balance: state.principal_balance,
  accrued_interest: state.accrued_interest,
  outstanding_fees: state.outstanding_fees,
  total_balance: state.total_balance,
  days_past_due: state.days_past_due,
  delinquency_bucket: state.delinquency_bucket,
  next_payment_date: state.next_payment_date,
  next_payment_amount: state.next_payment_amount,
  past_due_amount: state.past_due_amount,
  past_due_principal: bill.past_due.principal,
  past_due_interest: bill.past_due.interest,
  past_due_fees: bill.past_due.fees,
  fees_due: bill.fees_due,
  amount_due: bill.amount_due,
});

/** The final payment as of the last event, until it is the next payment itself. */
function finalOf({ bill, ...state }: LoanState, kept: Big | null): string | null {
  if (state.total_balance === '0.00') return null;
  if (bill.due_date === null) return state.next_payment_amount;
  if (bill.due_date === state.maturity_date) return bill.installment.amount;
  return kept && money(kept);
}

test('the last installment bills a remaining fee when all are covered, in SQL too', async () => {
  const tenant = await stage.tenant(START);
  const product_id = await newProduct(tenant, { extra_payment_to: 'next_installment' });
  const { id } = await newLoan(tenant, { product_id, term_months: 3, interest_rate: '0' });
  const events = [
    newEvent({ kind: 'fee', effective_date: START, amount: '25.00' }),
    newEvent({ kind: 'payment', effective_date: START, amount: '10000.00' }),
  ];
  const { state, row } = await tenant.within(async (work) => ({
    state: await recordEvents(work, await openLoan(work, id), events),
    row: await find(work.tx, loans, id),
  }));

  expect(state).toMatchObject({ next_payment_amount: '25.00', past_due_amount: '0.00' });
  expect(row).toMatchObject({
    next_payment_amount: '25.00',
    next_payment_date: state.next_payment_date,
    final_payment_amount: '25.00',
    payments_remaining: 1,
    past_due_amount: '0.00',
  });
});

test('prepaid unearned interest lowers the last installment, in SQL too', async () => {
  const tenant = await stage.tenant(START);
  const product_id = await newProduct(tenant, { interest_method: 'scheduled' });
  const wish = { principal_amount: '500.00', term_months: 1, interest_rate: '0.12' };
  const { id } = await newLoan(tenant, { product_id, ...wish });
  const events = [
    newEvent({ kind: 'payment', effective_date: START, amount: '1.00' }),
    newEvent({ kind: 'accrual_stop', effective_date: START, reason: 'freeze' }),
  ];
  const read = (fresh: typeof events) =>
    tenant.within(async (work) => ({
      state: await recordEvents(work, await openLoan(work, id), fresh),
      row: await find(work.tx, loans, id),
    }));

  const before = await read(events);
  await setBusinessDate(tenant, '2023-12-25');
  const late = await read([]);

  const asked = { next_payment_amount: '499.00', amount_due: '499.00', total_balance: '500.00' };
  expect(before.row).toMatchObject({ ...asked, ...seenOf(before.state), past_due_amount: '0.00' });
  expect(late.row).toMatchObject({ ...asked, ...seenOf(late.state), past_due_amount: '499.00' });
  for (const { row } of [before, late]) expect(row?.['final_payment_amount']).toBe('499.00');
});

test('the columns of an outlook are written in the order of the table', async () => {
  const { rows } = await stage.owner.query<{ name: string }>(
    `select attname as name from pg_attribute
     where attrelid = 'loan_outlook'::regclass and attnum > 0 and not attisdropped order by attnum`,
  );

  expect(rows.map(({ name }) => name)).toEqual(['tenant_id', ...OUTLOOK_COLUMNS]);
});
