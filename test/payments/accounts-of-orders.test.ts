import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import {
  sliceColumns,
  addBankAccount,
  createdId,
  readSentEntries,
  addVerifiedAccount,
  newLoanWithAccount,
} from '../setup/nacha.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const OTHER = { routing_number: '091000019', account_number: '666666666666' };

/** The target of an entry in a file: routing number, account number and name. */
const targetOf = (entry: string) => [
  sliceColumns(entry, 4, 12),
  sliceColumns(entry, 13, 29).trim(),
  sliceColumns(entry, 55, 76).trim(),
];
const ORDERED = ['021000021', '000123456789', 'GRACE HOPPER'];

async function filed(tenant: Tenant) {
  const admin = await tenant.signedIn('admin');
  const file = await admin.post('/nacha-files');
  return {
    file,
    targets: (await readSentEntries(stage, tenant, file.body.filename)).map((line) =>
      targetOf(line.toUpperCase()),
    ),
  };
}

/** A change that bypassed our endpoints, such as a correction in the database. */
const redirect = (instrumentId: string) =>
  stage.owner.query(
    `update payment_instruments set account_holder_name = 'Eve Other', routing_number = '091000019',
       account_number_sealed = (
         select account_number_sealed from payment_instruments
         where account_number_last_four = '6666' limit 1
       ), account_number_last_four = '6666'
     where id = $1`,
    [instrumentId],
  );

test('an account cannot change while an order waits for its file, and can afterwards', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const loan = await newLoanWithAccount(tenant, { status: 'approved' });
  const ordered = createdId(
    await officer.post(`/loans/${loan.id}/disbursements`, {
      payment_instrument_id: loan.account,
    }),
  );
  const path = `/payment-instruments/${loan.account}`;

  const changed = [
    await officer.put(path, OTHER),
    await officer.put(path, { account_holder_name: 'Eve Other' }),
    await officer.put(path, { account_type: 'savings' }),
  ];
  const renamed = await officer.put(path, { bank_name: 'First Bank' });
  const removed = await officer.delete(path);
  const { targets } = await filed(tenant);
  const later = await officer.put(path, OTHER);

  expect(changed).toMatchObject(
    changed.map(() => ({
      status: 409,
      body: {
        code: 'instrument_has_open_orders',
        details: { disbursement_ids: [ordered], payment_ids: [], draw_ids: [], scheduled_ids: [] },
      },
    })),
  );
  expect(renamed.status).toBe(200);
  expect(removed).toMatchObject({ status: 409, body: { code: 'in_use' } });
  expect(targets).toEqual([ORDERED]);
  expect(later).toMatchObject({ status: 200, body: { is_verified: false } });
});

test('a file uses the account data of the order, even if the instrument has changed since', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const funded = await newLoanWithAccount(tenant, { status: 'approved' });
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' });
  const line = await newLoanWithAccount(tenant, { product_id, status: 'approved' });
  await officer.post(`/loans/${line.id}/disburse`, { amount: '100.00' });
  const paying = await newLoanWithAccount(tenant);
  await addBankAccount(officer, paying.borrower_id, { account_number: '666666666666' });
  await officer.post(`/loans/${paying.id}/payments`, { amount: '10050.00' });
  const named = { payment_instrument_id: paying.account, amount: '5.00' };
  const orders = [
    await officer.post(`/loans/${funded.id}/disbursements`, {
      payment_instrument_id: funded.account,
    }),
    await officer.post(`/loans/${line.id}/draws`, {
      amount: '50.00',
      payment_instrument_id: line.account,
    }),
    await officer.post(`/loans/${paying.id}/payments/reimbursement`, named),
  ];
  const debtor = await newLoanWithAccount(tenant);
  const debit = { payment_instrument_id: debtor.account, amount: '20.00' };
  orders.push(
    await officer.post(`/loans/${debtor.id}/payments`, debit),
    await officer.post(`/loans/${debtor.id}/payments`, { ...debit, payment_date: '2026-01-16' }),
    await officer.post(`/loans/${debtor.id}/payment-plans`, {
      installments: [
        {
          due_date: '2026-01-16',
          amount: '30.00',
        },
      ],
      auto_collect: true,
      payment_instrument_id: debtor.account,
    }),
    await officer.post(`/borrowers/${debtor.borrower_id}/autopay-plans`, {
      loan_id: debtor.id,
      payment_instrument_id: debtor.account,
      frequency: 'monthly',
      day_of_month: 16,
      amount_type: 'fixed',
      fixed_amount: '70.00',
    }),
  );
  for (const reply of orders) createdId(reply);
  await travelTo(stage, tenant, '2026-01-17');

  for (const { account } of [funded, line, paying, debtor]) await redirect(account);
  const { file, targets } = await filed(tenant);

  expect(file.body).toMatchObject({ entry_count: 7, skipped: [] });
  expect(targets).toEqual(targets.map(() => ORDERED));
  expect(await violationsIn(stage)).toEqual([]);
});

test('money is paid only to verified accounts, both when ordered and when sent', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const { id, borrower_id } = await newLoan(tenant, { status: 'approved' });
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' });
  const line = await newLoan(tenant, { product_id, borrower_id, status: 'approved' });
  await officer.post(`/loans/${line.id}/disburse`, { amount: '100.00' });
  const overpaid = await newLoan(tenant, { borrower_id });
  await officer.post(`/loans/${overpaid.id}/payments`, { amount: '10050.00' });
  const unverified = await addBankAccount(officer, borrower_id);
  const named = { amount: '1.00', payment_instrument_id: unverified };

  const refused = [
    await officer.post(`/loans/${id}/disbursements`, named),
    await officer.post(`/loans/${line.id}/draws`, named),
    await officer.post(`/loans/${overpaid.id}/payments/reimbursement`, named),
  ];
  await admin.put(`/payment-instruments/${unverified}`, { is_verified: true });
  const taken = await officer.post(`/loans/${id}/disbursements`, named);
  await admin.put(`/payment-instruments/${unverified}`, { is_verified: false });
  const withdrawn = await admin.post('/nacha-files');

  expect(refused).toMatchObject(
    refused.map(() => ({ status: 409, body: { code: 'instrument_not_usable' } })),
  );
  expect(taken.status).toBe(201);
  expect(withdrawn).toMatchObject({
    status: 409,
    body: {
      code: 'nothing_to_send',
      details: {
        skipped: [{ disbursement_id: taken.body.id, reason: 'instrument_not_verified' }],
      },
    },
  });
});

test('an account without its number is refused for orders, and the answer says what is missing', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const { id, borrower_id } = await newLoan(tenant);
  const account = await addBankAccount(officer, borrower_id, {
    account_number: null,
    account_number_last_four: '6789',
    routing_number: null,
  });
  const order = { amount: '10.00', payment_instrument_id: account };

  const paid = await officer.post(`/loans/${id}/payments`, order);
  const enrolled = await officer.post(`/borrowers/${borrower_id}/autopay-plans`, {
    loan_id: id,
    payment_instrument_id: account,
  });
  await officer.put(`/payment-instruments/${account}`, OTHER);
  const later = await officer.post(`/loans/${id}/payments`, order);

  for (const reply of [paid, enrolled]) {
    expect(reply).toMatchObject({
      status: 409,
      body: {
        code: 'instrument_not_usable',
        details: { draw_blockers: expect.arrayContaining(['account_number_missing']) },
      },
    });
  }
  expect(later.status).toBe(201);
});

test('of an order and a simultaneous account change, one waits for the other', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const loan = await newLoan(tenant);
  const accounts: string[] = [];
  for (let made = 0; made < 4; made += 1)
    accounts.push(await addVerifiedAccount(tenant, loan.borrower_id));

  const outcomes = await Promise.all(
    accounts.map(async (account) => {
      const named = { amount: '1.00', payment_instrument_id: account };
      const [order, change] = await Promise.all([
        officer.post(`/loans/${loan.id}/payments`, named),
        officer.put(`/payment-instruments/${account}`, OTHER),
      ]);
      return { payment: createdId(order), change: change.status };
    }),
  );
  const kept = await stage.owner.query(
    'select payment_id, account_number_last_four from order_accounts where tenant_id = $1',
    [tenant.id],
  );

  const lastFour = new Map(
    kept.rows.map((row) => [row['payment_id'], row['account_number_last_four']]),
  );
  expect(lastFour.size).toBe(4);
  for (const { payment, change } of outcomes)
    expect(lastFour.get(payment)).toBe(change === 200 ? '6666' : '6789');
});
