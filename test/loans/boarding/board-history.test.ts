import { expect, test } from 'vitest';
import { creditRecords, runCreditReports } from '../../setup/credit-reporting.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

async function boarding(tenant: Tenant) {
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const parents = {
    borrower_id,
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
  };
  const terms = { principal_amount: '10000.00', interest_rate: '0.085', term_months: 36 };
  const balance = { current_principal_balance: '9000.00', origination_date: '2025-12-15' };
  return (more: Record<string, unknown>) =>
    tenant.officer.post('/loans/board', { ...parents, ...terms, ...balance, ...more });
}

test('a boarded loan keeps its last payment date and its late counts, and continues both', async () => {
  const tenant = await stage.tenant('2026-06-15');
  const board = await boarding(tenant);

  const { body } = await board({
    paid_through_date: '2026-04-15',
    last_payment_date: '2026-04-20',
    times_delinquent: { 30: 2, 60: 1 },
  });
  const untold = await board({ paid_through_date: '2026-03-15' });
  await travelTo(stage, tenant, '2026-06-17');
  const dayAfter = (await tenant.officer.get(`/loans/${body.id}`)).body;
  await travelTo(stage, tenant, '2026-07-15');
  await tenant.officer.post(`/loans/${body.id}/payments`, { amount: '100.00' });
  const later = (await tenant.officer.get(`/loans/${body.id}`)).body;

  expect(body).toMatchObject({
    days_past_due: 31,
    last_payment_date: '2026-04-20',
    last_payment_amount: null,
    times_delinquent_30: 2,
    times_delinquent_60: 1,
  });
  expect(untold.body).toMatchObject({ days_past_due: 61, times_delinquent_60: 1 });
  expect(dayAfter).toMatchObject({ times_delinquent_30: 2, last_payment_date: '2026-04-20' });
  expect(later).toMatchObject({
    times_delinquent_60: 2,
    last_payment_date: '2026-07-15',
    last_payment_amount: '100.00',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('the payment history that bureaus have continues after boarding', async () => {
  const tenant = await stage.tenant('2026-06-15');
  const board = await boarding(tenant);
  const profile = `100${'0'.repeat(3)}${'B'.repeat(18)}`;
  const { body } = await board({ payment_history_profile: profile });

  await travelTo(stage, tenant, '2026-08-01');
  await runCreditReports(stage);
  const records = await creditRecords(tenant, body.id);

  expect(records).toMatchObject([
    { reporting_period: '2026-07-31', payment_history_profile: `0${profile.slice(0, 23)}` },
    { reporting_period: '2026-06-30', payment_history_profile: profile },
  ]);
});

test('a boarded loan belongs to its investor and portfolio from the first day', async () => {
  const tenant = await stage.tenant('2026-06-15');
  const admin = await tenant.signedIn('admin');
  const board = await boarding(tenant);
  const investor = await admin.post('/investors', { name: 'I', investor_type: 'fund' });
  const portfolio = await admin.post('/portfolios', { name: 'P' });
  const places = { investor_id: investor.body.id, portfolio_id: portfolio.body.id };

  const { status, body } = await board(places);
  const assigned = await admin.get(`/investors/${investor.body.id}/loan-assignments`);

  expect(status, JSON.stringify(body)).toBe(201);
  expect(body).toMatchObject(places);
  expect(assigned.body).toMatchObject([{ status: 'active', ownership_percentage: '1.0000' }]);
});

test('an impossible past of a loan is refused, and so are an unknown investor and portfolio', async () => {
  const tenant = await stage.tenant('2026-06-15');
  const board = await boarding(tenant);
  const id = crypto.randomUUID();
  const refusal = async (more: Record<string, unknown>) => {
    const { status, body } = await board(more);
    return [status, Object.keys(body.errors ?? {})];
  };

  expect(await refusal({ last_payment_date: '2026-06-16' })).toEqual([422, ['last_payment_date']]);
  expect(await refusal({ times_delinquent: { 30: 1, 60: 2 } })).toEqual([
    422,
    ['times_delinquent'],
  ]);
  expect(await refusal({ times_delinquent: { 120: 1 } })).toEqual([422, ['times_delinquent']]);
  expect(await refusal({ payment_history_profile: '000' })).toEqual([
    422,
    ['payment_history_profile'],
  ]);
  expect(await refusal({ status: 'approved', last_payment_date: '2026-01-15' })).toEqual([
    422,
    ['last_payment_date'],
  ]);
  expect(await refusal({ investor_id: id })).toEqual([422, ['investor_id']]);
  expect(await refusal({ portfolio_id: id })).toEqual([422, ['portfolio_id']]);
});
