import { expect, test } from 'vitest';
import { newStage } from '../setup/world.ts';
import { keeperOf, line } from './books.ts';

const stage = await newStage();
const { admin, accounts } = await keeperOf(await stage.tenant());

const drafting = (lines: unknown) =>
  admin.post('/ledger/entries', { entry_date: '2026-01-15', description: 'Rent', lines });

const foreign = await keeperOf(await stage.tenant());
const header = (
  await admin.post('/ledger/accounts', {
    code: '9000',
    name: 'Group',
    account_type: 'asset',
    is_header: true,
  })
).body.id;
const sleeping = (
  await admin.post('/ledger/accounts', {
    code: '9001',
    name: 'Old',
    account_type: 'asset',
    is_active: false,
  })
).body.id;
const cash = accounts['cash'];
const equity = accounts['retained_earnings'];

test.each([
  ['no lines', [], 'lines'],
  ['one line', [line(cash, '1.00')], 'lines'],
  ['unequal sums', [line(cash, '1.00'), line(equity, '-1.01')], 'lines'],
  [
    'both sides',
    [
      { account_id: cash, debit: '1.00', credit: '1.00' },
      { account_id: equity, debit: '1.00', credit: '1.00' },
    ],
    'lines',
  ],
  ['neither side', [{ account_id: cash }, { account_id: equity }], 'lines'],
  [
    'a negative amount',
    [
      { account_id: cash, debit: '-1.00' },
      { account_id: equity, credit: '-1.00' },
    ],
    'lines.0.debit',
  ],
  ['three decimals', [line(cash, '1.001'), line(equity, '-1.001')], 'lines.0.debit'],
  [
    'not a number',
    [
      { account_id: cash, debit: 'NaN' },
      { account_id: equity, credit: 'NaN' },
    ],
    'lines.0.debit',
  ],
  [
    'a JSON number',
    [
      { account_id: cash, debit: 1 },
      { account_id: equity, credit: 1 },
    ],
    'lines.0.debit',
  ],
  [
    'an account of another tenant',
    [line(cash, '1.00'), line(foreign.accounts['cash'], '-1.00')],
    'lines.1.account_id',
  ],
  ['an account that only groups', [line(header, '1.00'), line(cash, '-1.00')], 'lines'],
  ['an account that is switched off', [line(cash, '1.00'), line(sleeping, '-1.00')], 'lines'],
  ['ten thousand lines', Array.from({ length: 1_001 }, () => line(cash, '1.00')), 'lines'],
])('an entry with %s is refused and nothing is written', async (_what, lines, field) => {
  const before = (await admin.get('/ledger/entries?limit=1')).headers['content-range'];

  const refused = await drafting(lines);
  const after = (await admin.get('/ledger/entries?limit=1')).headers['content-range'];

  expect(refused.status).toBe(422);
  expect(Object.keys(refused.body.errors)).toContain(field);
  expect(after).toBe(before);
});
