import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { newTapeConfig } from '../setup/tape-files.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const ownerOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}`)).body.investor_id;

test('a loan belongs to the seller until the close of the settlement date', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { admin, id: portfolio, sell, list, balances } = await newPortfolioForSale(tenant, id);
  const seller = (await admin.post('/investors', { name: 'Seller', investor_type: 'spv' })).body.id;
  await admin.put(`/portfolios/${portfolio}`, { investor_id: seller });
  const agreed = (await sell({ sale_price: '9800.00', settlement_date: '2026-01-18' })).body;
  const owners = [await ownerOf(tenant, id)];
  const [pending] = (await admin.get(list)).body;
  await travelTo(stage, tenant, '2026-01-18');
  owners.push(await ownerOf(tenant, id));
  const before = await balances();
  await travelTo(stage, tenant, '2026-01-19');
  owners.push(await ownerOf(tenant, id));
  const read = (await admin.get(`/portfolios/${portfolio}`)).body;
  const kept = (await admin.get(`/loan-snapshots?loan_id=${id}`)).body;
  for (const snapshot_date of ['2026-01-17', '2026-01-18'])
    await admin.post(`/portfolios/${portfolio}/snapshots`, { snapshot_date });
  const bought = (await admin.get(`/portfolio-snapshots?investor_id=${agreed.buyer_id}`)).body;
  const sellers = (await admin.get(`/portfolio-snapshots?investor_id=${seller}`)).body;
  const history = await stage.owner.query(
    `select action from audit_log where entity_id = any($1) order by created_at`,
    [[portfolio, pending.id]],
  );

  expect(agreed).toMatchObject({ status: 'sold', investor_id: seller, settled_on: null });
  expect(pending).toMatchObject({ status: 'pending', settlement_date: '2026-01-18' });
  expect(owners).toEqual([seller, seller, agreed.buyer_id]);
  expect(before).not.toHaveProperty('Loss on Sale');
  expect(read).toMatchObject({
    investor_id: agreed.buyer_id,
    settled_on: '2026-01-18',
    settled_price: '9800.00',
    left_out: [],
  });
  expect(
    kept.map((day: Record<string, string>) => [day['snapshot_date'], day['investor_id']]),
  ).toEqual([
    ['2026-01-18', agreed.buyer_id],
    ['2026-01-17', seller],
    ['2026-01-16', seller],
    ['2026-01-15', seller],
  ]);
  expect(sellers).toMatchObject([{ snapshot_date: '2026-01-17' }]);
  expect(bought).toMatchObject([{ snapshot_date: '2026-01-18' }]);
  expect(history.rows.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['sell', 'settle', 'settle-sale']),
  );
  expect(await violationsIn(stage)).toEqual([]);
});

test('loans that are paid off, charged off, withdrawn or unfunded are not sold, and are listed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const sold = await newLoan(tenant);
  const paid = await newLoan(tenant);
  const lost = await newLoan(tenant);
  const withdrawn = await newLoan(tenant);
  const waiting = await newLoan(tenant, { status: 'approved' });
  const ids = [sold, paid, lost, withdrawn, waiting].map(({ id }) => id);
  const { admin, id: portfolio, sell, list, balances } = await newPortfolioForSale(tenant, ...ids);
  const tape = await newTapeConfig(stage, tenant, admin, {
    columns: ['loan_id', 'investor'],
    portfolio_id: portfolio,
  });
  const agreed = (await sell({ sale_price: '39200.00', settlement_date: '2026-01-18' })).body;
  const [out] = (await admin.get(`${list}?loan_id=${withdrawn.id}`)).body;
  await admin.put(`/loan-assignments/${out.id}`, { status: 'canceled' });
  const buyers = await newTapeConfig(stage, tenant, admin, {
    columns: ['loan_id'],
    filters: { investor_id: agreed.buyer_id },
  });
  await tenant.officer.post(`/loans/${paid.id}/payments`, { amount: '10100.00' });
  await travelTo(stage, tenant, '2026-01-17');
  await admin.post(`/loans/${lost.id}/charge-off`, { reason: 'fraud' });
  const cash = async () => Number((await balances())['Cash']);
  const before = await cash();
  await travelTo(stage, tenant, '2026-01-20');
  const read = (await admin.get(`/portfolios/${portfolio}`)).body;
  const assignments = (await admin.get(list)).body as Record<string, string>[];
  const owners = await Promise.all(ids.map((id) => ownerOf(tenant, id)));

  expect((await cash()) - before).toBe(9800);
  expect(read).toMatchObject({ sale_price: '39200.00', settled_price: '9800.00', loan_count: 1 });
  expect(read.left_out).toEqual([
    { loan_id: paid.id, reason: 'paid_off' },
    { loan_id: lost.id, reason: 'charged_off' },
    { loan_id: withdrawn.id, reason: 'canceled' },
  ]);
  expect(assignments.map(({ loan_id, status }) => [loan_id, status])).toEqual(
    expect.arrayContaining([
      [sold.id, 'active'],
      [paid.id, 'declined'],
      [lost.id, 'declined'],
    ]),
  );
  expect(owners).toEqual([agreed.buyer_id, null, null, null, null]);
  expect(await tape.rows('2026-01-17')).toHaveLength(3);
  expect(await tape.rows('2026-01-18')).toEqual([{ loan_id: sold.id, investor: 'First Fund' }]);
  expect(await buyers.rows('2026-01-17')).toEqual([]);
  expect(await buyers.rows('2026-01-19')).toEqual([{ loan_id: sold.id }]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a sale that is canceled before it settles leaves only its history', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { admin, id: portfolio, sell, list, balances } = await newPortfolioForSale(tenant, id);
  const books = await balances();
  const { updated_at: _, ...before } = (await admin.get(`/portfolios/${portfolio}`)).body;
  const cancel = () => admin.post(`/portfolios/${portfolio}/cancel-sale`);
  const early = await cancel();
  await sell({ sale_price: '9800.00', settlement_date: '2026-01-18' });

  const canceled = await cancel();
  const { updated_at: __, ...after } = (await admin.get(`/portfolios/${portfolio}`)).body;
  const untouched = await balances();
  await travelTo(stage, tenant, '2026-01-20');
  const [assignment] = (await admin.get(list)).body;
  const owner = await ownerOf(tenant, id);
  const again = await sell({ sale_price: '9700.00' });
  await travelTo(stage, tenant, '2026-01-21');
  const late = await cancel();
  const history = await stage.owner.query(
    `select entity_type from audit_log where action = 'cancel-sale' order by entity_type`,
  );

  expect(early).toMatchObject({ status: 409, body: { code: 'not_sold' } });
  expect(canceled).toMatchObject({ status: 200, body: { status: 'active', buyer_id: null } });
  expect(after).toEqual(before);
  expect(assignment).toMatchObject({ status: 'canceled', journal_entry_ids: [] });
  expect(owner).toBeNull();
  expect(untouched).toEqual(books);
  expect(again.body).toMatchObject({ status: 'sold', left_out: [] });
  expect(late).toMatchObject({ status: 409, body: { code: 'sale_settled' } });
  expect(history.rows.map(({ entity_type }) => entity_type)).toEqual([
    'loan_assignments',
    'portfolios',
  ]);
  expect((await admin.get(`/portfolios/${portfolio}`)).body.settled_price).toBe('9700.00');
  expect(await violationsIn(stage)).toEqual([]);
});

test('of two simultaneous sales of one loan, the second is refused', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { admin, sell, list } = await newPortfolioForSale(tenant, id);
  const other = (await admin.post('/investors', { name: 'Other', investor_type: 'bank' })).body.id;
  const settlement_date = '2026-01-18';

  const answers = await Promise.all([
    sell({ settlement_date }),
    sell({ settlement_date }),
    admin.post(`/investors/${other}/loan-assignments`, { loan_id: id, settlement_date }),
  ]);
  const pending = [
    ...(await admin.get(`${list}?status=pending`)).body,
    ...(await admin.get(`/investors/${other}/loan-assignments?status=pending`)).body,
  ];

  expect(answers.filter(({ status }) => status < 300)).toHaveLength(1);
  expect(answers.filter(({ status }) => status === 409)).toHaveLength(2);
  expect(pending).toHaveLength(1);
});

test('a past settlement date settles in the next close', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [one, other] = [await newLoan(tenant), await newLoan(tenant)];
  const { admin, sell, list } = await newPortfolioForSale(tenant, one.id);
  await travelTo(stage, tenant, '2026-01-20');
  const dates = { sale_date: '2026-01-16', settlement_date: '2026-01-17' };
  const agreed = await sell({ ...dates, sale_price: '9800.00' });
  const byHand = await admin.post(list, { loan_id: other.id, settlement_date: '2026-01-17' });
  const owners = [await ownerOf(tenant, one.id), await ownerOf(tenant, other.id)];
  await travelTo(stage, tenant, '2026-01-21');
  const assignments = (await admin.get(list)).body as Record<string, string>[];
  const [entry] = (await admin.get('/ledger/entries?reference_type=portfolio_sale')).body;

  expect(agreed.body).toMatchObject({ ...dates, settled_on: null });
  expect([byHand.status, byHand.body.status]).toEqual([201, 'pending']);
  expect(owners).toEqual([null, null]);
  expect(assignments.map(({ status, effective_date }) => [status, effective_date])).toEqual([
    ['active', '2026-01-21'],
    ['active', '2026-01-21'],
  ]);
  expect(entry.entry_date).toBe('2026-01-20');
});

test('recoveries of a charged-off loan that was sold for nothing go to its investor', async () => {
  const tenant = await stage.tenant('2026-01-30');
  const good = await newLoan(tenant);
  const lost = await newLoan(tenant, { disbursement_date: '2026-01-02' });
  const pay = (amount: string, payment_date: string) =>
    tenant.officer.post(`/loans/${lost.id}/payments`, { amount, payment_date });
  const { admin, sell, balances, investor_id, buyBack } = await newPortfolioForSale(
    tenant,
    good.id,
    lost.id,
  );
  const chargedOff = await admin.post(`/loans/${lost.id}/charge-off`, {});
  await sell({ sale_price: '10000.00' });
  await travelTo(stage, tenant, '2026-02-27');

  const recovered = await pay('100.00', '2026-02-27');
  const before = await pay('40.00', '2026-01-20');
  await travelTo(stage, tenant, '2026-03-02');
  await admin.post('/ledger/closings', { closed_through: '2026-02-28' });
  const told = await admin.post(`/investors/${investor_id}/remittances`, {});
  const parts = (await admin.get(`/remittances/${told.body.id}/loans`)).body;
  const back = await buyBack({ loan_ids: [lost.id], price: '0.00' });
  const own = await pay('7.00', '2026-03-02');
  const books = await balances();

  const all = [chargedOff, recovered, before, told, back, own];
  expect(all.map(({ status }) => status)).toEqual([200, 201, 201, 201, 200, 201]);
  expect(parts).toContainEqual(expect.objectContaining({ loan_id: lost.id, collected: '100.00' }));
  expect(told.body.collected).toBe('100.00');
  // Payments dated before the sale belong to the seller, regardless of when they are found, as do those
  // after the buyback.
  expect(books).toEqual({
    Cash: '-9853.00',
    'Charge-Off Expense': '10000.00',
    'Due to Investors': '-95.83',
    'Gain on Sale': '-40.00',
    'Recovery Income': '-7.00',
    'Servicing Fee Income': '-4.17',
  });
  expect(await violationsIn(stage)).toEqual([]);
});
