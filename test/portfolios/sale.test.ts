import { expect, test } from 'vitest';
import { openLoan } from '../../jobs/loans/history/open-loan.ts';
import { recordEvents } from '../../jobs/loans/history/record-events.ts';
import { newEvent } from '../../jobs/loans/history/new-event.ts';
import { settleSale } from '../../jobs/portfolios/settle-sale.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const pay = (tenant: Tenant, id: string, amount: string, payment_date: string) =>
  tenant.officer.post(`/loans/${id}/payments`, { amount, payment_date });

test('a sold loan leaves the books, and its collections are owed to the investor', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { admin, sell, balances, list } = await newPortfolioForSale(tenant, id);

  const sold = await sell({ purchase_price_ratio: '0.98', settlement_date: '2026-02-14' });
  await travelTo(stage, tenant, '2026-02-14');
  const before = await balances();
  await travelTo(stage, tenant, '2026-02-15');
  const after = await balances();
  const paid = await pay(tenant, id, '315.68', '2026-02-15');
  const later = await balances();
  const [assignment] = (await admin.get(list)).body;
  const [entry] = (await admin.get('/ledger/entries?reference_type=portfolio_sale')).body;
  const loan = (await tenant.officer.get(`/loans/${id}`)).body;
  const shares = await tenant.officer.get(`/ledger/loans/${id}/sub-ledger?accruals_by=month`);
  const ended = await admin.put(`/loan-assignments/${assignment.id}`, { status: 'bought_back' });

  expect([sold.status, paid.status]).toEqual([200, 201]);
  expect(before).toEqual({
    Cash: '-10000.00',
    'Loans Receivable': '10000.00',
    'Interest Receivable': '69.86',
    'Interest Income': '-69.86',
  });
  expect(after).toEqual({ Cash: '-200.00', 'Interest Income': '-69.86', 'Loss on Sale': '269.86' });
  expect(later).toEqual({ ...after, Cash: '115.68', 'Due to Investors': '-315.68' });
  expect(assignment).toMatchObject({ status: 'active', journal_entry_ids: [entry.id] });
  expect(entry).toMatchObject({ loan_id: id, reference_id: assignment.id });
  expect(loan).toMatchObject({ status: 'active', principal_balance: '9756.51' });
  expect(JSON.stringify(shares.body)).toMatch(/"Interest Receivable".*"69.86"/);
  expect(ended).toMatchObject({ status: 409, body: { code: 'sale_booked' } });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a sale with servicing moves the loans to another servicer, and nothing remains', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [one, other] = [await newLoan(tenant), await newLoan(tenant)];
  await tenant.within(async (work) => {
    const waiting = { kind: 'payment', payment_type: 'fee_only', amount: '50.00' } as const;
    const event = newEvent({ ...waiting, effective_date: '2026-01-15' });
    await recordEvents(work, await openLoan(work, one.id), [event]);
  });
  const { admin, sell, balances } = await newPortfolioForSale(tenant, one.id, other.id);
  await travelTo(stage, tenant, '2026-01-20');
  const lost = await admin.post(`/loans/${other.id}/charge-off`, { reason: 'fraud' });

  const sold = await sell({ sale_price: '10400.00', servicing_retained: false });
  await travelTo(stage, tenant, '2026-02-15');
  const loans = await Promise.all(
    [one, other].map(async ({ id }) => (await tenant.officer.get(`/loans/${id}`)).body),
  );
  const misdirected = await pay(tenant, one.id, '100.00', '2026-02-15');
  const held = (await tenant.officer.get(`/loans/${one.id}`)).body;
  const tasks = await tenant.officer.get('/tasks?status=open');
  const events = await stage.owner.query(
    `select from events where event_type = 'loan.status_changed' and body like '%transferred%'`,
  );

  expect(lost.status, JSON.stringify(lost.body)).toBe(200);
  expect(sold.body).toMatchObject({ status: 'sold', servicing_retained: false });
  for (const loan of loans) {
    expect(loan).toMatchObject({
      status: 'transferred',
      total_balance: '0.00',
      suspense_balance: '0.00',
      charge_off_balance: '0.00',
      next_payment_date: null,
      days_past_due: 0,
    });
  }
  expect(misdirected).toMatchObject({ status: 201, body: { suspense_applied: '100.00' } });
  expect(held).toMatchObject({ status: 'transferred', suspense_balance: '100.00' });
  expect(tasks.body).toContainEqual(
    expect.objectContaining({
      title: `Forward or return the money received for ${held.loan_number}`,
      priority: 'high',
    }),
  );
  expect(events.rows).toHaveLength(2);
  expect(await balances()).toEqual({
    Cash: '-9450.00',
    'Borrower Suspense': '-100.00',
    'Due to Investors': '-50.00',
    'Interest Income': '-11.64',
    'Charge-Off Expense': '10000.00',
    'Gain on Sale': '-388.36',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('loans that were bought back are booked as before, and can be sold again', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [one, other] = [await newLoan(tenant), await newLoan(tenant)];
  const { admin, sell, buyBack, balances, list } = await newPortfolioForSale(
    tenant,
    one.id,
    other.id,
  );
  const early = await buyBack({ loan_ids: [one.id], price: '1.00' });
  await sell({ sale_price: '20000.00' });
  await travelTo(stage, tenant, '2026-01-25');
  const sold = await balances();

  const bought = await buyBack({ loan_ids: [one.id], price: '10100.00' });
  const again = await buyBack({ loan_ids: [one.id], price: '10100.00' });
  const later = await buyBack({ loan_ids: [other.id], price: '1.00', buyback_date: '2026-01-26' });
  const books = await balances();
  await travelTo(stage, tenant, '2026-02-15');
  await pay(tenant, one.id, '315.68', '2026-02-15');
  const loan = (await tenant.officer.get(`/loans/${one.id}`)).body;
  const shares = await tenant.officer.get(`/ledger/loans/${one.id}/sub-ledger?limit=1000`);
  const assignments = (await admin.get(`${list}?status=bought_back`)).body;
  const second = (await admin.post('/portfolios', { name: 'Second' })).body.id;
  const placed = await admin.post(`/portfolios/${second}/assign-loans`, { loan_ids: [one.id] });

  expect(early).toMatchObject({ status: 409, body: { code: 'not_sold' } });
  expect(bought).toMatchObject({ status: 200, body: { bought_back_count: 1 } });
  expect(again).toMatchObject({ status: 422, body: { errors: { loan_ids: expect.any(String) } } });
  expect(later.body.errors).toEqual({ buyback_date: 'Must be the business date.' });
  expect(sold).toEqual({});
  expect(books).toEqual({
    Cash: '-10100.00',
    'Loans Receivable': '10000.00',
    'Interest Receivable': '23.29',
    'Loss on Sale': '76.71',
  });
  expect(await balances()).toMatchObject({
    Cash: '-9784.32',
    'Loans Receivable': loan.principal_balance,
    'Interest Income': '-48.90',
  });
  const interestOn = (account: string) =>
    (shares.body as { reference_type: string; lines: { account: string }[] }[]).filter(
      ({ reference_type, lines }) =>
        reference_type === 'interest_accrual' && lines[0]?.account === account,
    ).length;
  expect([interestOn('Due to Investors'), interestOn('Interest Receivable')]).toEqual([10, 21]);
  expect(loan).toMatchObject({ investor_id: null, portfolio_id: null });
  expect(assignments).toMatchObject([{ loan_id: one.id, end_date: '2026-01-25' }]);
  expect(placed.status).toBe(200);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a sale that cannot be booked is refused', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { status: 'approved' });
  const { admin, id: portfolio, sell } = await newPortfolioForSale(tenant, id);
  const sellTo = (body: object) => admin.post(`/portfolios/${portfolio}/sell`, body);

  const refused = [
    await sell({ servicing_retained: false }),
    await sellTo({ sale_price: '100.00' }),
    await sell({ sale_price: '100.00' }),
  ];

  expect(refused.map(({ status, body }) => [status, body.errors])).toEqual([
    [422, { sale_price: 'Is required if servicing is not retained.' }],
    [422, { investor_id: 'Is required with a price.' }],
    [422, { sale_price: 'The loans of the portfolio owe nothing.' }],
  ]);
});

test('a sale that fails for a loan names it with the day, and is retried the next day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { sell, list, admin, accounts } = await newPortfolioForSale(tenant, id);
  await sell({ sale_price: '9900.00', settlement_date: '2026-01-16' });
  const off = `update ledger_accounts set role = $2 where id = '${accounts['due_to_investors']}'`;
  await stage.owner.query(off.replace('$2', `'nothing'`));

  await travelTo(stage, tenant, '2026-01-17');
  const failed = (await admin.get(list)).body[0].status;
  const parked = await stage.owner.query('select step from cob_loan_errors where loan_id = $1', [
    id,
  ]);
  await stage.owner.query(off.replace('$2', `'due_to_investors'`));
  await travelTo(stage, tenant, '2026-01-18');

  expect(failed).toBe('pending');
  expect(parked.rows).toEqual([{ step: 'portfolio_sale' }]);
  expect((await admin.get(list)).body[0].status).toBe('active');
  expect(await violationsIn(stage)).toEqual([]);
});

test('a manually reversed sale is reported', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { admin, sell } = await newPortfolioForSale(tenant, id);
  await sell({ sale_price: '9800.00' });
  await travelTo(stage, tenant, '2026-01-16');
  const [entry] = (await admin.get('/ledger/entries?reference_type=portfolio_sale')).body;

  await admin.post(`/ledger/entries/${entry.id}/reverse`, { reason: 'Slip' });

  expect(await violationsIn(stage)).toEqual([
    expect.stringContaining('and account 1100 still has 10000.00 of its loans_receivable.'),
  ]);
});

test('a sale that two closes settle concurrently is settled once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id: loan_id } = await newLoan(tenant);
  const { admin, sell, list } = await newPortfolioForSale(tenant, loan_id);
  await sell({ sale_price: '9800.00' });
  const { id, purchase_price: price } = (await admin.get(list)).body[0];
  const due = {
    id,
    loan_id,
    price,
    portfolio_id: null,
    agreed_status: 'active',
    servicing_retained: false,
  };

  await Promise.all([1, 2].map(() => tenant.within((work) => settleSale(work, due))));
  const entries = await admin.get(`/ledger/loans/${loan_id}/sub-ledger`);

  const types = (entries.body as { reference_type: string }[]).map((entry) => entry.reference_type);
  expect(types.toSorted()).toEqual(['disbursement', 'portfolio_sale', 'servicing_transfer']);
});
