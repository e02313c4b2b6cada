import { Big } from 'big.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const Statement = z.object({
  figures: z.looseObject({
    summary: z.record(z.string(), z.string()),
    due: z.record(z.string(), z.any()),
    activity: z.array(z.looseObject({ kind: z.string(), amount: z.string() })),
  }),
});

test('fees that are deducted, capitalized or spread over installments also add up', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const rule = { fee_type: 'origination', trigger: 'disbursement', calculation: 'flat' };
  const product_id = await newProduct(tenant, {
    public_name: 'Your first loan',
    fee_rules: [
      { ...rule, amount: '100.00', treatment: 'deducted' },
      { ...rule, amount: '200.00', treatment: 'capitalized' },
      { ...rule, amount: '360.00', treatment: 'amortized' },
    ],
  });
  const { id } = await newLoan(tenant, { product_id });

  await travelTo(stage, tenant, '2026-02-01');
  const { summary, due, activity, loan } = await tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(Statement)`select figures from statements where loan_id = ${id}`),
  );

  const balances = await tenant.officer.get(`/loans/${id}/get-balances`);
  expect(summary).toMatchObject({
    disbursements: '10000.00',
    fees: '660.00',
    payments: '100.00',
    credits: '0.00',
    new_balance: balances.body.total_balance,
  });
  const lines = activity.map(({ kind, amount }) => [kind, amount]);
  expect(lines).toContainEqual(['fee_deducted', '-100.00']);
  expect(lines.map(([kind]) => kind)).not.toContain('applied_otherwise');
  const moved = activity.reduce((total, { amount }) => total.plus(amount), new Big(0));
  expect(moved.toFixed(2)).toBe(summary['new_balance']);
  // The installment includes its part of the fee; no separate fee is due.
  expect(loan).toMatchObject({ product_name: 'Your first loan' });
  expect(due).toMatchObject({ amount_due: '331.99', regular_payment: '331.99', fees: '0.00' });
});

test('the lender’s credits are listed by type, in the order of their recording', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-20');
  const credit = { amount: '40.00', apply_to: 'principal', reason: 'Goodwill' };
  const forgiving = {
    modification_type: 'principal_forgiveness',
    principal_forgiven: '100.00',
    interest_treatment: 'waive',
  };
  const done = [
    await officer.post(`/loans/${id}/service-credits`, credit),
    await officer.post(`/loans/${id}/fees`, { fee_type: 'legal', amount: '20.00' }),
    await officer.post(`/loans/${id}/payments`, { amount: '50.00', payment_method: 'check' }),
    await officer.post(`/loans/${id}/modifications`, forgiving),
  ];
  done.push(await officer.post(`/service-credits/${done[0]?.body.id}/reverse`, {}));
  expect(done.map(({ status }) => status < 300)).toEqual(done.map(() => true));

  await travelTo(stage, tenant, '2026-02-01');
  const { summary, activity } = await tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(Statement)`select figures from statements where loan_id = ${id}`),
  );

  const given = new Big(summary['credits'] ?? 'NaN');
  expect(given.gt('100.00')).toBe(true);
  expect(activity.map(({ kind, date, amount }) => [kind, date, amount])).toEqual([
    ['disbursement', '2026-01-15', '10000.00'],
    ['service_credit', '2026-01-20', '-40.00'],
    ['fee_legal', '2026-01-20', '20.00'],
    ['payment', '2026-01-20', '-50.00'],
    ['forgiveness', '2026-01-20', given.neg().toFixed(2)],
    ['credit_reversed', '2026-01-20', '40.00'],
    ['interest', '2026-01-31', summary['interest']],
  ]);
  expect(activity.at(-1)?.['balance']).toBe(summary['new_balance']);
});

test('a fee for a day that was already billed is on the next statement, under its own date', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const Kept = z.object({ statement_month: z.string(), figures: Statement.shape.figures });
  const statements = () =>
    tenant.within(({ tx }) =>
      tx.any(sql.type(Kept)`
        select statement_month, figures from statements where loan_id = ${id} order by 1
      `),
    );
  await travelTo(stage, tenant, '2026-02-01');
  const [printed] = await statements();
  await travelTo(stage, tenant, '2026-02-10');
  const fee = { fee_type: 'other', amount: '20.00', effective_date: '2026-01-20' };
  const charged = await tenant.officer.post(`/loans/${id}/fees`, fee);

  await travelTo(stage, tenant, '2026-03-01');
  const [january, february] = await statements();

  expect(charged.body).toMatchObject({ assessed_date: '2026-02-10', effective_date: '2026-01-20' });
  expect(january).toEqual(printed);
  expect(january?.figures.summary['fees']).toBe('0.00');
  expect(february?.figures.summary).toMatchObject({ fees: '20.00', credits: '0.00' });
  expect(february?.figures.activity).toContainEqual(
    expect.objectContaining({ kind: 'fee_other', date: '2026-01-20', amount: '20.00' }),
  );
});
