import { expect, test } from 'vitest';
import { newStage } from '../setup/world.ts';
import { booked, keeperOf } from './books.ts';

const stage = await newStage();

test('an account may hold more than a single line can say, as books in small coins do', async () => {
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
