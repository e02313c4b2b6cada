import { expect, test } from 'vitest';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const forbear = (tenant: Tenant, id: string, body: Record<string, unknown> = {}) =>
  tenant.officer.post(`/loans/${id}/forbearances`, {
    start_date: '2026-02-10',
    end_date: '2026-03-20',
    reason: 'Illness',
    ...body,
  });
const due = (plan: { body: { due_date: string; payment_amount: string }[] }, count: number) =>
  plan.body.slice(0, count).map(({ due_date, payment_amount }) => [due_date, payment_amount]);

test('a forbearance pauses delinquency and interest, and afterwards the loan is as before', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);

  const made = await forbear(tenant, loan.id, { interest_accrues: false });
  await travelTo(stage, tenant, '2026-03-20');
  const during = await tenant.officer.get(`/loans/${loan.id}`);
  const active = await tenant.officer.get(`/forbearances/${made.body.id}`);
  await travelTo(stage, tenant, '2026-03-26');
  const after = await tenant.officer.get(`/loans/${loan.id}`);

  expect(made).toMatchObject({ status: 201, body: { status: 'scheduled' } });
  expect(active.body.status).toBe('active');
  // 26 days of 10000.00 at 0.085, from the disbursement to February 10.
  expect(during.body).toMatchObject({ days_past_due: 0, accrued_interest: '60.55' });
  // Plus five days, from March 21 to March 26.
  expect(after.body).toMatchObject({
    days_past_due: 6,
    accrued_interest: '72.19',
    past_due_amount: '631.36',
  });
  expect(await balancesByRole(tenant)).toMatchObject({ interest_receivable: '72.19' });
  expect((await tenant.officer.get(`/forbearances/${made.body.id}`)).body.status).toBe('completed');
});

test.each([
  ['extend_term', [['2026-04-15', '315.68']], '2029-03-15', 36],
  ['deferred_balance', [['2026-02-15', '0.00']], '2029-01-15', 36],
  ['re_amortize', [['2026-04-15', '331.99']], '2029-01-15', 34],
])('missed payments are treated by %s', async (end_treatment, first, maturity, rows) => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await forbear(tenant, loan.id, { end_treatment });
  await travelTo(stage, tenant, '2026-03-22');

  const plan = await tenant.officer.get(`/loans/${loan.id}/amortization`);
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);

  expect(due(plan, 1)).toEqual(first);
  expect(plan.body).toHaveLength(rows);
  expect(plan.body.at(-1)).toMatchObject({ due_date: maturity, ending_balance: '0.00' });
  expect(body).toMatchObject({ days_past_due: 0, past_due_amount: '0.00' });
});

test('a forbearance lowers installments, and the difference is billed afterwards', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  await forbear(tenant, loan.id, {
    forbearance_type: 'reduced_payment',
    reduced_payment_amount: '100.00',
    start_date: '2026-01-15',
  });

  const plan = await tenant.officer.get(`/loans/${loan.id}/amortization`);

  expect(due(plan, 4)).toEqual([
    ['2026-02-15', '100.00'],
    ['2026-03-15', '100.00'],
    ['2026-04-15', '747.04'],
    ['2026-05-15', '315.68'],
  ]);
  expect(plan.body.at(-1).ending_balance).toBe('0.00');
});

test('no late fee is charged for the forbearance period, during it or later', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, {
    fee_rules: [{ fee_type: 'late', calculation: 'flat', trigger: 'past_due', amount: '25.00' }],
  });
  const loan = await newLoan(tenant, { product_id });
  const other = await newLoan(tenant, { product_id });
  await forbear(tenant, loan.id);
  await travelTo(stage, tenant, '2026-03-25');

  const spared = await tenant.officer.get(`/loans/${loan.id}/fees`);
  const charged = await tenant.officer.get(`/loans/${other.id}/fees`);

  expect(spared.body).toEqual([]);
  expect(charged.body.map((fee: { fee_type: string }) => fee.fee_type)).toEqual(['late']);
});

test('forbearances never overlap; a future one can be canceled and a current one ended', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const dates = { start_date: '2026-01-15', end_date: '2026-02-28' };

  const active = await forbear(tenant, loan.id, dates);
  const overlapping = await forbear(tenant, loan.id);
  const later = await forbear(tenant, loan.id, { start_date: '2026-03-01' });
  const canceled = await tenant.officer.delete(`/forbearances/${later.body.id}`);
  const immutable = await tenant.officer.delete(`/forbearances/${active.body.id}`);
  await travelTo(stage, tenant, '2026-02-20');
  const ended = await tenant.officer.post(`/forbearances/${active.body.id}/end`, {
    status: 'broken',
  });
  const again = await tenant.officer.post(`/forbearances/${active.body.id}/end`);
  const { body } = await tenant.officer.get(`/loans/${loan.id}`);

  expect(active).toMatchObject({ status: 201, body: { status: 'active' } });
  expect(overlapping).toMatchObject({ status: 409, body: { code: 'overlaps' } });
  expect(canceled.body.status).toBe('canceled');
  expect(immutable).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(ended).toMatchObject({ status: 200, body: { status: 'broken', end_date: '2026-02-19' } });
  expect(again).toMatchObject({ status: 409, body: { code: 'immutable' } });
  expect(body.days_past_due).toBe(1);
});
