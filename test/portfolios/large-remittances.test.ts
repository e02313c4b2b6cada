import { expect, test } from 'vitest';
import { booked, newLoan as bareLoan } from '../ledger/books.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newPortfolioForSale } from '../setup/sales.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const MUCH = '9000000000000.00';

test('a month with more collections than one amount can hold is remitted, booked and paid', async () => {
  const tenant = await stage.tenant('2026-01-30');
  const loans = [(await newLoan(tenant)).id, (await newLoan(tenant)).id];
  const { admin, accounts, sell, balances, investor_id } = await newPortfolioForSale(
    tenant,
    ...loans,
  );
  await sell({ sale_price: '20000.00' });
  await travelTo(stage, tenant, '2026-02-28');
  // An amount that is possible in a currency with small units, such as the dong.
  for (const loan_id of loans) {
    const heading = { entry_date: '2026-02-28', loan_id };
    await booked({ admin, accounts }, ['cash', 'due_to_investors', MUCH], heading);
  }
  await travelTo(stage, tenant, '2026-03-02');
  await admin.post('/ledger/closings', { closed_through: '2026-02-28' });

  const told = await admin.post(`/investors/${investor_id}/remittances`, {});
  const sent = await admin.post(`/remittances/${told.body.id}/pay`, {});
  const listed = await admin.get(`/investors/${investor_id}/remittances`);

  const figures = {
    loan_count: 2,
    principal_owned: '20000.00',
    principal_collected: '0.00',
    other_collected: '18000000000000.00',
    collected: '18000000000000.00',
    servicing_fee: '8.34',
    amount_due: '17999999999991.66',
  };
  expect(told).toMatchObject({ status: 201, body: figures });
  expect(sent).toMatchObject({ status: 200, body: { status: 'paid', ...figures } });
  expect(listed.body).toMatchObject([figures]);
  // Nothing remains due to the investor.
  expect(await balances()).toEqual({ Cash: '8.34', 'Servicing Fee Income': '-8.34' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a price above the maximum amount is refused, and the error says so', async () => {
  const tenant = await stage.tenant('2026-01-30');
  await newLoan(tenant);
  const large = { principal_amount: MUCH, principal_balance: MUCH };
  const loans = [await bareLoan(tenant, large), await bareLoan(tenant, large)];
  const { sell } = await newPortfolioForSale(tenant, ...loans);

  const refused = await sell({ purchase_price_ratio: '0.9' });
  const sold = await sell({ purchase_price_ratio: '0.5' });

  expect(refused).toMatchObject({
    status: 422,
    body: {
      errors: {
        purchase_price_ratio:
          'The price of 16200000000000.00 exceeds the maximum of 9999999999999.99. Sell the loans in several portfolios.',
      },
    },
  });
  expect(sold).toMatchObject({ status: 200, body: { sale_price: MUCH } });
});
