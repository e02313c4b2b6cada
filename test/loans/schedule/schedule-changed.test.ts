import { expect, test } from 'vitest';
import { z } from 'zod';
import { money, parseMoney, sum } from '../../../jobs/money.ts';
import { sql } from '../../../sql/database/db.ts';
import { setBusinessDate } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

type Row = Record<string, string> & { installments?: Row[] };

const versionsOf = async ({ officer }: Tenant, id: string, query = '') =>
  (await officer.get(`/loans/${id}/schedule-versions${query}`)).body as Row[];

const tasksOf = async ({ officer }: Tenant, id: string) =>
  (await officer.get(`/tasks?loan_id=${id}`)).body as Row[];

const Notice = z.object({ body: z.string().nullable(), channel: z.string(), status: z.string() });

const noticesOf = ({ within }: Tenant, id: string) =>
  within(({ tx }) =>
    tx.any(sql.type(Notice)`
      select body, channel, status from communication_logs
      where loan_id = ${id} and template_type = 'schedule_changed' order by id
    `),
  );

const reachable = ({ officer }: Tenant, borrower: string) =>
  officer.post(`/borrowers/${borrower}/emails`, { email: 'grace@example.com' });

/** 12,000 lent and 4,000 repaid immediately. The remainder was then amortized again. */
async function amortizedAnew(tenant: Tenant, { isReachable = true } = {}) {
  const { officer } = tenant;
  const loan = await newLoan(tenant, {
    principal_amount: '12000.00',
    term_months: 24,
    disbursement_date: '2026-01-15',
  });
  if (isReachable) await reachable(tenant, loan.borrower_id);
  const extra = await officer.post(`/loans/${loan.id}/payments`, {
    amount: '4000.00',
    payment_type: 'extra_principal',
    effective_date: '2026-01-16',
  });
  const anew = await officer.post(`/loans/${loan.id}/modifications`, {
    modification_type: 're_amortize',
    reason: 'other',
  });
  expect(anew.status, JSON.stringify(anew.body)).toBe(201);
  return { ...loan, payment: String(extra.body.id), modification: String(anew.body.id) };
}

const totalOf = (rows: readonly Row[], column: string) =>
  sum(rows.map((row) => parseMoney(row[column] ?? '')));

test('when a returned payment changes the schedule, the installments repay the balance and the borrower is notified', async () => {
  const tenant = await stage.tenant('2026-01-20');
  const loan = await amortizedAnew(tenant);
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  await admin.post(`/loans/${loan.id}/assign-officer`, {
    loan_officer_id: tenant.userIds['loan_officer'],
  });
  const agreed = (await officer.get(`/loans/${loan.id}/amortization`)).body as Row[];

  const back = await officer.post(`/payments/${loan.payment}/reverse`, {
    reason: 'nsf',
    return_code: 'R01',
  });
  const rows = (await officer.get(`/loans/${loan.id}/amortization`)).body as Row[];
  const shown = (await officer.get(`/loans/${loan.id}`)).body as Row;
  const versions = await versionsOf(tenant, loan.id);
  const [named] = await versionsOf(tenant, loan.id, '?version=2');
  const tasks = await tasksOf(tenant, loan.id);
  const notices = await noticesOf(tenant, loan.id);

  expect(back.status, JSON.stringify(back.body)).toBe(200);
  expect(totalOf(agreed, 'payment_amount').lt(9000)).toBe(true);
  expect(shown['principal_balance']).toBe('12000.00');
  const interest = totalOf(rows, 'interest_amount');
  expect(money(totalOf(rows, 'payment_amount'))).toBe(money(interest.plus('12000.00')));
  expect(rows.at(-1)?.['ending_balance']).toBe('0.00');
  expect(shown['payment_amount']).toBe(rows[0]?.['payment_amount']);
  expect(versions.map(({ version, reason, is_current }) => [version, reason, is_current])).toEqual([
    [3, 'payment_returned', true],
    [2, 'schedule_agreed', false],
    [1, 'disbursement', false],
  ]);
  expect(named?.installments).toHaveLength(24);
  expect(named?.installments?.[0]?.['payment_amount']).toBe(agreed[0]?.['payment_amount']);
  expect(tasks).toEqual([
    expect.objectContaining({
      title: expect.stringContaining('Review the new schedule of LN-') as string,
      assignee_id: tenant.userIds['loan_officer'],
      description: expect.stringContaining(
        `was ${agreed[0]?.['payment_amount']} on 2026-02-15`,
      ) as string,
    }),
  ]);
  expect(notices).toEqual([expect.objectContaining({ channel: 'email', status: 'queued' })]);
  expect(notices[0]?.body).toContain('An earlier payment was returned or reversed.');
});

test('a late-entered payment before a new schedule lowers its installments', async () => {
  const tenant = await stage.tenant('2026-01-20');
  const loan = await amortizedAnew(tenant);
  const before = (await tenant.officer.get(`/loans/${loan.id}`)).body as Row;

  await tenant.officer.post(`/loans/${loan.id}/payments`, {
    amount: '1000.00',
    payment_type: 'extra_principal',
    effective_date: '2026-01-17',
  });
  const after = (await tenant.officer.get(`/loans/${loan.id}`)).body as Row;
  const [version] = await versionsOf(tenant, loan.id);
  const [notice] = await noticesOf(tenant, loan.id);

  expect(version).toMatchObject({
    reason: 'payment_found',
    payment_amount: after['payment_amount'],
  });
  expect(Number(after['payment_amount'])).toBeLessThan(Number(before['payment_amount']));
  expect(notice?.body).toContain('We credited an earlier payment to your loan.');
});

test('a second change renews the open task and notifies the borrower again', async () => {
  const tenant = await stage.tenant('2026-01-20');
  const loan = await amortizedAnew(tenant);
  const { officer } = tenant;
  const pay = (day: string) =>
    officer.post(`/loans/${loan.id}/payments`, {
      amount: '500.00',
      payment_type: 'extra_principal',
      effective_date: day,
    });

  await pay('2026-01-17');
  const found = await pay('2026-01-18');
  await officer.post(`/payments/${found.body.id}/reverse`, { reason: 'clerical_error' });
  const tasks = await tasksOf(tenant, loan.id);
  const versions = await versionsOf(tenant, loan.id);

  expect(tasks).toHaveLength(1);
  expect(tasks[0]?.['description']).toContain('reason: payment reversed');
  expect(await noticesOf(tenant, loan.id)).toHaveLength(3);
  expect(versions[0]?.['reason']).toBe('payment_reversed');
});

test('a schedule change that was agreed, or reversed by its parties, sends no notice', async () => {
  const tenant = await stage.tenant('2026-01-20');
  const loan = await amortizedAnew(tenant);
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const done = [
    await officer.post(`/modifications/${loan.modification}/reverse`),
    await officer.post(`/loans/${loan.id}/reschedule`, { shift_periods: 1 }),
    await officer.post(`/loans/${loan.id}/deferments`, {
      periods: 1,
      deferment_type: 'payment_skip',
      reason: 'hardship',
    }),
    await admin.post(`/loans/${loan.id}/accelerate`),
    await admin.post(`/loans/${loan.id}/reverse-acceleration`),
  ];
  await setBusinessDate(tenant, '2026-01-21');
  done.push(await officer.post(`/loans/${loan.id}/payments`, { amount: '100.00' }));
  const reasons = (await versionsOf(tenant, loan.id)).map(({ reason }) => reason);

  expect(done.map(({ status }) => status)).toEqual([200, 200, 201, 200, 200, 201]);
  expect(reasons).toEqual([
    'schedule_agreed',
    'schedule_agreed',
    'schedule_agreed_reversed',
    'schedule_agreed',
    'disbursement',
  ]);
  expect(await tasksOf(tenant, loan.id)).toEqual([]);
  expect(await noticesOf(tenant, loan.id)).toEqual([]);
});

test('no notice is sent if the loan is paid off or the whole debt is due', async () => {
  const tenant = await stage.tenant('2026-01-20');
  const due = await amortizedAnew(tenant);
  const paid = await amortizedAnew(tenant);
  const admin = await tenant.signedIn('admin');
  await admin.post(`/loans/${due.id}/accelerate`);

  await tenant.officer.post(`/payments/${due.payment}/reverse`, { reason: 'nsf' });
  await tenant.officer.post(`/loans/${paid.id}/payments`, {
    amount: '9000.00',
    payment_type: 'extra_principal',
    effective_date: '2026-01-17',
  });

  expect(await noticesOf(tenant, due.id)).toEqual([]);
  expect(await noticesOf(tenant, paid.id)).toEqual([]);
});

test('a borrower who prefers texts gets the notice by email in their language; an unreachable one becomes the officer’s task', async () => {
  const tenant = await stage.tenant('2026-01-20');
  const loan = await amortizedAnew(tenant);
  const other = await amortizedAnew(tenant, { isReachable: false });
  const spanish = await tenant.officer.put(`/borrowers/${loan.borrower_id}`, {
    language_preference: 'es',
    preferred_channel: 'sms',
  });

  await tenant.officer.post(`/payments/${loan.payment}/reverse`, { reason: 'nsf' });
  await tenant.officer.post(`/payments/${other.payment}/reverse`, { reason: 'nsf' });
  const [notice] = await noticesOf(tenant, loan.id);
  const [task] = await tasksOf(tenant, other.id);

  expect(spanish.status, JSON.stringify(spanish.body)).toBe(200);
  expect(notice).toMatchObject({ channel: 'email' });
  expect(notice?.body).toContain('Un pago anterior fue devuelto');
  expect(task?.['description']).toContain('The borrower was not notified: no contact method');
});

test('the schedule of a missing loan and a missing version get 404', async () => {
  const tenant = await stage.tenant('2026-01-20');
  const loan = await newLoan(tenant, { status: 'pending' });
  const path = (id: string) => `/loans/${id}/schedule-versions`;

  const none = await tenant.officer.get(path(loan.id));
  const unknown = await tenant.officer.get(path('00000000-0000-4000-8000-000000000000'));
  const never = await tenant.officer.get(`${path(loan.id)}?version=7`);
  const absurd = await tenant.officer.get(`${path(loan.id)}?version=x`);

  expect(none).toMatchObject({ status: 200, body: [] });
  expect([unknown.status, never.status, absurd.status]).toEqual([404, 404, 422]);
});
