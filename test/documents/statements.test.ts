import { Big } from 'big.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { eventTypes } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { newProduct } from '../setup/products.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const Figures = z.looseObject({
  period_start: z.string(),
  period_end: z.string(),
  summary: z.record(z.string(), z.string()),
  due: z.record(z.string(), z.any()),
  activity: z.array(z.looseObject({ kind: z.string(), amount: z.string() })),
});
const Statement = z.object({ statement_month: z.string(), figures: Figures });

const statementsOf = (tenant: Tenant, loanId: string) =>
  tenant.within(({ tx }) =>
    tx.any(sql.type(Statement)`
      select statement_month, figures from statements where loan_id = ${loanId}
      order by statement_month
    `),
  );

/** Previous balance plus all additions, minus all deductions. */
const comesTo = (summary: Record<string, string>) => {
  const amountOf = (name: string) => new Big(summary[name] ?? 'NaN');
  return amountOf('previous_balance')
    .plus(amountOf('disbursements'))
    .plus(amountOf('interest'))
    .plus(amountOf('fees'))
    .minus(amountOf('payments'))
    .minus(amountOf('credits'))
    .toFixed(2);
};

const pay = (tenant: Tenant, loanId: string, amount: string, payment_date: string) =>
  tenant.officer.post(`/loans/${loanId}/payments`, {
    amount,
    payment_date,
    payment_method: 'check',
  });

test('a statement equals the API’s figures for its day, and adds up', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);

  await travelTo(stage, tenant, '2026-02-01');
  const first = await tenant.officer.get(`/loans/${loan.id}/get-balances`);
  await travelTo(stage, tenant, '2026-02-16');
  const paid = await pay(tenant, loan.id, '315.68', '2026-02-16');
  await travelTo(stage, tenant, '2026-03-01');
  const second = await tenant.officer.get(`/loans/${loan.id}/get-balances`);

  const [january, february] = await statementsOf(tenant, loan.id);
  expect(paid.status).toBe(201);
  expect(january?.figures).toMatchObject({
    period_start: '2026-01-01',
    period_end: '2026-01-31',
    summary: {
      previous_balance: '0.00',
      disbursements: '10000.00',
      payments: '0.00',
      credits: '0.00',
      fees: '0.00',
      new_balance: first.body.total_balance,
    },
    due: {
      next_due_date: first.body.next_payment_date,
      regular_payment: first.body.next_payment_amount,
      past_due: '0.00',
    },
  });
  expect(february?.figures).toMatchObject({
    period_start: '2026-02-01',
    summary: {
      previous_balance: january?.figures.summary['new_balance'],
      disbursements: '0.00',
      payments: '315.68',
      credits: '0.00',
      new_balance: second.body.total_balance,
    },
    due: { next_due_date: second.body.next_payment_date },
    loan: { accrued_interest: second.body.accrued_interest },
  });
  for (const statement of [january, february]) {
    const summary = statement?.figures.summary ?? {};
    expect(comesTo(summary)).toBe(summary['new_balance']);
  }
});

test('a reversed payment, a late one and an advance still add up to the amount owed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-16');
  const bounced = await pay(tenant, loan.id, '315.68', '2026-02-16');
  await travelTo(stage, tenant, '2026-03-03');
  const undone = await tenant.officer.post(`/payments/${bounced.body.id}/reverse`, {
    reason: 'nsf',
  });
  await travelTo(stage, tenant, '2026-03-20');
  await pay(tenant, loan.id, '700.00', '2026-03-05');
  await travelTo(stage, tenant, '2026-04-01');
  const balances = await tenant.officer.get(`/loans/${loan.id}/get-balances`);

  const statements = await statementsOf(tenant, loan.id);
  const march = statements.at(-1)?.figures;
  expect(undone.status).toBe(200);
  expect(statements).toHaveLength(3);
  for (const { figures } of statements) {
    expect(comesTo(figures.summary)).toBe(figures.summary['new_balance']);
    expect(figures.activity.at(-1)?.['balance']).toBe(figures.summary['new_balance']);
  }
  expect(march?.summary).toMatchObject({
    payments: '384.32',
    credits: '0.00',
    new_balance: balances.body.total_balance,
  });
  expect(march?.activity.map(({ kind, amount }) => [kind, amount])).toEqual([
    ['payment_reversed', '315.68'],
    ['payment', '-700.00'],
    ['interest', march?.summary['interest']],
  ]);
});

test('returned or reallocated money is also on the statement', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' });
  const line = await newLoan(tenant, { principal_amount: '1000.00', product_id });
  await travelTo(stage, tenant, '2026-01-20');
  const paid = await pay(tenant, line.id, '600.00', '2026-01-20');
  const spare = await pay(tenant, line.id, '600.00', '2026-01-20');
  await travelTo(stage, tenant, '2026-02-10');
  await tenant.officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'nsf' });
  const refund = await tenant.officer.post(`/loans/${line.id}/payments/reimbursement`, {
    amount: '50.00',
    payment_id: spare.body.id,
    method: 'check',
    reason: 'Overpaid',
  });

  await travelTo(stage, tenant, '2026-03-01');

  const statement = (await statementsOf(tenant, line.id)).at(-1)?.figures;
  const activity = statement?.activity ?? [];
  const moved = activity.reduce((sum, { amount }) => sum.plus(amount), new Big(0));
  expect(refund.status).toBe(201);
  expect(activity.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['payment_reversed', 'refund', 'applied_otherwise']),
  );
  expect(moved.plus(statement?.summary['previous_balance'] ?? 'NaN').toFixed(2)).toBe(
    statement?.summary['new_balance'],
  );
});

test('the statement of a boarded loan starts with its boarded balance', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const borrower = await tenant.officer.post('/borrowers', { first_name: 'Ada', last_name: 'B' });
  const boarded = await tenant.officer.post('/loans/board', {
    borrower_id: borrower.body.id,
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
    loan_number: 'OLD-1',
    principal_amount: '10000.00',
    current_principal_balance: '8000.00',
    interest_rate: '0.085',
    term_months: 36,
    origination_date: '2025-07-15',
    first_payment_date: '2025-08-15',
    accrued_interest: '12.34',
    status: 'active',
  });

  await travelTo(stage, tenant, '2026-02-01');

  const [january] = await statementsOf(tenant, boarded.body.id);
  const summary = january?.figures.summary ?? {};
  expect(summary).toMatchObject({
    previous_balance: '8012.34',
    disbursements: '0.00',
    credits: '0.00',
  });
  expect(comesTo(summary)).toBe(summary['new_balance']);
});

test('statements become documents that are stored once, announced once and mailed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await tenant.officer.post(`/borrowers/${loan.borrower_id}/emails`, { email: 'g@example.com' });
  const outside = newOutside(stage.pool);
  await travelTo(stage, tenant, '2026-02-01');

  await runJobs(stage, outside);
  const { body } = await tenant.officer.get('/documents?document_type=monthly_statement');
  const read = await tenant.officer.get(`/documents/${body[0].id}`);
  const logs = await tenant.officer.get('/communication-logs');

  const balances = await tenant.officer.get(`/loans/${loan.id}/get-balances`);
  const key = `${tenant.slug}/${loan.id}/monthly_statement/statement-2026-01.pdf`;
  expect(body).toHaveLength(1);
  expect(read.body).toMatchObject({
    status: 'uploaded',
    source: 'generated',
    storage_key: key,
    page_count: 1,
    download_url: expect.stringContaining('https://'),
  });
  expect(outside.stored.has(key)).toBe(true);
  expect(outside.pages.at(-1)).toContain('Grace Hopper');
  expect(outside.pages.at(-1)).toContain(
    Number(balances.body.total_balance).toLocaleString('en-US', { minimumFractionDigits: 2 }),
  );
  expect(outside.mailbox).toMatchObject([
    { to: { address: 'g@example.com' }, attachments: [{ filename: 'statement-2026-01.pdf' }] },
  ]);
  expect(logs.body).toMatchObject([
    { template_type: 'statement_ready', status: 'sent', triggered_by: 'system' },
  ]);
  // One for the loan's disclosure and one for the statement.
  expect((await eventTypes(tenant)).filter((type) => type === 'document.generated')).toHaveLength(
    2,
  );
});

test('a borrower without email gets the statement by post', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await tenant.officer.post(`/borrowers/${loan.borrower_id}/addresses`, {
    street_line_1: '1 Main Street',
    city: 'Arlington',
    state: 'VA',
    postal_code: '22201',
  });
  const outside = newOutside(stage.pool);
  await travelTo(stage, tenant, '2026-02-01');

  await runJobs(stage, outside);

  const logs = await tenant.officer.get('/communication-logs');
  expect(logs.body).toMatchObject([{ channel: 'letter', status: 'sent', provider: 'letters' }]);
  expect([...outside.stored.keys()]).toContain(
    `${tenant.slug}/outbox/letters/${logs.body[0].id}.pdf`,
  );
});
