import { expect, test } from 'vitest';
import { eventTypes, balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('acceleration makes the whole debt due today, and its reversal restores the schedule', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');
  const plan = await tenant.officer.get(`/loans/${id}/amortization`);
  const [books, told] = [await balancesByRole(tenant), (await eventTypes(tenant)).length];

  const accelerated = await admin.post(`/loans/${id}/accelerate`, { reason: 'default' });
  const again = await admin.post(`/loans/${id}/accelerate`);
  const canceled = await tenant.officer.get(`/loans/${id}/amortization`);
  const reversed = await admin.post(`/loans/${id}/reverse-acceleration`);
  const twice = await admin.post(`/loans/${id}/reverse-acceleration`);

  expect(accelerated).toMatchObject({
    status: 200,
    body: {
      is_accelerated: true,
      is_defaulted: true,
      maturity_date: '2026-01-25',
      next_payment_date: '2026-01-25',
      next_payment_amount: '10023.29',
      remaining_term: 0,
    },
  });
  expect(again).toMatchObject({ status: 200, body: { is_accelerated: true } });
  expect(new Set(canceled.body.map(({ status }: { status: string }) => status))).toEqual(
    new Set(['canceled']),
  );
  expect(reversed.body).toMatchObject({
    is_accelerated: false,
    accelerated_at: null,
    next_payment_date: '2026-02-15',
    next_payment_amount: '315.68',
    maturity_date: '2029-01-15',
    remaining_term: 36,
  });
  expect(twice.status).toBe(200);
  expect((await tenant.officer.get(`/loans/${id}/amortization`)).body).toEqual(plan.body);
  expect(await balancesByRole(tenant)).toEqual(books);
  expect((await eventTypes(tenant)).length).toBe(told);
});

test('a day after acceleration the whole debt is past due', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);

  await admin.post(`/loans/${id}/accelerate`);
  await travelTo(stage, tenant, '2026-01-17');
  const loan = await tenant.officer.get(`/loans/${id}`);

  expect(loan.body).toMatchObject({ days_past_due: 2, past_due_amount: '10004.66' });
});

test('acceleration cannot be backdated or postdated', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);

  const reply = await admin.post(`/loans/${id}/accelerate`, { effective_date: '2026-01-14' });

  expect(reply).toMatchObject({
    status: 422,
    body: { errors: { effective_date: expect.any(String) } },
  });
});

test('acceleration before funding only sets the flag, and takes effect at disbursement', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant, { status: 'approved' });

  const flagged = await admin.post(`/loans/${id}/accelerate`);
  const funded = await tenant.officer.post(`/loans/${id}/disburse`);

  expect(flagged.body).toMatchObject({ status: 'approved', is_accelerated: true });
  expect(funded.body).toMatchObject({ status: 'active', next_payment_amount: '10000.00' });
});
