import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

async function pay(tenant: Tenant, id: string, amount: string, payment_date: string) {
  const paid = await tenant.officer.post(`/loans/${id}/payments`, { amount, payment_date });
  expect(paid.status, JSON.stringify(paid.body)).toBe(201);
  return paid.body.id as string;
}

async function bounce(tenant: Tenant, paymentId: string) {
  const path = `/payments/${paymentId}/return`;
  const back = await tenant.officer.post(path, { return_code: 'R01', waive_fee: true });
  expect(back.status, JSON.stringify(back.body)).toBe(200);
}

const tasksOf = async ({ officer }: Tenant) =>
  (await officer.get('/tasks?status=open')).body as { title: string; description: string }[];

test('a payment that bounces after the sale leaves the price to settle with the investor, until it is replaced', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { sell, balances } = await newPortfolioForSale(tenant, id);
  // Nine days of 10,000.00 at 0.085 are 20.96, so 279.04 of 300.00 is principal: 9,720.96 is left.
  await travelTo(stage, tenant, '2026-01-24');
  const payment = await pay(tenant, id, '300.00', '2026-01-24');
  await sell({ sale_price: '9800.00', settlement_date: '2026-01-25' });
  await travelTo(stage, tenant, '2026-01-26');
  const before = await tasksOf(tenant);

  await bounce(tenant, payment);
  const [task, ...others] = await tasksOf(tenant);
  const books = await balances();
  // The borrower replaces the payment with the same date.
  await pay(tenant, id, '300.00', '2026-01-24');

  expect(before).toEqual([]);
  expect(others).toEqual([]);
  expect(task).toMatchObject({
    title: 'Settle the sale price of LN-2026-000001 with its investor',
    priority: 'high',
  });
  // Sold: 9,720.96 and 2.26 of interest for January 24. Without the payment: 10,000.00 and 23.29.
  expect(task?.description).toContain('sold for 9800.00 with a balance of 9723.22.');
  expect(task?.description).toContain('so the sold balance is 10023.29.');
  // 10,000.00 lent, 9,800.00 received.
  expect(books).toMatchObject({ Cash: '-200.00' });
  expect(await tasksOf(tenant)).toEqual([]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a payment scheduled for the day of the sale is the investor’s, because it is booked after the sale', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { sell, balances } = await newPortfolioForSale(tenant, id);
  const scheduled = { amount: '300.00', payment_date: '2026-01-25', payment_method: 'check' };
  const made = await tenant.officer.post(`/loans/${id}/payments`, scheduled);
  await sell({ sale_price: '9800.00', settlement_date: '2026-01-25' });
  await travelTo(stage, tenant, '2026-01-26');
  const payment = (await tenant.officer.get(`/payments/${made.body.id}`)).body;
  const books = await balances();

  expect(payment.status).toBe('completed');
  expect(await tasksOf(tenant)).toEqual([]);
  // 10,000.00 lent, 9,800.00 and 300.00 received, the latter for the investor.
  expect(books).toMatchObject({ Cash: '100.00', 'Due to Investors': '-300.00' });
  await bounce(tenant, made.body.id);
  expect(await tasksOf(tenant)).toEqual([]);
  expect(await balances()).toMatchObject({ Cash: '-200.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a payment that bounces after the loan was transferred tells the officer what the new servicer must know', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { sell, balances } = await newPortfolioForSale(tenant, id);
  await travelTo(stage, tenant, '2026-01-25');
  const payment = await pay(tenant, id, '300.00', '2026-01-25');
  await sell({ sale_price: '9800.00', settlement_date: '2026-01-25', servicing_retained: false });
  await travelTo(stage, tenant, '2026-01-26');

  await bounce(tenant, payment);

  const tasks = await tasksOf(tenant);
  const loan = (await tenant.officer.get(`/loans/${id}`)).body;
  expect(tasks.map(({ title }) => title).toSorted()).toEqual([
    'Correct the balance that LN-2026-000001 was transferred with',
    'Settle the sale price of LN-2026-000001 with its investor',
  ]);
  const correction = tasks.find(({ title }) => title.startsWith('Correct'));
  // The transfer comes before the interest of its day.
  expect(correction?.description).toContain('principal 10000.00, interest 23.29, fees 0.00,');
  expect(loan).toMatchObject({ status: 'transferred', total_balance: '0.00' });
  expect(await balances()).toMatchObject({ Cash: '-200.00' });
  expect(await balances()).not.toHaveProperty('Due to Investors');
  expect(await violationsIn(stage)).toEqual([]);
});

test('a payment for the investor that bounces after its month was remitted is taken from the month of the return', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { admin, sell, investor_id } = await newPortfolioForSale(tenant, id);
  await sell({ sale_price: '10000.00', settlement_date: '2026-01-15' });
  await travelTo(stage, tenant, '2026-01-25');
  const payment = await pay(tenant, id, '300.00', '2026-01-25');
  await travelTo(stage, tenant, '2026-02-03');
  const close = (through: string) => admin.post('/ledger/closings', { closed_through: through });
  const remit = async (period_end: string) =>
    (await admin.post(`/investors/${investor_id}/remittances`, { period_end })).body;
  await close('2026-01-31');
  const january = await remit('2026-01-31');

  await bounce(tenant, payment);
  await travelTo(stage, tenant, '2026-03-02');
  await close('2026-02-28');
  const february = await remit('2026-02-28');
  const again = (await admin.get(`/remittances/${january.id}`)).body;

  expect(january).toMatchObject({ collected: '300.00' });
  expect(again).toMatchObject({ collected: '300.00' });
  expect(february).toMatchObject({ collected: '-300.00', principal_collected: '-276.71' });
  expect(await tasksOf(tenant)).toEqual([]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('payments from before, during and after an investor’s ownership that bounce after the buyback leave the books right', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { sell, buyBack, balances } = await newPortfolioForSale(tenant, id);
  await travelTo(stage, tenant, '2026-01-20');
  const paid = [await pay(tenant, id, '300.00', '2026-01-20')];
  await sell({ sale_price: '9800.00', settlement_date: '2026-01-25' });
  await travelTo(stage, tenant, '2026-01-28');
  paid.push(await pay(tenant, id, '200.00', '2026-01-28'));
  await travelTo(stage, tenant, '2026-02-01');
  await buyBack({ loan_ids: [id], price: '9500.00' });
  await travelTo(stage, tenant, '2026-02-03');
  paid.push(await pay(tenant, id, '100.00', '2026-02-03'));
  await travelTo(stage, tenant, '2026-02-05');

  for (const payment of paid) await bounce(tenant, payment);
  const books = await balances();
  const loan = (await tenant.officer.get(`/loans/${id}`)).body;

  // 10,000.00 lent, 9,800.00 received, 9,500.00 paid back. The 200.00 were the investor's.
  expect(books).toMatchObject({
    Cash: '-9700.00',
    'Loans Receivable': '10000.00',
    'Due to Investors': '-200.00',
  });
  // 21 days of 10,000.00 at 0.085.
  expect(loan).toMatchObject({ principal_balance: '10000.00', accrued_interest: '48.90' });
  expect(await tasksOf(tenant)).toEqual([]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a return dated before the sale but recorded after it corrects the sale on its own day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const { admin, sell, balances } = await newPortfolioForSale(tenant, id);
  await travelTo(stage, tenant, '2026-01-18');
  const payment = await pay(tenant, id, '300.00', '2026-01-18');
  await sell({ sale_price: '9800.00', settlement_date: '2026-01-25' });
  await travelTo(stage, tenant, '2026-01-28');

  const back = await tenant.officer.post(`/payments/${payment}/return`, {
    return_code: 'R01',
    returned_date: '2026-01-22',
    waive_fee: true,
  });

  const entries = (await admin.get('/ledger/entries?reference_type=payment_reversal')).body;
  expect(back.status, JSON.stringify(back.body)).toBe(200);
  expect(entries).toMatchObject([{ entry_date: '2026-01-22' }]);
  expect(await balances()).toMatchObject({ Cash: '-200.00' });
  expect(await balances()).not.toHaveProperty('Loans Receivable');
  expect((await tasksOf(tenant)).map(({ title }) => title)).toEqual([
    'Settle the sale price of LN-2026-000001 with its investor',
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});
