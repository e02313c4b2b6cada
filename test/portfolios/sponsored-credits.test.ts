import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const PRINCIPAL = { apply_to: 'principal', reason: 'A mistake of ours' };

test('the servicer pays the investor for a credit that it sponsors; an investor pays for its own', async () => {
  const tenant = await stage.tenant('2026-01-30');
  const { id } = await newLoan(tenant);
  const { admin, sell, balances, investor_id } = await newPortfolioForSale(tenant, id);
  await sell({ sale_price: '10000.00' });
  await travelTo(stage, tenant, '2026-02-10');
  const give = (body: object) =>
    admin.post(`/loans/${id}/service-credits`, { ...PRINCIPAL, ...body });

  const byDefault = await give({ amount: '100.00' });
  const ofMerchant = await give({ amount: '10.00', sponsor: 'merchant' });
  const ofInvestor = await give({ amount: '1.00', sponsor: 'lender' });
  const withdrawn = await give({ amount: '20.00', sponsor: 'servicer' });
  const reversed = await admin.post(`/service-credits/${withdrawn.body.id}/reverse`, {});
  const books = await balances();
  await travelTo(stage, tenant, '2026-03-02');
  await admin.post('/ledger/closings', { closed_through: '2026-02-28' });
  const remittance = await admin.post(`/investors/${investor_id}/remittances`, {});

  expect([byDefault, ofMerchant, ofInvestor].map(({ body }) => body.sponsor)).toEqual([
    'servicer',
    'merchant',
    'lender',
  ]);
  expect(reversed.status).toBe(200);
  expect(books).toEqual({ 'Service Credit Expense': '110.00', 'Due to Investors': '-110.00' });
  expect(remittance.body).toMatchObject({ other_collected: '110.00', collected: '110.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a credit reversed after a buyback leaves no expense for the servicer', async () => {
  const tenant = await stage.tenant('2026-01-30');
  const { id } = await newLoan(tenant);
  const { admin, sell, buyBack, balances } = await newPortfolioForSale(tenant, id);
  await sell({ sale_price: '10000.00' });
  await travelTo(stage, tenant, '2026-02-10');
  const credit = await admin.post(`/loans/${id}/service-credits`, {
    ...PRINCIPAL,
    amount: '100.00',
    sponsor: 'servicer',
  });
  await buyBack({ loan_ids: [id], price: '9900.00' });

  const reversed = await admin.post(`/service-credits/${credit.body.id}/reverse`, {});

  expect(reversed.status).toBe(200);
  const books = await balances();
  expect(books).not.toHaveProperty('Service Credit Expense');
  expect(books).toMatchObject({ 'Loans Receivable': '10000.00', 'Due to Investors': '-100.00' });
});
