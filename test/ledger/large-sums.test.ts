import { expect, test } from 'vitest';
import { loansByBucket, servicingTotals } from '../../sql/operations/servicing-totals.ts';
import { newLoan as fundedLoan } from '../setup/loans.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';
import { bookAccrual, booked, keeperOf, newLoan } from './books.ts';

const stage = await newStage();

test('an account may hold more than the maximum of a line', async () => {
  const keeper = await keeperOf(await stage.tenant());
  const { admin, accounts } = keeper;
  for (let times = 0; times < 2; times += 1)
    await booked(keeper, ['cash', 'interest_income', '9999999999999.99']);

  const balance = await admin.get(`/ledger/accounts/${accounts['cash']}/balance`);
  const detail = await admin.get(`/ledger/gl-detail?account_id=${accounts['cash']}`);

  expect(balance.body).toMatchObject({
    balance: '19999999999999.98',
    balance_with_children: '19999999999999.98',
  });
  expect(detail.body.at(-1)).toMatchObject({ running_balance: '19999999999999.98' });
});

test('a fiscal year with income above the maximum amount is closed with several lines per account', async () => {
  const tenant = await stage.tenant();
  const keeper = await keeperOf(tenant);
  const { admin } = keeper;
  const entry_date = '2025-12-31';
  for (const amount of ['9000000000000.00', '9000000000000.00', '9000000000000.01'])
    await booked(keeper, ['cash', 'interest_income', amount], { entry_date });
  await booked(keeper, ['charge_off_expense', 'cash', '0.01'], { entry_date });

  const ended = await admin.post('/ledger/year-ends', { fiscal_year_end: entry_date });
  const listed = await admin.get('/ledger/year-ends');
  const entry = await admin.get(`/ledger/entries/${ended.body.journal_entry_id}`);
  const sheet = await admin.get(`/ledger/balance-sheet?as_of_date=${entry_date}`);

  expect(ended).toMatchObject({ status: 201, body: { net_income: '27000000000000.00' } });
  expect(listed.body).toMatchObject([{ net_income: '27000000000000.00' }]);
  expect(
    entry.body.lines.map((line: Record<string, string>) => [
      line['account_code'],
      line['debit'],
      line['credit'],
    ]),
  ).toEqual([
    ['4000', '9999999999999.99', '0.00'],
    ['4000', '9999999999999.99', '0.00'],
    ['4000', '7000000000000.03', '0.00'],
    ['5000', '0.00', '0.01'],
    ['3000', '0.00', '9999999999999.99'],
    ['3000', '0.00', '9999999999999.99'],
    ['3000', '0.00', '7000000000000.02'],
  ]);
  expect(sheet.body).toMatchObject({
    equity: [{ code: '3000', amount: '27000000000000.00' }],
    unclosed_income: '0.00',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a fiscal year with a loss above the maximum amount is closed too', async () => {
  const keeper = await keeperOf(await stage.tenant());
  const entry_date = '2025-12-31';
  for (const amount of ['9000000000000.00', '9000000000000.00'])
    await booked(keeper, ['charge_off_expense', 'cash', amount], { entry_date });

  const ended = await keeper.admin.post('/ledger/year-ends', { fiscal_year_end: entry_date });

  expect(ended).toMatchObject({ status: 201, body: { net_income: '-18000000000000.00' } });
  expect(await violationsIn(stage)).toEqual([]);
});

test('totals of loans may exceed the maximum of a single amount', async () => {
  const tenant = await stage.tenant();
  await fundedLoan(tenant);
  const principal_balance = '9000000000000.00';
  for (let times = 0; times < 2; times += 1) {
    const id = await newLoan(tenant, { principal_balance, delinquency_bucket: 'dpd_30' });
    await bookAccrual(tenant, '2026-01-15', { [id]: principal_balance });
  }

  const told = await tenant.within(({ tx }) => servicingTotals(tx));
  const spread = await tenant.within(({ tx }) => loansByBucket(tx));

  expect(told).toMatchObject({ accrued_interest: '18000000000000.00' });
  expect(spread).toContainEqual({ bucket: 'dpd_30', loans: 2, principal: '18000000000000.00' });
});
