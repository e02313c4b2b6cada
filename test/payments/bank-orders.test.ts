import { expect, test } from 'vitest';
import { balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import {
  sliceColumns,
  addBankAccount,
  addVerifiedAccount,
  expectControls,
  createdId,
  parseNachaFile,
  readSentFile,
  newLoanWithAccount,
} from '../setup/nacha.ts';
import { expectLayout } from '../setup/nacha-layout.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

test('every money order is in exactly one bank file, debits and credits alike', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const paying = await newLoanWithAccount(tenant);
  const { id, account: payment_instrument_id } = paying;
  const closing = await newLoanWithAccount(tenant, { principal_amount: '1000.00' });
  const funded = await newLoanWithAccount(tenant, { status: 'approved' });
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' });
  const line = await newLoanWithAccount(tenant, { product_id, status: 'approved' });
  await officer.post(`/loans/${line.id}/disburse`, { amount: '100.00' });

  const by = {
    staff: await officer.post(`/loans/${id}/payments`, { amount: '10.00', payment_instrument_id }),
    payoff: await officer.post(`/loans/${closing.id}/pay-off`, {
      payment_instrument_id: closing.account,
    }),
    disbursement: await officer.post(`/loans/${funded.id}/disbursements`, {
      amount: '9000.00',
      payment_instrument_id: funded.account,
    }),
    further: await officer.post(`/loans/${funded.id}/disbursements`, {
      amount: '1000.00',
      payment_instrument_id: funded.account,
      method: 'ach',
    }),
    draw: await officer.post(`/loans/${line.id}/draws`, {
      amount: '500.00',
      payment_instrument_id: line.account,
    }),
    plan: await officer.post(`/loans/${id}/payment-plans`, {
      installments: [
        {
          due_date: '2026-01-15',
          amount: '30.00',
        },
      ],
      auto_collect: true,
      payment_instrument_id,
    }),
  };
  for (const reply of Object.values(by)) createdId(reply);
  await officer.post(`/loans/${id}/payments`, { amount: '9.00', payment_method: 'check' });
  await officer.post(`/loans/${closing.id}/payments`, { amount: '5.00' });
  const held = await officer.post(`/loans/${id}/payments`, {
    amount: '10050.00',
    payment_method: 'wire',
  });
  expect(held.status).toBe(201);
  const refund = await officer.post(`/loans/${id}/payments/reimbursement`, {
    amount: '60.00',
    payment_instrument_id,
  });
  createdId(refund);
  const first = await admin.post('/nacha-files');
  const again = await admin.post('/nacha-files');

  expect(by.disbursement.body).toMatchObject({ method: 'ach', net_amount: '9000.00' });
  const amounts = async (file: { id: string; filename: string }) => {
    const text = parseNachaFile(await readSentFile(stage, tenant, file.filename));
    expectControls(text);
    expectLayout(text.lines);
    return text.batches.map(({ header, entries }) => [
      sliceColumns(header, 54, 63).trim(),
      ...entries.map((entry) => [sliceColumns(entry, 2, 3), Number(sliceColumns(entry, 30, 39))]),
    ]);
  };
  expect(first.body.skipped).toEqual([]);
  expect(await amounts(first.body)).toEqual([
    ['LOAN FUND', ['22', 900_000], ['22', 100_000], ['22', 50_000]],
    ['REFUND', ['22', 6_000]],
    ['LOAN PMT', ['27', 1_000], ['27', 100_000], ['27', 3_000]],
  ]);
  expect(again).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
  const entries = await admin.get(`/nacha-files/${first.body.id}/entries`);
  expect(entries.body.filter((entry: { draw_id: unknown }) => entry.draw_id)).toMatchObject([
    { draw_id: by.draw.body['id'], amount: '500.00' },
  ]);
});

test('orders of a close – scheduled payments, payment plan installments, autopay – are sent too', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const { id, borrower_id, account: payment_instrument_id } = await newLoanWithAccount(tenant);
  const payments = `/loans/${id}/payments`;
  const payment_date = '2026-01-16';
  createdId(await officer.post(payments, { amount: '20.00', payment_instrument_id, payment_date }));
  const canceled = createdId(
    await officer.post(payments, { amount: '21.00', payment_instrument_id, payment_date }),
  );
  createdId(
    await officer.post(`/loans/${id}/payment-plans`, {
      installments: [
        {
          due_date: '2026-01-17',
          amount: '40.00',
        },
      ],
      auto_collect: true,
      payment_instrument_id,
    }),
  );
  createdId(
    await officer.post(`/borrowers/${borrower_id}/autopay-plans`, {
      loan_id: id,
      payment_instrument_id,
      frequency: 'monthly',
      day_of_month: 20,
      amount_type: 'fixed',
      fixed_amount: '70.00',
    }),
  );

  const early = await admin.post('/nacha-files');
  await officer.delete(`/payments/${canceled}`);
  await travelTo(stage, tenant, '2026-01-21');
  const sent = await admin.post('/nacha-files');
  await travelTo(stage, tenant, '2026-01-27');

  expect(early).toMatchObject({ status: 409, body: { code: 'nothing_to_send' } });
  expect(sent.body).toMatchObject({ entry_count: 3, debit_total: '130.00' });
  expect(await balancesByRole(tenant)).toMatchObject({ cash: '-9870.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

/** Every request that may name a payment instrument, for one borrower and otherwise valid. */
async function orderings(tenant: Tenant) {
  const { officer } = tenant;
  const { id, borrower_id } = await newLoan(tenant);
  const overpaid = await newLoan(tenant, { borrower_id });
  await officer.post(`/loans/${overpaid.id}/payments`, { amount: '10050.00' });
  const approved = await newLoan(tenant, { borrower_id, status: 'approved' });
  const product_id = await newProduct(tenant, { loan_type: 'line_of_credit' });
  const line = await newLoan(tenant, { borrower_id, product_id, status: 'approved' });
  await officer.post(`/loans/${line.id}/disburse`, { amount: '100.00' });
  const amount = '1.00';
  const installments = [{ due_date: '2026-01-20', amount }];
  const requests: [path: string, body: Record<string, unknown>][] = [
    [`/loans/${id}/payments`, { amount }],
    [`/loans/${id}/payments`, { amount, payment_date: '2026-02-01' }],
    [`/loans/${id}/pay-off`, {}],
    [`/loans/${overpaid.id}/payments/reimbursement`, { amount }],
    [`/loans/${approved.id}/disbursements`, {}],
    [`/loans/${line.id}/draws`, { amount }],
    [`/loans/${id}/payment-plans`, { installments, auto_collect: true }],
    [`/loans/${id}/payment-plans`, { installments, auto_collect: true, status: 'proposed' }],
    [`/borrowers/${borrower_id}/autopay-plans`, { loan_id: id }],
  ];
  const ask = async (named: Record<string, unknown>) => {
    const replies = [];
    for (const [path, body] of requests)
      replies.push(await officer.post(path, { ...body, ...named }));
    return replies.map(({ status, body }) => [status, body.code, Object.keys(body.errors ?? {})]);
  };
  return { borrower_id, overpaid, approved, ask, count: requests.length };
}

test('every endpoint refuses an order that does not fit into a bank file', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const { borrower_id, ask, count } = await orderings(tenant);
  const own = await addVerifiedAccount(tenant, borrower_id);
  const blocked = await addVerifiedAccount(tenant, borrower_id, { status: 'blocked' });
  const card = await addBankAccount(officer, borrower_id, { instrument_type: 'debit_card' });
  const stranger = await addBankAccount(officer, (await newLoan(tenant)).borrower_id);
  const books = await balancesByRole(tenant);
  const askWith = (id: string) => ask({ payment_instrument_id: id });

  const byField = [422, 'validation_error', ['payment_instrument_id']];
  const all = (answer: unknown) => Array.from({ length: count }, () => answer);
  expect(await askWith(stranger)).toEqual(all(byField));
  expect(await askWith(card)).toEqual(all(byField));
  expect(await askWith(blocked)).toEqual(all([409, 'instrument_not_usable', []]));
  await saveSettings(tenant, { nacha: {} });
  expect(await askWith(own)).toEqual(all([409, 'nacha_not_configured', []]));
  expect(await balancesByRole(tenant)).toEqual(books);
  expect((await officer.get('/payments?payment_instrument_id__isnull=false')).body).toEqual([]);
});

test('an ACH payment on a later day needs an account, because nothing would be drawn', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  const pay = (more: object) =>
    tenant.officer.post(`/loans/${id}/payments`, { amount: '1.00', ...more });

  const later = await pay({ payment_method: 'ach', payment_date: '2026-01-16' });
  const others = [
    await pay({ payment_method: 'ach', payment_date: '2026-01-15' }),
    await pay({ payment_method: 'check', payment_date: '2026-01-16' }),
  ];
  const { body } = await tenant.officer.get(`/loans/${id}/payments`);

  expect([later.status, later.body.errors]).toEqual([
    422,
    { payment_instrument_id: expect.stringContaining('Is required for an ACH payment') },
  ]);
  expect(others.map(({ status }) => status)).toEqual([201, 201]);
  expect(body).toHaveLength(2);
});

test('an instrument requires the method ACH; another or no method is refused with the reason', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const { borrower_id, overpaid, approved } = await orderings(tenant);
  const loan = await newLoan(tenant, { borrower_id });
  const payment_instrument_id = await addVerifiedAccount(tenant, borrower_id);
  const named = { amount: '1.00', payment_instrument_id };

  const replies = [
    await officer.post(`/loans/${loan.id}/payments`, { ...named, payment_method: 'check' }),
    await officer.post(`/loans/${loan.id}/pay-off`, { ...named, payment_method: 'wire' }),
    await officer.post(`/loans/${overpaid.id}/payments/reimbursement`, {
      ...named,
      method: 'check',
    }),
    await officer.post(`/loans/${approved.id}/disbursements`, { ...named, method: 'wire' }),
    await officer.post(`/loans/${loan.id}/payment-plans`, {
      installments: [{ due_date: '2026-01-20', amount: '1.00' }],
      auto_collect: true,
    }),
  ];

  expect(replies.map(({ status, body }) => [status, ...Object.keys(body.errors ?? {})])).toEqual([
    [422, 'payment_method'],
    [422, 'payment_method'],
    [422, 'method'],
    [422, 'method'],
    [422, 'payment_instrument_id'],
  ]);
});
