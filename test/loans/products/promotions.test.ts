import { expect, test } from 'vitest';
import { balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const interestOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}`)).body.accrued_interest as string;
const statusesOf = (tenant: Tenant, id: string) =>
  tenant.officer.get(`/loans/${id}/list-promo-statuses`);

test('a reduced rate applies from its first day through its last', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);

  const promoted = await tenant.officer.post(`/loans/${id}/activate-promo`, {
    name: 'Spring',
    promo_rate: '0.0425',
    start_date: '2026-01-20',
    end_date: '2026-01-24',
  });
  const scheduled = await statusesOf(tenant, id);
  await travelTo(stage, tenant, '2026-01-22');
  const active = await statusesOf(tenant, id);
  const during = (await tenant.officer.get(`/loans/${id}`)).body;
  await travelTo(stage, tenant, '2026-01-30');

  expect(promoted).toMatchObject({
    status: 200,
    body: { id, status: 'active', promotions: [{ name: 'Spring', status: 'scheduled' }] },
  });
  expect(scheduled.headers['content-range']).toBe('list-promo-statuses 0-0/1');
  expect(scheduled.body).toMatchObject([{ status: 'scheduled', promo_rate: '0.0425' }]);
  expect(active.body).toMatchObject([{ status: 'active', deferred_interest: '0.00' }]);
  expect(during).toMatchObject({
    current_rate: '0.0425',
    promo_rate: '0.0425',
    promo_end_date: '2026-01-24',
  });
  expect((await tenant.officer.get(`/loans/${id}`)).body).toMatchObject({
    promo_rate: null,
    promo_end_date: null,
  });
  // Ten days at 0.085 and five at 0.0425.
  expect(await interestOf(tenant, id)).toBe('29.11');
  expect((await statusesOf(tenant, id)).body).toMatchObject([{ status: 'completed' }]);
  expect(await balancesByRole(tenant)).toMatchObject({ interest_receivable: '29.11' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('promotions cannot overlap, and each needs an end and a lower rate', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const promote = (body: object) => tenant.officer.post(`/loans/${id}/activate-promo`, body);

  const endless = await promote({ promo_rate: '0.01' });
  const higher = await promote({ promo_rate: '0.09', duration_months: 1 });
  const past = await promote({
    promo_type: 'zero_interest',
    start_date: '2026-01-14',
    duration_months: 1,
  });
  const first = await promote({ promo_type: 'zero_interest', duration_months: 1 });
  const second = await promote({ promo_type: 'zero_interest', duration_months: 1 });

  expect(endless).toMatchObject({
    status: 422,
    body: { errors: { end_date: expect.any(String) } },
  });
  expect(higher).toMatchObject({
    status: 422,
    body: { errors: { promo_rate: expect.any(String) } },
  });
  expect(past).toMatchObject({ status: 422, body: { errors: { start_date: expect.any(String) } } });
  expect(first.body.promotions).toMatchObject([{ end_date: '2026-02-14', promo_rate: '0' }]);
  expect(second).toMatchObject({ status: 409, body: { code: 'promo_overlap' } });
});

test('deferred interest falls due at the end of the promotion if the loan is not repaid', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await tenant.officer.post(`/loans/${id}/activate-promo`, {
    promo_type: 'deferred_interest',
    end_date: '2026-01-24',
  });

  await travelTo(stage, tenant, '2026-01-24');
  const during = await statusesOf(tenant, id);
  const resting = await interestOf(tenant, id);
  await travelTo(stage, tenant, '2026-01-27');

  expect(during.body).toMatchObject([{ status: 'active', deferred_interest: '20.96' }]);
  expect(resting).toBe('0.00');
  expect(await interestOf(tenant, id)).toBe('27.95');
  expect(await balancesByRole(tenant)).toMatchObject({ interest_receivable: '27.95' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('same as cash: a loan repaid in time never bears the interest', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await tenant.officer.post(`/loans/${id}/activate-promo`, {
    promo_type: 'same_as_cash',
    end_date: '2026-01-24',
  });
  await travelTo(stage, tenant, '2026-01-24');

  const paid = await tenant.officer.post(`/loans/${id}/pay-off`);
  await travelTo(stage, tenant, '2026-01-27');

  expect(paid.body.status).toBe('paid_off');
  expect(await balancesByRole(tenant)).toEqual({});
  expect((await statusesOf(tenant, id)).body).toMatchObject([{ status: 'completed' }]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a promotion ends on the day its condition is broken', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await tenant.officer.post(`/loans/${id}/activate-promo`, {
    promo_type: 'zero_interest',
    end_date: '2026-12-31',
    conditions: { max_dpd: 2 },
  });

  await travelTo(stage, tenant, '2026-02-20');

  // Due on February 15 and three days late on the 18th, so the interest of the 18th and 19th counts again.
  expect((await statusesOf(tenant, id)).body).toMatchObject([{ status: 'broken' }]);
  expect(await interestOf(tenant, id)).toBe('4.66');
  expect(await violationsIn(stage)).toEqual([]);
});

test('during an interest-only promotion, installments are interest only', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);

  const promoted = await tenant.officer.post(`/loans/${id}/activate-promo`, {
    promo_type: 'interest_only',
    duration_months: 3,
  });
  const plan = (await tenant.officer.get(`/loans/${id}/amortization`)).body as {
    payment_amount: string;
    principal_amount: string;
  }[];

  expect(promoted.body).toMatchObject({ maturity_date: '2029-01-15', remaining_term: 36 });
  expect(plan.slice(0, 2).map((row) => row.payment_amount)).toEqual(['72.19', '65.21']);
  expect(Number(plan[2]?.payment_amount)).toBeGreaterThan(315.68);
  expect(plan.reduce((total, row) => total + Number(row.principal_amount), 0)).toBeCloseTo(10000);
});
