import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';
import { booked, keeperOf, line } from './books.ts';

const stage = await newStage();

const CONTROL = [
  'loans_receivable',
  'interest_receivable',
  'fees_receivable',
  'borrower_suspense',
  'due_from_investors',
  'due_to_investors',
];

test('a manual entry on a control account names its loan, or is refused with instructions', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { admin, accounts } = await keeperOf(tenant);
  const { id: loan_id } = await newLoan(tenant);
  const write = (role: string, more: object = {}) =>
    admin.post('/ledger/entries', {
      entry_date: '2026-01-15',
      ...more,
      lines: [line(accounts['cash'], '-10.00'), line(accounts[role], '10.00')],
    });

  for (const role of CONTROL) {
    const refused = await write(role);
    const named = await write(role, { loan_id });

    expect(refused, role).toMatchObject({
      status: 409,
      body: { code: 'control_account', details: { lines: [2] } },
    });
    expect(refused.body.message).toMatch(
      /^Line 2 is on a control account.*Name the loan in loan_id/,
    );
    expect(named, role).toMatchObject({ status: 201, body: { loan_id } });
  }
  expect(await write('rounding')).toMatchObject({ status: 201 });
  expect(await write('ach_clearing')).toMatchObject({ status: 201 });
  expect(await violationsIn(stage)).toEqual([]);
});

test('mapping a role to an account makes it a control account, also for existing loans', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { admin, accounts } = await keeperOf(tenant);
  const autos = { code: '7100', name: 'Autos', account_type: 'asset' };
  const account = (await admin.post('/ledger/accounts', autos)).body.id;
  const write = () =>
    admin.post('/ledger/entries', {
      entry_date: '2026-01-15',
      lines: [line(account, '10.00'), line(accounts['cash'], '-10.00')],
    });

  const draft = await write();
  const program_id = await tenant.first('/programs');
  const gl_map = { loans_receivable: account };
  const product_id = await newProduct(tenant, { program_id, gl_map }, admin);
  await newLoan(tenant, { product_id });
  const mapped = await write();
  const posted = await admin.post(`/ledger/entries/${draft.body.id}/post`);
  await admin.put(`/products/${product_id}`, { gl_map: {} });
  const since = await write();

  expect(draft.status).toBe(201);
  for (const refused of [mapped, posted, since])
    expect(refused).toMatchObject({ status: 409, body: { code: 'control_account' } });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a balance on a control account that no loan explains is found', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const keeper = await keeperOf(tenant);
  const { id: loan_id } = await newLoan(tenant);
  const entry = await booked(keeper, ['due_to_investors', 'cash', '7.00'], { loan_id });
  const well = await violationsIn(stage);
  const naming = (loan: string | null) =>
    stage.owner.query(
      `begin; set local session_replication_role = 'replica';
       update journal_entries set loan_id = ${loan === null ? 'null' : `'${loan}'`}
       where id = '${entry.id}'; commit`,
    );

  await naming(null);
  const stray = await violationsIn(stage);
  await naming(loan_id);

  expect(well).toEqual([]);
  expect(stray).toEqual([
    'control accounts equal their sub-ledgers: Account 2200 Due to Investors has 7.00 that no loan accounts for.',
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a manual entry that names its loan, or reverses the loan’s own entry, is reported until undone', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const keeper = await keeperOf(tenant);
  const loan = await newLoan(tenant);
  const { admin } = keeper;
  const [funding] = (await admin.get('/ledger/entries?reference_type=disbursement')).body;

  const byHand = await booked(keeper, ['loans_receivable', 'cash', '5.00'], { loan_id: loan.id });
  const added = await violationsIn(stage);
  await admin.post(`/ledger/entries/${byHand.id}/reverse`, { reason: 'Mistake' });
  const undone = await violationsIn(stage);
  const reversed = await admin.post(`/ledger/entries/${funding.id}/reverse`, { reason: 'Mistake' });
  const missing = await violationsIn(stage);
  await booked(keeper, ['loans_receivable', 'cash', '10000.00'], { loan_id: loan.id });

  expect(added).toEqual([expect.stringMatching(/the ledger has 10005.00 of principal/)]);
  expect(undone).toEqual([]);
  expect(reversed.status).toBe(200);
  expect(missing).toEqual([expect.stringMatching(/the ledger has 0.00 of principal/)]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('without relief, the accountant moves payments out of the receivable loan by loan', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, { accounting: { accrual_relief: false } });
  const keeper = await keeperOf(tenant);
  const { id: loan_id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-15');
  await tenant.officer.post(`/loans/${loan_id}/payments`, { amount: '315.68' });
  const paid = await violationsIn(stage);

  const on = { entry_date: '2026-02-15', loan_id };
  const entry = await booked(keeper, ['interest_income', 'interest_receivable', '72.19'], on);

  expect(entry).toMatchObject({ status: 'posted' });
  expect([...paid, ...(await violationsIn(stage))]).toEqual([]);
});
