import { expect, test } from 'vitest';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';
import { bounce, pay, titlesOf } from '../history/conclusion-steps.ts';

const stage = await newStage();

test('a payoff with a waived residual that bounces reverses the waiver, its form and the quote', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const admin = await tenant.signedIn('admin');
  const quote = await tenant.officer.post(`/loans/${id}/payoff-quotes`, {});
  const paid = await admin.post(`/loans/${id}/pay-off`, {
    amount: '9000.00',
    waive_residual: true,
    payoff_quote_id: quote.body.id,
  });
  const [form] = (await tenant.officer.get(`/loans/${id}/1099c`)).body;
  await tenant.officer.put(`/forms-1099c/${form.id}`, { ...form, status: 'furnished' });
  const [payment] = (await tenant.officer.get(`/loans/${id}/payments`)).body;

  await bounce(tenant, payment.id);

  const loan = await tenant.officer.get(`/loans/${id}`);
  const forms = await tenant.officer.get(`/loans/${id}/1099c`);
  const credits = await tenant.officer.get(`/loans/${id}/service-credits`);
  expect(paid.body).toMatchObject({ status: 'paid_off' });
  expect(loan.body).toMatchObject({ status: 'active', total_balance: '10000.00' });
  expect(credits.body).toMatchObject([{ status: 'reversed' }]);
  expect(forms.body).toMatchObject([
    { status: 'generated', amount_discharged: '0.00', is_corrected: true },
    { status: 'corrected', amount_discharged: '1000.00' },
  ]);
  expect((await tenant.officer.get(`/payoff-quotes/${quote.body.id}`)).body.status).toBe(
    'superseded',
  );
  expect(await balancesByRole(tenant)).not.toHaveProperty('service_credit_expense');
  expect(await violationsIn(stage)).toEqual([]);
});

test('a promise kept by a payment that bounces is broken, or pending until its day has passed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const promise = (promised_date: string) =>
    tenant.officer.post(`/loans/${id}/promises-to-pay`, {
      promised_amount: '50.00',
      promised_date,
      grace_days: 0,
    });
  const [early, late] = [await promise('2026-01-16'), await promise('2026-01-20')];
  const payment = await pay(tenant, id, '60.00');
  await travelTo(stage, tenant, '2026-01-18');
  const statuses = async () =>
    Promise.all(
      [early, late].map(async ({ body }) => {
        const { status, fulfilled_amount } = (
          await tenant.officer.get(`/promises-to-pay/${body.id}`)
        ).body;
        return [status, fulfilled_amount];
      }),
    );
  const kept = await statuses();

  await bounce(tenant, payment);
  const bounced = await statuses();
  await pay(tenant, id, '50.00', { payment_date: '2026-01-16' });

  expect(kept).toEqual([
    ['kept', '60.00'],
    ['kept', '60.00'],
  ]);
  expect(bounced).toEqual([
    ['broken', '0.00'],
    ['pending', '0.00'],
  ]);
  expect(await statuses()).toEqual([
    ['kept', '50.00'],
    ['pending', '0.00'],
  ]);
  await travelTo(stage, tenant, '2026-01-19');
  expect(await statuses()).toEqual([
    ['kept', '50.00'],
    ['kept', '50.00'],
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a loan whose payoff bounces after its lien was released asks for a new lien', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const item = { loan_id: id, collateral_type: 'vehicle' };
  const { body: pledged } = await tenant.officer.post('/collateral', item);
  const lien = await tenant.officer.post(`/collateral/${pledged.id}/liens`, {
    lien_type: 'ucc1',
    filing_number: 'DE-77',
    filing_date: '2026-01-02',
  });
  await tenant.officer.post(`/loans/${id}/pay-off`, {});
  const closed = await titlesOf(tenant);
  await tenant.officer.post(`/liens/${lien.body.id}/release`, { reason: 'paid_off' });
  const [payment] = (await tenant.officer.get(`/loans/${id}/payments`)).body;

  await bounce(tenant, payment.id);

  const { body: tasks } = await tenant.officer.get('/tasks?status=open');
  expect(closed).toEqual(['Release the liens of LN-2026-000001']);
  expect((await tenant.officer.get(`/liens/${lien.body.id}`)).body.status).toBe('released');
  expect(await titlesOf(tenant)).toEqual([
    'Perfect the liens of LN-2026-000001 again',
    'Review LN-2026-000001: earlier conclusions have changed',
  ]);
  expect(tasks).toContainEqual(
    expect.objectContaining({
      priority: 'urgent',
      description: `The loan was paid off and owes again, but these liens were released: ucc1 DE-77, released on 2026-01-15.`,
    }),
  );
  expect(await violationsIn(stage)).toEqual([]);
});

test('a delinquency cured by a payment that bounces continues from its old first day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-03-01');
  const shown = async () => {
    const { body } = await tenant.officer.get(`/loans/${id}`);
    return [body.days_past_due, body.delinquency_bucket, body.first_delinquency_date];
  };
  const late = await shown();
  const payment = await pay(tenant, id, '700.00');
  const cured = await shown();

  await bounce(tenant, payment);

  expect(late).toEqual([14, 'dpd_1_29', '2026-02-15']);
  expect(cured).toEqual([0, 'current', null]);
  expect(await shown()).toEqual(late);
});

test('a payoff that preceded a charge-off leaves the loan paid off until it bounces', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-20');
  await admin.post(`/loans/${id}/charge-off`, { reason: 'fraud' });
  await pay(tenant, id, '40.00');
  await travelTo(stage, tenant, '2026-01-22');

  const found = await pay(tenant, id, '10000.00', {
    payment_type: 'payoff',
    payment_date: '2026-01-15',
  });

  const paid = await tenant.officer.get(`/loans/${id}`);
  const books = await balancesByRole(tenant);
  const tasks = await titlesOf(tenant);
  await bounce(tenant, found);
  const back = await tenant.officer.get(`/loans/${id}`);
  expect(paid.body).toMatchObject({
    status: 'paid_off',
    total_balance: '0.00',
    charged_off_at: null,
    charge_off_reason: null,
    charge_off_amount: null,
    recovered_amount: '0.00',
    suspense_balance: '40.00',
  });
  expect(paid.body.paid_off_at).not.toBeNull();
  expect(books).toEqual({ cash: '40.00', borrower_suspense: '-40.00' });
  expect(tasks).toEqual(['Refund the suspense balance of LN-2026-000001']);
  expect(back.body).toMatchObject({
    status: 'charged_off',
    charge_off_reason: 'fraud',
    charge_off_amount: '10000.00',
    charge_off_balance: '9960.00',
    recovered_amount: '40.00',
    paid_off_at: null,
  });
  expect(await violationsIn(stage)).toEqual([]);
});
