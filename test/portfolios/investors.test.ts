import fc from 'fast-check';
import { expect, test } from 'vitest';
import { isRoutingNumber } from '../../jobs/banks/routing-number.ts';
import { insertLoans } from '../setup/loan-rows.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

async function withInvestor(tenant: Tenant) {
  const admin = await tenant.signedIn('admin');
  const investor = await admin.post('/investors', {
    name: 'North Fund',
    investor_type: 'fund',
    external_id: 'INV-1',
    contact_email: 'Desk@North.example',
  });
  return { admin, investor, path: `/investors/${investor.body.id}` };
}

test('an investor has one primary instrument, and full account numbers are not shown', async () => {
  const tenant = await stage.tenant();
  const { admin, investor, path } = await withInvestor(tenant);

  const first = await admin.post(`${path}/settlement-instruments`, {
    routing_number: '021000021',
    account_number: '000123456789',
    account_type: 'checking',
  });
  const second = await admin.post(`${path}/settlement-instruments`, {
    instrument_type: 'wire',
    account_number_last_four: '1111',
    is_primary: true,
  });
  const wrong = await admin.post(`${path}/settlement-instruments`, { routing_number: '021000022' });
  const again = await admin.post('/investors', { name: 'Other', external_id: 'INV-1' });
  const list = await admin.get(`${path}/settlement-instruments`);
  const changed = await admin.put(`/settlement-instruments/${second.body.id}`, {
    account_number: '98765',
  });
  const trail = await stage.owner.query(
    'select changes::text from audit_log where tenant_id = $1',
    [tenant.id],
  );

  expect(investor).toMatchObject({
    status: 201,
    body: { servicing_fee_rate: '0.005', contact_email: 'desk@north.example' },
  });
  expect(first.body).toMatchObject({ is_primary: true, account_number_last_four: '6789' });
  expect(first.body).not.toHaveProperty('account_number');
  expect(wrong.body.errors).toEqual({ routing_number: 'Must be a valid routing number.' });
  expect(again.body.errors).toEqual({ external_id: 'Is already taken.' });
  expect(list.body.map(({ is_primary }: { is_primary: boolean }) => is_primary)).toEqual([
    true,
    false,
  ]);
  expect(changed.body.account_number_last_four).toBe('8765');
  expect(JSON.stringify(trail.rows)).not.toMatch(/000123456789|6789/);
});

test('a single wrong digit makes a routing number invalid', () => {
  fc.assert(
    fc.property(fc.nat(8), fc.integer({ min: 1, max: 9 }), (place, off) => {
      const digits = '021000021'.split('');
      digits[place] = String((Number(digits[place]) + off) % 10);

      expect(isRoutingNumber(digits.join(''))).toBe(false);
    }),
  );
});

test('a loan is owned in shares that never exceed the whole', async () => {
  const tenant = await stage.tenant();
  const { admin, path } = await withInvestor(tenant);
  const [loan_id, denied] = await insertLoans(tenant, {}, { status: 'denied' });
  const url = `${path}/loan-assignments`;
  const assign = (share: string, more = {}) =>
    admin.post(url, {
      loan_id,
      assignment_type: 'participation',
      ownership_percentage: share,
      ...more,
    });

  const half = await assign('0.5');
  const later = await assign('0.25', { settlement_date: '2026-02-01' });
  const tooMuch = await assign('0.2501');
  const simultaneous = await Promise.all([assign('0.2'), assign('0.2')]);
  const closed = await admin.post(url, { loan_id: denied });
  const grown = await admin.put(`/loan-assignments/${later.body.id}`, {
    ownership_percentage: '0.9',
  });
  const final = await admin.put(`/loan-assignments/${half.body.id}`, {
    ownership_percentage: '0.1',
  });
  const ended = await admin.put(`/loan-assignments/${half.body.id}`, {
    ...half.body,
    status: 'ended',
  });
  const canceled = await admin.put(`/loan-assignments/${later.body.id}`, { status: 'canceled' });
  const revived = await admin.put(`/loan-assignments/${later.body.id}`, { status: 'active' });
  const bad = [await assign('0'), await assign('1.1'), await assign('0.00001')];

  expect(half).toMatchObject({
    status: 201,
    body: { status: 'active', effective_date: '2026-01-15', ownership_percentage: '0.5000' },
  });
  expect(later.body.status).toBe('pending');
  expect(tooMuch).toMatchObject({ status: 409, body: { code: 'over_assigned' } });
  expect(new Set(simultaneous.map(({ status }) => status))).toEqual(new Set([201, 409]));
  expect(closed).toMatchObject({ status: 409, body: { code: 'loan_not_active' } });
  expect(grown.body.code).toBe('over_assigned');
  expect(final.body.code).toBe('immutable');
  expect(ended.body).toMatchObject({ status: 'ended', end_date: '2026-01-15' });
  expect(canceled.body.status).toBe('canceled');
  expect(revived.body.code).toBe('invalid_transition');
  expect(bad.map(({ status }) => status)).toEqual([422, 422, 422]);
});

test('a portfolio is sold once, its price split to the cent, and settled on its date', async () => {
  const tenant = await stage.tenant();
  const { admin, investor } = await withInvestor(tenant);
  const instrument = await admin.post(`/investors/${investor.body.id}/settlement-instruments`, {});
  const loan_ids = await insertLoans(
    tenant,
    { principal_balance: '3333.33' },
    { principal_balance: '3333.33' },
    { principal_balance: '3333.34' },
    { principal_balance: '0' },
    { principal_balance: '0', status: 'paid_off' },
  );
  const { id } = (await admin.post('/portfolios', { name: 'For sale' })).body;
  await admin.post(`/portfolios/${id}/assign-loans`, { loan_ids });
  const sale = {
    investor_id: investor.body.id,
    settlement_date: '2026-01-20',
    purchase_price_ratio: '0.97531',
    settlement_instrument_id: instrument.body.id,
  };

  const answers = await Promise.all([
    admin.post(`/portfolios/${id}/sell`, sale),
    admin.post(`/portfolios/${id}/sell`, sale),
  ]);
  const statuses = async () =>
    (await admin.get(`/investors/${investor.body.id}/loan-assignments`)).body
      .map(({ status }: { status: string }) => status)
      .toSorted();
  await travelTo(stage, tenant, '2026-01-20');
  const before = await statuses();
  await travelTo(stage, tenant, '2026-01-21');
  const settled = await statuses();
  const owned = await admin.get(`/investors/${investor.body.id}/loan-assignments?status=active`);
  const prices = await stage.owner.query(
    'select sum(purchase_price) as total, count(*) as loans from loan_assignments where portfolio_id = $1',
    [id],
  );
  const later = await admin.post(`/portfolios/${id}/assign-loans`, { loan_ids });

  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect(answers.find(({ status }) => status === 200)?.body).toMatchObject({
    status: 'sold',
    sale_price: '9753.10',
    sale_date: '2026-01-15',
    servicing_retained: true,
    investor_id: null,
    buyer_id: investor.body.id,
    settlement_date: '2026-01-20',
    settled_on: null,
  });
  expect(answers.find(({ status }) => status === 409)?.body.code).toBe('already_sold');
  expect(before).toEqual(['pending', 'pending', 'pending', 'pending']);
  expect(settled).toEqual(['active', 'active', 'active', 'declined']);
  expect(owned.body[0]).toMatchObject({
    effective_date: '2026-01-21',
    purchase_price_ratio: '0.97531',
  });
  expect(prices.rows[0]).toMatchObject({ total: '9753.10', loans: '4' });
  expect(later.body.code).toBe('portfolio_sold');
  expect((await admin.get(`/portfolios/${id}`)).body).toMatchObject({
    investor_id: investor.body.id,
    settled_on: '2026-01-20',
    sale_price: '9753.10',
    settled_price: '9753.10',
    left_out: [{ loan_id: loan_ids[3], reason: 'nothing_owed' }],
    loan_count: 3,
  });
});

test('a sale without an investor, to another tenant’s investor or of another tenant’s loan changes nothing', async () => {
  const tenant = await stage.tenant();
  const { admin, investor } = await withInvestor(tenant);
  const nobody = '0198a000-0000-7000-8000-000000000000';
  const { id } = (await admin.post('/portfolios', { name: 'P' })).body;
  const sell = async (body: object) =>
    (await admin.post(`/portfolios/${id}/sell`, body)).body.errors;

  expect(await sell({ investor_id: nobody })).toEqual({ investor_id: 'Does not exist.' });
  expect(
    await sell({ investor_id: investor.body.id, settlement_instrument_id: nobody }),
  ).toHaveProperty('settlement_instrument_id');
  expect(await sell({ sale_date: '2026-01-15', settlement_date: '2026-01-14' })).toHaveProperty(
    'settlement_date',
  );
  expect((await admin.get(`/portfolios/${id}`)).body.status).toBe('active');
  expect((await admin.post(`/portfolios/${id}/sell`)).body).toMatchObject({
    status: 'sold',
    sale_price: null,
  });
});
