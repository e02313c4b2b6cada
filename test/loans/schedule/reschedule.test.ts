import { expect, test } from 'vitest';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

type Row = { period_number: number; due_date: string; payment_amount: string; status: string };
const planOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}/amortization`)).body as Row[];

test('a shift by periods moves all future installments, and a second one moves them further', async () => {
  const tenant = await stage.tenant('2026-01-31');
  const { id } = await newLoan(tenant, { payment_day: 31 });
  const books = await balancesByRole(tenant);

  const once = await tenant.officer.post(`/loans/${id}/reschedule`, { shift_periods: 1 });
  const plan = await planOf(tenant, id);
  const twice = await tenant.officer.post(`/loans/${id}/reschedule`, { shift_periods: 1 });

  expect(once).toMatchObject({ status: 200, body: { next_payment_date: '2026-03-31' } });
  expect(plan.slice(0, 3).map(({ due_date }) => due_date)).toEqual([
    '2026-03-31',
    '2026-04-30',
    '2026-05-31',
  ]);
  expect(plan).toHaveLength(36);
  expect(twice.body).toMatchObject({ next_payment_date: '2026-04-30', remaining_term: 36 });
  expect(await balancesByRole(tenant)).toEqual(books);
  expect(await violationsIn(stage)).toEqual([]);
});

test('the installment stays the same, and the longer period earns interest by the day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);

  const moved = await tenant.officer.post(`/loans/${id}/reschedule`, {
    new_first_payment_date: '2026-04-01',
  });
  const plan = await planOf(tenant, id);

  expect(moved.body).toMatchObject({
    first_payment_date: '2026-04-01',
    payment_amount: '315.68',
    maturity_date: '2029-03-01',
  });
  expect(plan.slice(0, -1).every(({ payment_amount }) => payment_amount === '315.68')).toBe(true);
});

test('if the maturity stays, fewer installments are higher', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);

  const moved = await tenant.officer.post(`/loans/${id}/reschedule`, {
    shift_periods: 2,
    extend_maturity: false,
  });

  expect(moved.body).toMatchObject({ maturity_date: '2029-01-15', remaining_term: 34 });
  expect(Number(moved.body.payment_amount)).toBeGreaterThan(315.68);
});

test('past due installments stay due when the rest is moved', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-20');

  const moved = await tenant.officer.post(`/loans/${id}/reschedule`, { shift_days: 10 });
  const plan = await planOf(tenant, id);

  expect(moved.body).toMatchObject({ days_past_due: 5, next_payment_date: '2026-03-25' });
  expect(plan[0]).toMatchObject({ due_date: '2026-02-15', status: 'past_due' });
});

test('single installments are moved by number and stay in order', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);

  const moved = await tenant.officer.post(`/loans/${id}/reschedule`, {
    installments: [{ number: 1, due_date: '2026-03-01', amount: '200.00' }],
  });
  const behind = await tenant.officer.post(`/loans/${id}/reschedule`, {
    installments: [{ number: 2, due_date: '2026-04-20' }],
  });
  const unknown = await tenant.officer.post(`/loans/${id}/reschedule`, {
    installments: [{ number: 99, due_date: '2026-04-20' }],
  });

  expect(moved.body).toMatchObject({
    next_payment_date: '2026-03-01',
    next_payment_amount: '200.00',
  });
  expect(behind.status).toBe(422);
  expect(unknown).toMatchObject({
    body: { errors: { 'installments.0.number': expect.any(String) } },
  });
});

test('a reschedule needs exactly one method and cannot move into the past', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const refused = [
    {},
    { shift_days: 1, shift_periods: 1 },
    { new_first_payment_date: '2026-01-15' },
    { new_first_payment_date: '2028-01-15' },
    { shift_days: 5, effective_date: '2026-01-14' },
  ];

  const replies = [];
  for (const body of refused) {
    replies.push((await tenant.officer.post(`/loans/${id}/reschedule`, body)).status);
  }

  expect(replies).toEqual(refused.map(() => 422));
});

test('a new payment day starts with the next installment and keeps the end of the month', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);

  const changed = await tenant.officer.post(`/loans/${id}/change-due-date`, { payment_day: 31 });
  const again = await tenant.officer.post(`/loans/${id}/change-due-date`, { new_due_day: 31 });
  const plan = await planOf(tenant, id);

  expect(changed).toMatchObject({
    status: 200,
    body: { payment_day: 31, next_payment_date: '2026-02-28', next_payment_amount: '315.68' },
  });
  expect(again).toMatchObject({ status: 200, body: { next_payment_date: '2026-02-28' } });
  expect(plan.slice(0, 3).map(({ due_date }) => due_date)).toEqual([
    '2026-02-28',
    '2026-03-31',
    '2026-04-30',
  ]);
});

test('an earlier day moves to the following month, and a fee needs a rule', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const product = await tenant.officer.get(`/products/${await tenant.first('/products')}`);
  const admin = await tenant.signedIn('admin');
  const charging = await admin.post('/products', {
    ...product.body,
    code: 'CHARGING',
    fee_rules: [
      {
        fee_type: 'due_date_change',
        calculation: 'flat',
        amount: '15.00',
        trigger: 'due_date_change',
      },
    ],
  });
  const charged = await newLoan(tenant, { product_id: charging.body.id });

  const free = await tenant.officer.post(`/loans/${id}/change-due-date`, {
    payment_day: 5,
    charge_fee: true,
  });
  const paid = await tenant.officer.post(`/loans/${charged.id}/change-due-date`, {
    payment_day: 5,
    charge_fee: true,
  });
  const missing = await tenant.officer.post(`/loans/${id}/change-due-date`, {});

  expect(free).toMatchObject({ status: 422, body: { errors: { charge_fee: expect.any(String) } } });
  expect(paid.body).toMatchObject({ next_payment_date: '2026-03-05', outstanding_fees: '15.00' });
  expect(missing.status).toBe(422);
  expect(await balancesByRole(tenant)).toMatchObject({
    fees_receivable: '15.00',
    fee_income: '-15.00',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('an installment moved behind later ones is past due when another plan is reversed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  const { body: modification } = await admin.post(`/loans/${id}/modifications`, {
    modification_type: 'due_date_change',
    new_payment_day: 14,
    reason: 'hardship',
  });

  const named = await admin.post(`/loans/${id}/reschedule`, {
    installments: [{ number: 1, due_date: '2026-04-10' }],
  });
  await admin.post(`/modifications/${modification.id}/reverse`);
  const undone = await admin.get(`/loans/${id}`);
  await travelTo(stage, tenant, '2026-04-12');
  const late = await admin.get(`/loans/${id}`);

  expect(named.body).toMatchObject({ next_payment_date: '2026-04-10' });
  expect(undone.body).toMatchObject({ next_payment_date: '2026-03-15', payments_remaining: 36 });
  expect(late.body).toMatchObject({ past_due_amount: '631.36', next_payment_date: '2026-04-15' });
  expect(await violationsIn(stage)).toEqual([]);
});
