import { expect, test } from 'vitest';
import { balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import {
  buildReturnFile,
  readSentEntries,
  addVerifiedAccount,
  newLoanWithAccount,
} from '../setup/nacha.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

/** A loan of 10,000.00 whose borrower pays 100.00 from an account on Thursday, January 15. */
async function paying(tenant: Tenant, wish: Record<string, unknown> = {}) {
  const loan = await newLoan(tenant, wish);
  const payment_instrument_id = await addVerifiedAccount(tenant, loan.borrower_id);
  const named = { amount: '100.00', payment_instrument_id };
  const payment = await tenant.officer.post(`/loans/${loan.id}/payments`, named);
  expect(payment.status, JSON.stringify(payment.body)).toBe(201);
  const admin = await tenant.signedIn('admin');
  return { ...loan, payment_instrument_id, payment: payment.body.id as string, admin };
}

/** Cash and cash in transit, without the loan's own disbursement. */
async function cashOf(tenant: Tenant) {
  const { cash = '0.00', ach_clearing = '0.00' } = await balancesByRole(tenant);
  return { cash, ach_clearing };
}

test('money is in transit until its file’s day is closed, then it is cash', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id, admin } = await paying(tenant);

  const ordered = await cashOf(tenant);
  const file = await admin.post('/nacha-files');
  const sent = await cashOf(tenant);
  await travelTo(stage, tenant, '2026-01-17');
  const closed = await cashOf(tenant);
  await travelTo(stage, tenant, '2026-01-20');

  expect(file.body.effective_entry_date).toBe('2026-01-16');
  expect([ordered, sent]).toEqual([
    { cash: '-10000.00', ach_clearing: '100.00' },
    { cash: '-10000.00', ach_clearing: '100.00' },
  ]);
  expect(closed).toEqual({ cash: '-9900.00', ach_clearing: '0.00' });
  expect(await cashOf(tenant)).toEqual(closed);
  const entries = await admin.get('/ledger/entries?reference_type=ach_settlement');
  expect(entries.body).toMatchObject([
    {
      entry_date: '2026-01-16',
      reference_id: file.body.id,
      description: `Moved by the bank: ${file.body.filename}`,
      lines: [
        { role: 'cash', debit: '100.00' },
        { role: 'ach_clearing', credit: '100.00' },
      ],
    },
  ]);
  const listed = await admin.get(`/nacha-files/${file.body.id}/entries`);
  expect(listed.body).toMatchObject([{ settled_on: '2026-01-16', amount: '100.00' }]);
  expect((await tenant.officer.get(`/loans/${id}`)).body.principal_balance).toBe('9900.00');
  expect(await violationsIn(stage)).toEqual([]);
});

test('a tenant may count orders as cash immediately, and earlier orders keep their booking', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const before = await paying(tenant);
  const { admin } = before;
  await saveSettings(tenant, { accounting: { ach_cash: 'payment_date' } });
  const after = await paying(tenant);

  const ordered = await cashOf(tenant);
  const file = await admin.post('/nacha-files');
  await travelTo(stage, tenant, '2026-01-20');
  const closed = await cashOf(tenant);
  const lines = await readSentEntries(stage, tenant, file.body.filename);
  await admin.post('/nacha-returns', {
    file: buildReturnFile(...lines.map((line) => [line, 'R03'] as const)),
  });

  expect(ordered).toEqual({ cash: '-19900.00', ach_clearing: '100.00' });
  expect(closed).toEqual({ cash: '-19800.00', ach_clearing: '0.00' });
  expect(await cashOf(tenant)).toEqual({ cash: '-20000.00', ach_clearing: '0.00' });
  for (const { payment } of [before, after])
    expect((await admin.get(`/payments/${payment}`)).body.status).toBe('returned');
  expect(await violationsIn(stage)).toEqual([]);
});

test('a return before the settlement day was never cash; a later one was until then', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { admin, payment, payment_instrument_id, id } = await paying(tenant);
  const first = await admin.post('/nacha-files');
  const [early] = await readSentEntries(stage, tenant, first.body.filename);
  await admin.post('/nacha-returns', { file: buildReturnFile([early ?? '', 'R01']) });
  await travelTo(stage, tenant, '2026-01-20');
  const never = await cashOf(tenant);
  const named = { amount: '70.00', payment_instrument_id };
  await tenant.officer.post(`/loans/${id}/payments`, named);
  const second = await admin.post('/nacha-files');
  await travelTo(stage, tenant, '2026-01-23');
  const settled = await cashOf(tenant);
  const [late] = await readSentEntries(stage, tenant, second.body.filename);
  const returns = { file: buildReturnFile([late ?? '', 'R01']) };
  const taken = await admin.post('/nacha-returns', returns);
  const again = await admin.post('/nacha-returns', returns);
  const returned = await cashOf(tenant);
  await travelTo(stage, tenant, '2026-01-27');

  expect((await admin.get(`/payments/${payment}`)).body.status).toBe('returned');
  expect(never).toEqual({ cash: '-10000.00', ach_clearing: '0.00' });
  expect(settled).toEqual({ cash: '-9930.00', ach_clearing: '0.00' });
  expect(taken.body.entries).toMatchObject([{ status: 'returned' }]);
  expect(again.body.entries).toMatchObject([{ status: 'already_returned' }]);
  expect(returned).toEqual({ cash: '-10000.00', ach_clearing: '0.00' });
  expect(await cashOf(tenant)).toEqual(returned);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a manually entered return reverses the cash too, and the bank’s file is recognized as its duplicate', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { admin, payment } = await paying(tenant);
  const file = await admin.post('/nacha-files');
  await travelTo(stage, tenant, '2026-01-22');

  // The returned date precedes the file's date, so the cash leaves on the day on which it arrived.
  const by = { return_code: 'R01', returned_date: '2026-01-15' };
  const returned = await tenant.officer.post(`/payments/${payment}/return`, by);
  const [line] = await readSentEntries(stage, tenant, file.body.filename);
  const taken = await admin.post('/nacha-returns', { file: buildReturnFile([line ?? '', 'R01']) });

  expect(returned.status, JSON.stringify(returned.body)).toBe(200);
  expect(taken.body.entries).toMatchObject([{ status: 'already_returned' }]);
  expect(await cashOf(tenant)).toEqual({ cash: '-10000.00', ach_clearing: '0.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a payment reversed after its file stays in clearing until the bank returns it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { admin, payment } = await paying(tenant);
  const file = await admin.post('/nacha-files');
  await tenant.officer.post(`/payments/${payment}/reverse`, { reason: 'duplicate' });
  await travelTo(stage, tenant, '2026-01-20');
  const collected = await cashOf(tenant);

  const [line] = await readSentEntries(stage, tenant, file.body.filename);
  const taken = await admin.post('/nacha-returns', { file: buildReturnFile([line ?? '', 'R10']) });

  expect(collected).toEqual({ cash: '-9900.00', ach_clearing: '-100.00' });
  expect(taken.body.entries).toMatchObject([{ status: 'returned', payment_id: payment }]);
  expect((await admin.get(`/payments/${payment}`)).body.status).toBe('reversed');
  expect(await cashOf(tenant)).toEqual({ cash: '-10000.00', ach_clearing: '0.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('draws and refunds leave cash with their file, and returned ones create a task', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' });
  const line = await newLoan(tenant, { product_id, status: 'approved' });
  await officer.post(`/loans/${line.id}/disburse`, { amount: '1000.00' });
  const payment_instrument_id = await addVerifiedAccount(tenant, line.borrower_id);
  await officer.post(`/loans/${line.id}/payments`, { amount: '1050.00' });
  const other = await newLoan(tenant, { product_id, status: 'approved' });
  await officer.post(`/loans/${other.id}/disburse`, { amount: '1000.00' });
  const account = await addVerifiedAccount(tenant, other.borrower_id);

  const refund = await officer.post(`/loans/${line.id}/payments/reimbursement`, {
    amount: '50.00',
    payment_instrument_id,
  });
  const draw = await officer.post(`/loans/${other.id}/draws`, {
    amount: '300.00',
    payment_instrument_id: account,
  });
  const ordered = await cashOf(tenant);
  const file = await admin.post('/nacha-files');
  await travelTo(stage, tenant, '2026-01-20');
  const paid = await cashOf(tenant);
  const lines = await readSentEntries(stage, tenant, file.body.filename);
  const taken = await admin.post('/nacha-returns', {
    file: buildReturnFile(...lines.map((entry) => [entry, 'R01'] as const)),
  });

  expect(ordered).toEqual({ cash: '-950.00', ach_clearing: '-350.00' });
  expect(paid).toEqual({ cash: '-1300.00', ach_clearing: '0.00' });
  expect(taken.body.entries).toMatchObject([{ status: 'returned' }, { status: 'returned' }]);
  expect((await officer.get(`/draws/${draw.body.id}`)).body.status).toBe('failed');
  expect((await officer.get(`/payments/${refund.body.id}`)).body.status).toBe('returned');
  expect((await officer.get(`/loans/${line.id}`)).body).toMatchObject({
    suspense_balance: '50.00',
    outstanding_fees: '0.00',
  });
  const tasks = (await officer.get('/tasks?source=system')).body as { title: string }[];
  expect(tasks.map(({ title }) => title).toSorted()).toEqual([
    'Draw came back (R01): pay it in another way',
    'Refund came back (R01): pay it in another way',
  ]);
  // The draw remains, so its money is owed to the borrower until it is paid out otherwise.
  expect(await cashOf(tenant)).toEqual({ cash: '-950.00', ach_clearing: '-300.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a disbursement that was reversed after its file stays reversed when the bank returns it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id, account } = await newLoanWithAccount(tenant, { status: 'approved' });
  const paid = await tenant.officer.post(`/loans/${id}/disbursements`, {
    payment_instrument_id: account,
  });
  const file = await admin.post('/nacha-files');
  await tenant.officer.post(`/disbursements/${paid.body.id}/reverse`);
  await travelTo(stage, tenant, '2026-01-20');
  const out = await cashOf(tenant);

  const [line] = await readSentEntries(stage, tenant, file.body.filename);
  const taken = await admin.post('/nacha-returns', { file: buildReturnFile([line ?? '', 'R03']) });

  expect(out).toEqual({ cash: '-10000.00', ach_clearing: '10000.00' });
  expect(taken.body.entries).toMatchObject([{ status: 'returned' }]);
  expect((await admin.get(`/disbursements/${paid.body.id}`)).body.status).toBe('reversed');
  expect((await admin.get('/tasks?source=system')).body).toEqual([]);
  expect(await cashOf(tenant)).toEqual({ cash: '0.00', ach_clearing: '0.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('orders use their product’s clearing and settlement accounts', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const account = async (code: string) =>
    (await admin.post('/ledger/accounts', { code, name: code, account_type: 'asset' })).body.id;
  const [cash, ach_clearing] = [await account('7001'), await account('7002')];
  const program_id = await tenant.first('/programs');
  const gl_map = { cash, ach_clearing };
  const product_id = await newProduct(tenant, { program_id, gl_map }, admin);
  await paying(tenant, { product_id });
  const plain = (await admin.get('/products?code=DEFAULT')).body[0].id;
  await paying(tenant, { product_id: plain });
  const balanceOf = async (id: string) =>
    (await admin.get(`/ledger/accounts/${id}/balance`)).body.balance as string;

  const ordered = await balanceOf(ach_clearing);
  await admin.post('/nacha-files');
  await travelTo(stage, tenant, '2026-01-20');

  expect(ordered).toBe('100.00');
  expect([await balanceOf(cash), await balanceOf(ach_clearing)]).toEqual(['-9900.00', '0.00']);
  expect(await cashOf(tenant)).toEqual({ cash: '-19800.00', ach_clearing: '0.00' });
  expect(await violationsIn(stage)).toEqual([]);
});
