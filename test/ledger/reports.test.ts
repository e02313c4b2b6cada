import { expect, test } from 'vitest';
import { postEntry } from '../../jobs/ledger/post.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';
import { booked, keeperOf, line } from './books.ts';

const stage = await newStage();

test('a child account has its parent’s type, and its code is unique', async () => {
  const { admin, accounts } = await keeperOf(await stage.tenant());
  const foreign = await keeperOf(await stage.tenant());
  const adding = (more: Record<string, unknown>) =>
    admin.post('/ledger/accounts', {
      code: '1010',
      name: 'Bank',
      account_type: 'asset',
      ...more,
    });

  const added = await adding({ parent_id: accounts['cash'] });
  const taken = await adding({});
  const otherType = await adding({ code: '1', parent_id: accounts['interest_income'] });
  const foreignParent = await adding({ code: '2', parent_id: foreign.accounts['cash'] });

  expect(added).toMatchObject({ status: 201, body: { normal_balance: 'debit', is_active: true } });
  expect(taken).toMatchObject({ status: 422, body: { errors: { code: 'Is already taken.' } } });
  expect(Object.keys(otherType.body.errors)).toEqual(['parent_id']);
  expect(Object.keys(foreignParent.body.errors)).toEqual(['parent_id']);
});

test('an account can be renamed, and deactivated unless the system books on it', async () => {
  const { admin, accounts } = await keeperOf(await stage.tenant());
  const own = await admin.post('/ledger/accounts', {
    code: '6000',
    name: 'Rent',
    account_type: 'expense',
  });

  const renamed = await admin.put(`/ledger/accounts/${own.body.id}`, {
    ...own.body,
    code: '6001',
    name: 'Office rent',
    is_active: false,
  });
  const refused = await admin.put(`/ledger/accounts/${accounts['cash']}`, { is_active: false });

  expect(renamed).toMatchObject({
    status: 200,
    body: { code: '6000', name: 'Office rent', is_active: false },
  });
  expect(refused).toMatchObject({ status: 409, body: { code: 'in_use' } });
});

test('a balance is positive on the normal side, counts children separately and ignores drafts', async () => {
  const keeper = await keeperOf(await stage.tenant());
  const { admin, accounts } = keeper;
  const bank = await admin.post('/ledger/accounts', {
    code: '1010',
    name: 'Bank',
    account_type: 'asset',
    parent_id: accounts['cash'],
  });
  accounts['bank'] = bank.body.id;
  await booked(keeper, ['cash', 'interest_income', '100.00'], { entry_date: '2026-01-10' });
  await booked(keeper, ['bank', 'interest_income', '20.00']);
  await admin.post('/ledger/entries', {
    entry_date: '2026-01-15',
    lines: [
      line(accounts['cash'], '999.00'),
      line(accounts['interest_income'], '-999.00'),
      line(accounts['bank'], '7.00'),
      line(accounts['rounding'], '-7.00'),
    ],
  });
  const balanceOf = async (role: string, query = '') =>
    (await admin.get(`/ledger/accounts/${accounts[role]}/balance${query}`)).body;

  expect(await balanceOf('cash')).toMatchObject({
    account_id: accounts['cash'],
    code: '1000',
    name: 'Cash',
    balance: '100.00',
    balance_with_children: '120.00',
    as_of: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
  });
  expect(await balanceOf('interest_income')).toMatchObject({ balance: '120.00' });
  expect(await balanceOf('interest_income', '?as_of_date=2026-01-10')).toMatchObject({
    balance: '100.00',
    as_of_date: '2026-01-10',
  });
  expect(await balanceOf('rounding')).toMatchObject({ balance: '0.00' });
});

test('the trial balance puts each net on its side, ignores drafts, and balances', async () => {
  const keeper = await keeperOf(await stage.tenant());
  const { admin, accounts } = keeper;
  await booked(keeper, ['cash', 'interest_income', '100.00'], { entry_date: '2026-01-10' });
  // Dated between the two days of the report.
  await admin.post('/ledger/entries', {
    entry_date: '2026-01-12',
    lines: [line(accounts['cash'], '999.00'), line(accounts['recovery_income'], '-999.00')],
  });
  await booked(keeper, ['rounding', 'cash', '0.05']);

  const today = (await admin.get('/ledger/trial-balance')).body;
  const earlier = (await admin.get('/ledger/trial-balance?as_of_date=2026-01-10')).body;
  const all = (await admin.get('/ledger/trial-balance?include_zero=true')).body;
  const wrong = await admin.get('/ledger/trial-balance?as_of_date=2026-02-30');

  expect(today).toMatchObject({
    as_of_date: '2026-01-15',
    accounts: [
      { code: '1000', name: 'Cash', debit: '99.95', credit: '0.00' },
      { code: '4000', name: 'Interest Income', debit: '0.00', credit: '100.00' },
      { code: '5900', name: 'Rounding', debit: '0.05', credit: '0.00' },
    ],
    total_debits: '100.00',
    total_credits: '100.00',
  });
  expect(earlier).toMatchObject({ as_of_date: '2026-01-10', total_debits: '100.00' });
  expect(all.accounts).toHaveLength(21);
  expect(wrong.status).toBe(422);
});

test('an account’s detail runs from its opening to its closing balance', async () => {
  const keeper = await keeperOf(await stage.tenant());
  const { admin, accounts } = keeper;
  await booked(keeper, ['cash', 'interest_income', '100.00'], { entry_date: '2026-01-05' });
  await booked(keeper, ['cash', 'interest_income', '20.00'], { entry_date: '2026-01-10' });
  await booked(keeper, ['rounding', 'cash', '0.50'], { entry_date: '2026-01-12' });
  await booked(keeper, ['cash', 'interest_income', '3.00'], { entry_date: '2026-01-13' });
  const detail = (query: string) => admin.get(`/ledger/gl-detail?${query}`);
  const cash = `account_id=${accounts['cash']}`;

  const page = await detail(`${cash}&start_date=2026-01-10&end_date=2026-01-12`);
  const second = await detail(`${cash}&range=[1,1]`);
  const income = await detail(`account_id=${accounts['interest_income']}`);
  const nowhere = await detail('start_date=2026-01-01&end_date=2026-01-31');
  const unknown = await detail('account_id=00000000-0000-4000-8000-000000000000');
  const backwards = await detail(`${cash}&start_date=2026-01-10&end_date=2026-01-09`);

  expect(page.headers['content-range']).toBe('gl-detail 0-1/2');
  expect(page.body).toMatchObject([
    { entry_date: '2026-01-10', debit: '20.00', credit: '0.00', running_balance: '120.00' },
    { entry_date: '2026-01-12', debit: '0.00', credit: '0.50', running_balance: '119.50' },
  ]);
  expect(second.headers['content-range']).toBe('gl-detail 1-1/4');
  expect(second.body).toMatchObject([{ entry_date: '2026-01-10', running_balance: '120.00' }]);
  expect(income.body.at(-1)).toMatchObject({ running_balance: '123.00' });
  expect([nowhere, unknown].map(({ status, body }) => [status, Object.keys(body.errors)])).toEqual([
    [422, ['account_id']],
    [422, ['account_id']],
  ]);
  expect(Object.keys(backwards.body.errors)).toEqual(['end_date']);
});

test('closed days take no manual entry, and late automatic entries move to the first open day', async () => {
  const tenant = await stage.tenant();
  const keeper = await keeperOf(tenant);
  const { admin, accounts } = keeper;
  const draft = await admin.post('/ledger/entries', {
    entry_date: '2026-01-05',
    lines: [line(accounts['cash'], '1.00'), line(accounts['interest_income'], '-1.00')],
  });

  const closed = await admin.post('/ledger/closings', { closed_through: '2026-01-10' });
  const earlier = await admin.post('/ledger/closings', { closed_through: '2026-01-09' });
  const today = await admin.post('/ledger/closings', { closed_through: '2026-01-15' });
  const posted = await admin.post(`/ledger/entries/${draft.body.id}/post`);
  const id = await tenant.within((work) =>
    postEntry(work, {
      entry_date: '2026-01-08',
      reference_type: 'fee_assessment',
      debit: { cash: '25.00' },
      credit: { fee_income: '25.00' },
    }),
  );
  const late = await admin.get(`/ledger/entries/${id}`);

  expect(closed).toMatchObject({ status: 201, body: { closed_through: '2026-01-10' } });
  expect(earlier).toMatchObject({ status: 409, body: { code: 'period_closed' } });
  expect(today.status).toBe(422);
  expect(posted).toMatchObject({ status: 409, body: { code: 'period_closed' } });
  expect(late.body).toMatchObject({ entry_date: '2026-01-11', effective_date: '2026-01-08' });
});

test('income moves to retained earnings once a year, and the books balance on every day', async () => {
  const keeper = await keeperOf(await stage.tenant());
  const { admin, accounts } = keeper;
  const dated = (entry_date: string) => ({ entry_date });
  await booked(keeper, ['cash', 'interest_income', '100.00'], dated('2025-12-30'));
  await booked(keeper, ['charge_off_expense', 'cash', '30.00'], dated('2025-12-31'));
  await booked(keeper, ['cash', 'fee_income', '7.00'], dated('2026-01-02'));
  const draft = await admin.post('/ledger/entries', {
    ...dated('2025-12-31'),
    lines: [line(accounts['cash'], '1.00'), line(accounts['interest_income'], '-1.00')],
  });
  const sheet = async (day: string) =>
    (await admin.get(`/ledger/balance-sheet?as_of_date=${day}`)).body;
  const income = async (range = '') => (await admin.get(`/ledger/income-statement?${range}`)).body;
  const before = await sheet('2025-12-31');
  // The month may already be closed.
  await admin.post('/ledger/closings', { closed_through: '2025-12-31' });
  const ending = (fiscal_year_end: string) => admin.post('/ledger/year-ends', { fiscal_year_end });

  const wrong = [await ending('2025-12-30'), await ending('2026-01-31')];
  const twice = await Promise.all([ending('2025-12-31'), ending('2025-12-31')]);
  const ended = twice.find(({ status }) => status === 201)?.body;
  const earlier = await ending('2025-11-30');
  const late = await admin.post(`/ledger/entries/${draft.body.id}/post`);
  const undone = await admin.post(`/ledger/entries/${ended.journal_entry_id}/reverse`, {
    reason: 'Slip',
  });
  const trial = (await admin.get('/ledger/trial-balance?as_of_date=2025-12-31')).body.accounts;
  const backwards = await admin.get('/ledger/income-statement?start_date=2026-01-16');

  expect(before).toMatchObject({
    assets: [
      {
        code: '1000',
        amount: '70.00',
      },
    ],
    equity: [],
    unclosed_income: '70.00',
    total_equity: '70.00',
    total_liabilities: '0.00',
  });
  expect(wrong.map(({ status }) => status)).toEqual([422, 422]);
  expect(twice.map(({ status }) => status)).toEqual(expect.arrayContaining([201, 409]));
  expect(ended).toMatchObject({ fiscal_year_end: '2025-12-31', net_income: '70.00' });
  expect([earlier.body.code, late.body.code]).toEqual(['year_closed', 'period_closed']);
  expect(undone).toMatchObject({ status: 409, body: { code: 'year_closed' } });
  expect(trial.map(({ code }: { code: string }) => code)).toEqual(['1000', '3000']);
  expect(await sheet('2025-12-31')).toMatchObject({
    equity: [
      {
        code: '3000',
        amount: '70.00',
      },
    ],
    unclosed_income: '0.00',
    total_assets: '70.00',
    total_liabilities_and_equity: '70.00',
  });
  expect(await sheet('2026-01-15')).toMatchObject({
    unclosed_income: '7.00',
    total_equity: '77.00',
  });
  expect(await income('start_date=2025-01-01&end_date=2025-12-31')).toMatchObject({
    revenue: [
      {
        code: '4000',
        amount: '100.00',
      },
    ],
    expenses: [
      {
        code: '5000',
        amount: '30.00',
      },
    ],
    total_revenue: '100.00',
    total_expenses: '30.00',
    net_income: '70.00',
  });
  expect(await income()).toMatchObject({ start_date: '2026-01-01', net_income: '7.00' });
  expect(Object.keys(backwards.body.errors)).toEqual(['end_date']);
  expect(await violationsIn(stage)).toEqual([]);
});
