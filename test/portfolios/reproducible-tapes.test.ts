import { expect, test } from 'vitest';
import { generateTape, requestTape } from '../../jobs/portfolios/generate-tape.job.ts';
import { TAPE_COLUMNS } from '../../sql/portfolios/tape-columns.ts';
import { newLoan } from '../setup/loans.ts';
import { newOutside } from '../setup/outside.ts';
import { travelTo } from '../setup/queue.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { newTapeConfig } from '../setup/tape-files.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const D = '2026-02-10';

/** Expects the request to succeed. */
async function done(answer: Promise<{ status: number; body: unknown }>) {
  const { status, body } = await answer;
  if (status >= 300) throw new Error(JSON.stringify(body));
  return body as Record<string, never> & { id: string };
}

async function securedLoan(tenant: Tenant) {
  const { officer } = tenant;
  const loan = await newLoan(tenant);
  const address = await done(
    officer.post(`/borrowers/${loan.borrower_id}/addresses`, {
      street_line_1: '1 Main St',
      city: 'Austin',
      state: 'TX',
      postal_code: '78701',
    }),
  );
  const item = await done(
    officer.post('/collateral', {
      loan_id: loan.id,
      collateral_type: 'vehicle',
      description: 'Blue',
      estimated_value: '20000',
    }),
  );
  return { ...loan, address: `/addresses/${address.id}`, item: `/collateral/${item.id}` };
}

test('a day’s tape is the same file a month later, regardless of later events', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const [paid, lost, changed] = [
    await securedLoan(tenant),
    await securedLoan(tenant),
    await securedLoan(tenant),
  ];
  const { admin, id, sell, list } = await newPortfolioForSale(tenant, paid.id, lost.id, changed.id);
  const tape = await newTapeConfig(stage, tenant, admin, { columns: TAPE_COLUMNS });
  await travelTo(stage, tenant, D);
  const onTheDay = { csv: await tape.file(D), json: await tape.file(D, 'json') };
  const open = (await tape.generate()).body;
  await travelTo(stage, tenant, '2026-02-11');
  const nextMorning = await tape.file(D);
  const figures = async () => {
    const taken = await done(admin.post(`/portfolios/${id}/snapshots`, { snapshot_date: D }));
    const { updated_at: _, ...rest } = taken;
    return rest;
  };
  const snapshot = await figures();

  await done(officer.post(`/loans/${paid.id}/payments`, { amount: '400.00', payment_date: D }));
  await done(
    officer.post(`${paid.item}/valuations`, {
      valuation_type: 'appraisal',
      valuation_date: '2026-02-01',
      appraised_value: '9000.00',
    }),
  );
  await done(admin.post(`/loans/${lost.id}/charge-off`, { reason: 'fraud' }));
  await done(officer.put(lost.address, { state: 'NV', postal_code: '89101' }));
  await done(officer.put(`/borrowers/${lost.borrower_id}`, { last_name: 'Murray' }));
  await done(
    officer.put(`/loans/${lost.id}`, { external_id: 'X-1', metadata: { credit_score: 7 } }),
  );
  await done(
    officer.post(`/loans/${changed.id}/modifications`, {
      modification_type: 'rate_change',
      new_interest_rate: '0.04',
      reason: 'hardship',
    }),
  );
  await done(officer.delete(changed.item));
  await stage.owner.query('update loans set term_months = 48 where id = $1', [paid.id]);
  await done(sell({ sale_price: '25000.00', settlement_date: '2026-02-20' }));
  await done(admin.put(`/portfolios/${id}`, { name: 'Sold' }));
  await travelTo(stage, tenant, '2026-03-12');
  const [later, simultaneous] = await Promise.all([tape.file(D), tape.file(D)]);
  const now = await tape.rows('2026-03-12');
  const owners = (await admin.get(list)).body.length;

  expect(later).toBe(onTheDay.csv);
  expect([nextMorning, simultaneous]).toEqual([later, later]);
  expect(await tape.file(D, 'json')).toBe(onTheDay.json);
  expect(await figures()).toEqual(snapshot);
  expect(open.warnings).toContainEqual(expect.objectContaining({ code: 'day_open', count: 3 }));
  expect(owners).toBe(3);
  expect(now.find(({ loan_id }) => loan_id === paid.id)).toMatchObject({
    collateral_value: '9000.00',
    investor: 'First Fund',
    portfolio: 'Sold',
  });
  expect(JSON.parse(onTheDay.json)[0]).toMatchObject({
    borrower_state: 'TX',
    collateral_value: '20000.00',
    ltv: '0.500000',
    interest_rate: '0.085',
    payment_amount: '315.68',
    investor: null,
    charge_off_date: null,
    as_of_date: D,
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('each day has the value, address and rate known on that day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const loan = await securedLoan(tenant);
  const admin = await tenant.signedIn('admin');
  const columns = ['ltv', 'borrower_state', 'interest_rate', 'term_months'];
  const tape = await newTapeConfig(stage, tenant, admin, { columns });
  await travelTo(stage, tenant, '2026-01-17');
  const value = { valuation_type: 'appraisal', appraised_value: '12500.00' };
  await done(officer.post(`${loan.item}/valuations`, { ...value, valuation_date: '2026-01-16' }));
  await travelTo(stage, tenant, '2026-01-19');
  await done(officer.put(loan.address, { state: 'NV', postal_code: '89101' }));
  await travelTo(stage, tenant, '2026-01-21');
  const told = [];
  for (const day of ['16', '17', '18', '19', '20'])
    told.push(...(await tape.rows(`2026-01-${day}`)));
  const kept = await stage.owner.query(
    'select from_date::text from loan_attribute_history where tenant_id = $1 order by from_date',
    [tenant.id],
  );

  const at = (ltv: string, borrower_state: string) => ({
    ltv,
    borrower_state,
    interest_rate: '0.085',
    term_months: 36,
  });
  expect(told).toEqual([
    at('0.500000', 'TX'),
    at('0.800000', 'TX'),
    at('0.800000', 'TX'),
    at('0.800000', 'NV'),
    at('0.800000', 'NV'),
  ]);
  expect(kept.rows.map(({ from_date }) => from_date)).toEqual([
    '2026-01-15',
    '2026-01-17',
    '2026-01-19',
  ]);
});

test('columns that were not stored for a past day are refused, with the first available day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const admin = await tenant.signedIn('admin');
  await travelTo(stage, tenant, '2026-01-20');
  await stage.owner.query(
    `update loan_attribute_history set from_date = '2026-01-18' where tenant_id = $1`,
    [tenant.id],
  );
  const ask = async (columns: string[], as_of_date: string, filters = {}) =>
    (await newTapeConfig(stage, tenant, admin, { columns, filters })).generate({ as_of_date });

  const early = await ask(['loan_number', 'ltv', 'borrower_name'], '2026-01-17');
  const known = await ask(['loan_number', 'principal_balance', 'status'], '2026-01-17');
  const since = await ask(['loan_number', 'ltv'], '2026-01-18');
  const open = await ask(['loan_number'], '2026-01-14');
  const gone = await ask(['loan_number'], '2026-01-18', { status: ['paid_off', 'active'] });
  const ordered = await newTapeConfig(stage, tenant, admin, {
    columns: ['loan_number'],
    filters: { status: 'paid_off' },
  });
  const today = await ordered.generate();
  const portfolio = (await admin.post('/portfolios', { name: 'P' })).body.id;
  await admin.post(`/portfolios/${portfolio}/assign-loans`, { loan_ids: [id] });
  const snapshot = await admin.post(`/portfolios/${portfolio}/snapshots`, {
    snapshot_date: '2026-01-17',
  });

  expect(early).toMatchObject({
    status: 409,
    body: {
      code: 'not_known_then',
      details: { wanted: ['ltv', 'borrower_name'], known_from: '2026-01-18' },
    },
  });
  expect([known.status, since.status]).toEqual([200, 200]);
  expect(open).toMatchObject({
    status: 409,
    body: { code: 'no_loan_snapshots', details: { known_from: '2026-01-15' } },
  });
  expect(gone).toMatchObject({
    status: 409,
    body: { code: 'not_kept', details: { status: ['paid_off'] } },
  });
  expect(today).toMatchObject({ status: 200, body: { row_count: 0 } });
  expect(snapshot.body.code).toBe('not_known_then');
});

test('a day that was closed without loans gives a tape without rows', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  await travelTo(stage, tenant, '2026-01-17');
  const tape = await newTapeConfig(stage, tenant, admin, { columns: ['loan_number', 'ltv'] });

  expect(await tape.file('2026-01-16')).toBe('loan_number,ltv\r\n');
});

test('a tape ordered for the open day is generated or refused the same way after its close', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await newLoan(tenant);
  const admin = await tenant.signedIn('admin');
  const order = async (filters: object) => {
    const config = { name: 'Daily', columns: ['loan_number'], filters };
    const { id } = (await admin.post('/loan-tape-configs', config)).body;
    return tenant.within((work) => requestTape(work, id, {}));
  };
  const [kept, gone] = [await order({}), await order({ status: 'paid_off' })];
  await travelTo(stage, tenant, '2026-01-16');
  const outside = newOutside(stage.pool);
  const make = (tape_id: string) => generateTape.run({ tenant_id: tenant.id, tape_id }, outside);

  await make(kept);
  await expect(make(gone)).rejects.toThrow('only loans on the books');
  const made = (await admin.get(`/loan-tapes/${kept}`)).body;
  expect(made).toMatchObject({ row_count: 1 });
  expect(made.warnings.map(({ code }: { code: string }) => code)).toEqual(['no_state']);
});
