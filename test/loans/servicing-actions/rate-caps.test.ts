import { expect, test } from 'vitest';
import { followRateCaps } from '../../../jobs/loans/history/rate-caps/follow-rate-caps.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { travelTo } from '../../setup/queue.ts';
import { newPortfolioForSale } from '../../setup/sales.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const LATE_FEE = {
  fee_type: 'late',
  calculation: 'flat',
  trigger: 'past_due',
  amount: '25.00',
  grace_days: 5,
};

type Period = { from: string; until: string | null };
const follow = ({ within }: Tenant, id: string, periods: readonly Period[]) =>
  within((work) =>
    followRateCaps(
      work,
      id,
      periods.map((period) => ({ ...period, interest_rate: '0.06' })),
    ),
  );

const capsOf = async ({ officer }: Tenant, id: string) =>
  (await officer.get(`/loans/${id}/rate-caps?sort=[%22start_date%22,%22ASC%22]`)).body as Record<
    string,
    string | null
  >[];

const tasksOf = async ({ officer }: Tenant, id: string) =>
  ((await officer.get(`/tasks?loan_id=${id}`)).body as { title: string }[]).map(
    ({ title }) => title,
  );

test('periods that touch become one cap', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-05-15');

  await follow(tenant, id, [
    { from: '2026-03-01', until: '2026-04-01' },
    { from: '2026-02-01', until: '2026-03-01' },
    { from: '2026-03-10', until: '2026-03-20' },
    { from: '2026-05-01', until: null },
  ]);

  expect(await capsOf(tenant, id)).toMatchObject([
    { start_date: '2026-02-01', end_date: '2026-03-31', status: 'ended' },
    { start_date: '2026-05-01', end_date: null, status: 'active' },
  ]);
});

test('service that begins later is part of the outlook and starts at the close of its first day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const { id } = await newLoan(tenant, { principal_amount: '1000.00', term_months: 3 });
  await travelTo(stage, tenant, '2026-01-20');
  const bill = async () => (await officer.get(`/loans/${id}`)).body;
  const before = await bill();

  await follow(tenant, id, [{ from: '2026-02-01', until: '2026-02-11' }]);

  const ahead = await bill();
  const projection = await officer.get(
    `/loans/${id}/get-future-balance-projection?as_of_date=2026-02-14`,
  );
  await travelTo(stage, tenant, '2026-02-01');
  const eve = await capsOf(tenant, id);
  await travelTo(stage, tenant, '2026-02-02');
  const during = await bill();
  await travelTo(stage, tenant, '2026-02-14');
  const after = await bill();

  expect(Number(ahead.next_payment_amount)).toBeLessThan(Number(before.next_payment_amount));
  expect(eve).toMatchObject([{ status: 'active' }]);
  expect(during).toMatchObject({
    current_rate: '0.06',
    next_payment_amount: ahead.next_payment_amount,
    payment_amount: ahead.next_payment_amount,
  });
  expect(after).toMatchObject({
    current_rate: '0.085',
    accrued_interest: projection.body.accrued_interest,
    payment_amount: before.payment_amount,
  });
});

test('no late fee is charged for the time of service, and other fees are refused', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, { fee_rules: [LATE_FEE] });
  const { id } = await newLoan(tenant, { product_id });
  await travelTo(stage, tenant, '2026-02-10');
  await follow(tenant, id, [{ from: '2026-02-01', until: '2026-03-01' }]);
  const shown = (await tenant.officer.get(`/loans/${id}/explain?figure=late_fee`)).body;

  await travelTo(stage, tenant, '2026-02-25');
  const during = await tenant.officer.get(`/loans/${id}/fees`);
  const refused = await tenant.officer.post(`/loans/${id}/fees`, {
    fee_type: 'convenience',
    amount: '5.00',
  });
  await travelTo(stage, tenant, '2026-03-25');
  const late = await tenant.officer.post(`/loans/${id}/fees`, {
    fee_type: 'convenience',
    amount: '5.00',
    effective_date: '2026-02-20',
  });
  const after = await tenant.officer.get(`/loans/${id}/fees`);

  expect(shown.amount).toBe('0.00');
  expect(during.body).toEqual([]);
  expect(refused).toMatchObject({ status: 409, body: { code: 'fees_forgiven_by_law' } });
  expect(late).toMatchObject({ status: 409, body: { code: 'fees_forgiven_by_law' } });
  // The installment of the 15th of March is late after the service. That of February is not charged later.
  expect(after.body).toMatchObject([{ fee_type: 'late', installment_number: 2 }]);
});

test('a rate lowered for a servicemember by a modification forgives fees too', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, { fee_rules: [LATE_FEE] });
  const { id } = await newLoan(tenant, { product_id });
  await travelTo(stage, tenant, '2026-02-01');
  const modified = await tenant.officer.post(`/loans/${id}/modifications`, {
    modification_type: 'rate_change',
    new_interest_rate: '0.06',
    reason: 'scra',
  });
  await travelTo(stage, tenant, '2026-03-01');
  const relieved = await tenant.officer.get(`/loans/${id}/fees`);
  await tenant.officer.post(`/loans/${id}/modifications`, {
    modification_type: 'rate_change',
    new_interest_rate: '0.085',
    reason: 'other',
  });
  await travelTo(stage, tenant, '2026-03-25');
  const agreedAgain = await tenant.officer.get(`/loans/${id}/fees`);

  expect(modified.status, JSON.stringify(modified.body)).toBe(201);
  expect(relieved.body).toEqual([]);
  expect(agreedAgain.body).toMatchObject([{ fee_type: 'late' }]);
});

test('what a paid-off loan was charged above the cap becomes a refund', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { interest_rate: '0.12' });
  await travelTo(stage, tenant, '2026-07-15');
  const paid = await tenant.officer.post(`/loans/${id}/pay-off`, { payment_method: 'wire' });
  await travelTo(stage, tenant, '2026-08-01');

  await follow(tenant, id, [{ from: '2026-02-01', until: '2026-06-01' }]);

  const { body } = await tenant.officer.get(`/loans/${id}`);
  // 120 days at half of the rate.
  const refund = ((10_000 * 0.06 * 120) / 365).toFixed(2);
  expect(paid.status, JSON.stringify(paid.body)).toBe(200);
  expect(body).toMatchObject({ status: 'paid_off', suspense_balance: refund });
  expect((await tasksOf(tenant, id)).join()).toContain('Refund the suspense balance');
});

test('the balance that a charged-off loan lost falls by the forgiven interest', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant, { interest_rate: '0.12' });
  await travelTo(stage, tenant, '2026-07-15');
  await admin.post(`/loans/${id}/charge-off`, {
    reason: 'fraud',
    reverse_accrued_interest: false,
  });
  const claimOf = async () => (await admin.get(`/loans/${id}`)).body.charge_off_balance;
  const before = await claimOf();

  await follow(tenant, id, [{ from: '2026-02-01', until: '2026-06-01' }]);

  const forgiven = ((10_000 * 0.06 * 120) / 365).toFixed(2);
  expect((Number(before) - Number(await claimOf())).toFixed(2)).toBe(forgiven);
  expect((await admin.get(`/loans/${id}/1099c`)).body).toEqual([]);
});

test('when a cap lowers the balance of a loan that was sold and transferred, tasks ask to settle the difference', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { sell } = await newPortfolioForSale(tenant, id);
  await travelTo(stage, tenant, '2026-01-25');
  await sell({ sale_price: '9800.00', settlement_date: '2026-01-25', servicing_retained: false });
  await travelTo(stage, tenant, '2026-01-26');

  await follow(tenant, id, [{ from: '2026-01-16', until: null }]);

  const tasks = (await tenant.officer.get(`/tasks?loan_id=${id}`)).body as {
    title: string;
    description: string;
  }[];
  const correction = tasks.find(({ title }) => title.startsWith('Correct the balance'));
  // One day at 8.5 percent and nine days at 6 percent.
  expect(correction?.description).toContain('principal 10000.00, interest 17.12, fees 0.00,');
  expect(tasks.some(({ title }) => title.startsWith('Settle the sale price'))).toBe(true);
  expect(await violationsIn(stage)).toEqual([]);
});
