import { expect, onTestFinished, test } from 'vitest';
import { sandboxRoutes } from '../../api/operations/sandbox.ts';
import { closeLoans } from '../../jobs/business-day/close-loans.job.ts';
import { startCloseOfBusiness } from '../../jobs/business-day/start-close-of-business.job.ts';
import { addDays } from '../../jobs/dates.ts';
import type { ExternalServices } from '../../jobs/external-systems.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { runJobs } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const TODAY = '2026-01-15';
const stage = await newStage();
const newSandbox = () => stage.tenant(TODAY, { is_sandbox: true });
const closeDays = () => runJobs(stage, {}, ['close-loans']);

const FEES = [
  { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '25.00' },
  { fee_type: 'other', trigger: 'payment_returned', calculation: 'flat', amount: '30.00' },
];

/** A loan of a product that charges fees for late and for returned payments. */
async function loanWithFees(tenant: Tenant) {
  const product_id = await newProduct(tenant, { late_fee_grace_days: 5, fee_rules: FEES });
  return newLoan(tenant, { product_id });
}

test('every sandbox endpoint answers 403 on a tenant that is not a sandbox', async () => {
  const tenant = await stage.tenant(TODAY);
  const superadmin = await tenant.signedIn('superadmin');
  const { id } = await newLoan(tenant);
  const payment = await tenant.officer.post(`/loans/${id}/payments`, { amount: '100.00' });
  const bodies: Record<string, object> = {
    '/sandbox/advance': { days: 1 },
    '/sandbox/bounce-payment': { payment_id: payment.body.id },
  };

  const answers = await Promise.all(
    sandboxRoutes.map(({ method, path }) =>
      superadmin.send(method, path, method === 'GET' ? undefined : (bodies[path] ?? {})),
    ),
  );

  for (const answer of answers)
    expect(answer).toMatchObject({ status: 403, body: { code: 'not_a_sandbox' } });
  expect(answers.length).toBeGreaterThanOrEqual(3);
  expect((await superadmin.get('/tenant/settings')).body).toMatchObject({
    business_date: TODAY,
    sandbox: false,
  });
  expect((await superadmin.get(`/payments/${payment.body.id}`)).body.status).toBe('completed');
});

test('one day of a sandbox accrues one day of interest', async () => {
  const tenant = await newSandbox();
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);

  const asked = await admin.post('/sandbox/advance', { days: 1 });
  const moving = await admin.get('/sandbox');
  await closeDays();
  const ready = await tenant.officer.get('/sandbox');

  expect(asked).toMatchObject({
    status: 202,
    body: { business_date: TODAY, moving_to: '2026-01-16', run_id: expect.any(String) },
  });
  expect(moving.body).toMatchObject({ status: 'moving', moving_to: '2026-01-16' });
  expect(moving.body.jobs_waiting).toBeGreaterThan(0);
  expect(ready.body).toMatchObject({
    business_date: '2026-01-16',
    status: 'ready',
    moving_to: null,
    failure_reason: null,
  });
  // 10,000.00 × 8.5 % / 365
  expect((await tenant.officer.get(`/loans/${id}`)).body.accrued_interest).toBe('2.33');
});

test('forty days of a sandbox accrue interest, charge the late fee and bill the month', async () => {
  const tenant = await newSandbox();
  const admin = await tenant.signedIn('admin');
  const { id } = await loanWithFees(tenant);

  const asked = await admin.post('/sandbox/advance', { to_date: addDays(TODAY, 40) });
  await closeDays();

  expect(asked.status).toBe(202);
  const loan = (await tenant.officer.get(`/loans/${id}`)).body;
  // 10,000.00 × 8.5 % × 40 / 365. The installment of February 15 was not paid.
  expect(loan).toMatchObject({
    accrued_interest: '93.15',
    days_past_due: 9,
    outstanding_fees: '25.00',
  });
  const statements = await stage.owner.query<{ month: string }>(
    'select statement_month::text as month from statements where loan_id = $1',
    [id],
  );
  expect(statements.rows).toEqual([{ month: '2026-01-01' }]);
  expect((await admin.get('/sandbox')).body).toMatchObject({
    business_date: '2026-02-24',
    status: 'ready',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a second click while the date is moving changes nothing', async () => {
  const tenant = await newSandbox();
  const admin = await tenant.signedIn('admin');
  await newLoan(tenant);
  const options = { headers: { 'Idempotency-Key': 'advance-once' } };

  const first = await admin.post('/sandbox/advance', { days: 2 }, options);
  const repeated = await admin.post('/sandbox/advance', { days: 2 }, options);
  const second = await admin.post('/sandbox/advance', { days: 2 });
  await closeDays();

  expect(repeated.body).toEqual(first.body);
  expect(second).toMatchObject({ status: 409, body: { code: 'sandbox_busy' } });
  expect((await admin.get('/sandbox')).body.business_date).toBe('2026-01-17');
});

test('of two clients that advance at the same time, one moves the date', async () => {
  const tenant = await newSandbox();
  const admin = await tenant.signedIn('admin');
  const superadmin = await tenant.signedIn('superadmin');

  const answers = await Promise.all([
    admin.post('/sandbox/advance', { days: 3 }),
    superadmin.post('/sandbox/advance', { days: 3 }),
  ]);
  await closeDays();

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 409]));
  expect((await admin.get('/sandbox')).body.business_date).toBe('2026-01-18');
});

test('a worker that stops between two steps of an advance leaves nothing undone or done twice', async () => {
  const tenant = await newSandbox();
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  const { body } = await admin.post('/sandbox/advance', { days: 3 });
  const outside = { within: createWithin(stage.pool, SYSTEM) } as ExternalServices;

  // Closes the first day, but never tells the queue.
  await closeLoans.run({ tenant_id: tenant.id, run_id: body.run_id, chunk: 1 }, outside);
  const between = await admin.get('/sandbox');
  await closeDays();

  expect(between.body).toMatchObject({ business_date: '2026-01-16', status: 'moving' });
  expect((await admin.get('/sandbox')).body).toMatchObject({
    business_date: '2026-01-18',
    status: 'ready',
  });
  expect((await tenant.officer.get(`/loans/${id}`)).body.accrued_interest).toBe('6.99');
  expect(await violationsIn(stage)).toEqual([]);
});

test('an advance says how far it may go', async () => {
  const tenant = await newSandbox();
  const admin = await tenant.signedIn('admin');
  const refused = async (body: object) => {
    const answer = await admin.post('/sandbox/advance', body);
    expect(answer.status).toBe(422);
    return answer.body.errors;
  };

  expect(await refused({})).toEqual({ days: 'Send days, such as 30, or to_date.' });
  expect(await refused({ days: 1, to_date: '2026-01-16' })).toEqual({
    days: 'Send either days or to_date, not both.',
  });
  expect(await refused({ to_date: TODAY })).toEqual({
    to_date: 'Must be after the business date, 2026-01-15.',
  });
  expect(await refused({ to_date: '2027-01-17' })).toEqual({
    to_date: 'Must be at most 366 days ahead: 2027-01-16.',
  });
  expect(Object.keys(await refused({ days: 367 }))).toEqual(['days']);
  expect(Object.keys(await refused({ days: 0 }))).toEqual(['days']);
  expect((await tenant.officer.post('/sandbox/advance', { days: 1 })).status).toBe(403);
});

test('a sandbox bounces a payment as the bank would', async () => {
  const tenant = await newSandbox();
  const { id } = await loanWithFees(tenant);
  const payment = await tenant.officer.post(`/loans/${id}/payments`, { amount: '315.68' });
  const body = { payment_id: payment.body.id, return_code: 'R01' };

  const bounced = await tenant.officer.post('/sandbox/bounce-payment', body);
  const again = await tenant.officer.post('/sandbox/bounce-payment', body);

  expect(bounced).toMatchObject({
    status: 200,
    body: { id: payment.body.id, status: 'returned', return_code: 'R01' },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect((await tenant.officer.get(`/loans/${id}`)).body).toMatchObject({
    principal_balance: '10000.00',
    outstanding_fees: '30.00',
  });
  const { rows } = await stage.owner.query<{ action: string }>(
    `select action from audit_log where entity_id = $1 and actor_email is not null order by id`,
    [payment.body.id],
  );
  expect(rows.map(({ action }) => action)).toContain('return');
  expect(await violationsIn(stage)).toEqual([]);
});

test('a sandbox bounces only its own payments, with codes that banks use', async () => {
  const tenant = await newSandbox();
  const other = await newSandbox();
  const { id } = await newLoan(other);
  const foreign = await other.officer.post(`/loans/${id}/payments`, { amount: '100.00' });
  const bounce = async (body: object) =>
    (await tenant.officer.post('/sandbox/bounce-payment', body)).body.errors;

  expect(await bounce({ payment_id: foreign.body.id })).toEqual({
    payment_id: 'This payment does not exist.',
  });
  expect(Object.keys(await bounce({ payment_id: foreign.body.id, return_code: 'R61' }))).toEqual([
    'return_code',
  ]);
  expect((await other.officer.get(`/payments/${foreign.body.id}`)).body.status).toBe('completed');
});

test('in production, a sandbox moves beyond the present, and other tenants do not', async () => {
  stage.installation.may_close_future = false;
  onTestFinished(() => void (stage.installation.may_close_future = true));
  const sandbox = await stage.tenant('2096-01-15', { is_sandbox: true });
  const tenant = await stage.tenant('2096-01-15');
  const admin = await sandbox.signedIn('admin');
  const superadmin = await tenant.signedIn('superadmin');

  expect((await admin.post('/sandbox/advance', { days: 1 })).status).toBe(202);
  expect((await superadmin.post('/jobs/close-of-business', {})).status).toBe(422);
  await closeDays();
});

test('the date of a sandbox stands still until a client moves it', async () => {
  const sandbox = await newSandbox();
  const tenant = await stage.tenant(TODAY);
  const within = createWithin(stage.pool, SYSTEM);
  const now = () => new Date('2026-01-17T12:00:00Z');

  await startCloseOfBusiness.run({}, { within, now } as ExternalServices);
  await closeDays();

  const dateOf = ({ within: steps }: Tenant) => steps(({ today }) => Promise.resolve(today));
  expect(await dateOf(sandbox)).toBe(TODAY);
  expect(await dateOf(tenant)).toBe('2026-01-17');
});

test('a tenant never becomes a sandbox, and a sandbox never a real tenant', async () => {
  const tenant = await stage.tenant(TODAY);
  const superadmin = await tenant.signedIn('superadmin');

  const asked = await superadmin.put('/tenant/settings', { sandbox: true });
  const forced = stage.owner.query('update tenants set is_sandbox = true where id = $1', [
    tenant.id,
  ]);

  expect(asked).toMatchObject({
    status: 422,
    body: {
      errors: { sandbox: 'Cannot be changed here. Ask the operator of the installation.' },
    },
  });
  await expect(forced).rejects.toThrow('A tenant is a sandbox from its creation, or never.');
});
