import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { addVerifiedAccount } from '../setup/nacha.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** A payment of 100.00 ordered on Thursday, January 15. */
async function ordered() {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const payment_instrument_id = await addVerifiedAccount(tenant, loan.borrower_id);
  const payment = await tenant.officer.post(`/loans/${loan.id}/payments`, {
    amount: '100.00',
    payment_instrument_id,
  });
  expect(payment.status, JSON.stringify(payment.body)).toBe(201);
  return { tenant, admin: await tenant.signedIn('admin'), payment: payment.body.id as string };
}

/** Makes a forbidden change, as a storage fault or an administrator could. */
const behindTheGuards = (statement: string) =>
  stage.owner.query(`begin; set local session_replication_role = 'replica'; ${statement}; commit`);

test('any order that is in no file after two banking days is found', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' });
  const line = await newLoan(tenant, { product_id, status: 'approved' });
  const payment_instrument_id = await addVerifiedAccount(tenant, line.borrower_id);
  const disbursement = await officer.post(`/loans/${line.id}/disbursements`, {
    amount: '1000.00',
    payment_instrument_id,
  });
  const draw = await officer.post(`/loans/${line.id}/draws`, {
    amount: '50.00',
    payment_instrument_id,
  });
  const payment = await officer.post(`/loans/${line.id}/payments`, {
    amount: '10.00',
    payment_instrument_id,
  });

  // January 17 to 19 are a weekend and a holiday, so the second banking day is Tuesday the 20th.
  await travelTo(stage, tenant, '2026-01-20');
  const inTime = await violationsIn(stage);
  await travelTo(stage, tenant, '2026-01-21');
  const late = await violationsIn(stage);
  await admin.post('/nacha-files');

  const rule = 'orders are sent within two banking days';
  const tail = 'was to be in a file for the bank by 2026-01-20, and is in none.';
  expect(inTime).toEqual([]);
  expect(late.toSorted()).toEqual([
    `${rule}: Disbursement ${disbursement.body.id} of 1000.00 ${tail}`,
    `${rule}: Draw ${draw.body.id} of 50.00 ${tail}`,
    `${rule}: Payment ${payment.body.id} of 10.00 ${tail}`,
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a file that was never created has sent nothing', async () => {
  const { tenant, admin, payment } = await ordered();
  const file = await admin.post('/nacha-files');
  await stage.owner.query(`update nacha_files set status = 'pending' where id = $1`, [
    file.body.id,
  ]);
  await travelTo(stage, tenant, '2026-01-21');

  const found = await violationsIn(stage);
  await admin.post('/nacha-files');
  await travelTo(stage, tenant, '2026-01-22');

  expect(found).toEqual([
    expect.stringContaining(`Payment ${payment} of 100.00 was to be in a file`),
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('an entry past its settlement day that is not in cash is found', async () => {
  const { tenant, admin } = await ordered();
  await admin.post('/nacha-files');
  // Until then the entries have no settlement date, as if their cash had been booked with the payment.
  await stage.owner.query(
    'update nacha_entries set clearing_account_id = null where tenant_id = $1',
    [tenant.id],
  );
  await travelTo(stage, tenant, '2026-01-17');
  const unseen = await violationsIn(stage);
  const clearing = `(select id from ledger_accounts where tenant_id = $1 and role = 'ach_clearing')`;
  await stage.owner.query(
    `update nacha_entries set clearing_account_id = ${clearing} where tenant_id = $1`,
    [tenant.id],
  );

  const found = await violationsIn(stage);
  await travelTo(stage, tenant, '2026-01-18');

  expect(unseen).toEqual([]);
  expect(found).toEqual([
    expect.stringMatching(
      /^the entries of a bank file are in cash after its effective date: Entry \d{15} of 100.00 in nacha-2026-01-15-A.ach was effective on 2026-01-16/,
    ),
  ]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('ACH cash without a matching file entry is found', async () => {
  const { tenant, admin } = await ordered();
  await admin.post('/nacha-files');
  await travelTo(stage, tenant, '2026-01-20');
  const changed = async (amount: string) => {
    await behindTheGuards(
      `update nacha_entries set amount = ${amount} where tenant_id = '${tenant.id}'`,
    );
    return violationsIn(stage);
  };
  const less = await changed('99.99');
  const restored = await changed('100.00');
  const [entry] = (await admin.get('/ledger/entries?reference_type=ach_settlement')).body;

  const reversed = await admin.post(`/ledger/entries/${entry.id}/reverse`, { reason: 'Mistake' });
  const byHand = await violationsIn(stage);

  const rule = 'ACH cash movements equal the bank files: ';
  expect(less).toEqual([
    `${rule}On 2026-01-16 files and returns moved 99.99, and the ledger has 100.00 of it in cash.`,
  ]);
  expect(restored).toEqual([]);
  expect(reversed.status).toBe(200);
  expect(byHand).toEqual([
    `${rule}On 2026-01-20 files and returns moved 0.00, and the ledger has -100.00 of it in cash.`,
  ]);
});
