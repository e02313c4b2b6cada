import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { sliceColumns, addBankAccount, parseNachaFile, readSentFile } from '../setup/nacha.ts';
import { newPortalBorrower, assertOk, refusal } from '../setup/portal.ts';
import { travelTo } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a payment is split as previewed, and staff see the same payment', async () => {
  const { borrower, officer, loan, id, pay, staffs } = await newPortalBorrower(stage);

  const preview = assertOk(await borrower.post(`${loan}/payments/preview`, { amount: '500.00' }));
  const paid = assertOk(await pay('500.00'));

  const { allocations, as_of_date, authorization_text: _, ...split } = preview;
  expect(paid).toMatchObject({ ...split, status: 'completed', source: 'portal' });
  expect(as_of_date).toBe('2026-01-15');
  expect(allocations).not.toEqual([]);
  const { body: listed } = await borrower.get(`${loan}/payments`);
  const { body: known } = await officer.get(`/loans/${id}/payments`);
  expect(listed).toEqual([paid]);
  const { can_cancel, ...same } = paid;
  expect(known[0]).toMatchObject(same);
  expect(assertOk(await borrower.get(loan))).toMatchObject({
    total_paid: '500.00',
    principal_balance: (await staffs())['principal_balance'],
  });
  expect(can_cancel).toBe(false);
  expect(Object.keys(paid)).not.toContain('notes');
});

test('a payment ordered in the portal is in exactly one file, as WEB', async () => {
  const { tenant, admin, pay } = await newPortalBorrower(stage);
  assertOk(await pay('100.00'));

  const first = assertOk(await admin.post('/nacha-files', {}));
  const second = await admin.post('/nacha-files', {});

  const { batches } = parseNachaFile(await readSentFile(stage, tenant, String(first['filename'])));
  const kinds = batches.map(({ header, entries }) => [
    sliceColumns(header, 51, 53),
    entries.length,
  ]);
  expect(kinds).toEqual([['WEB', 1]]);
  expect(first).toMatchObject({ entry_count: 1 });
  expect(second.status, JSON.stringify(second.body)).toBe(409);
});

test('two equal payments are two, and one click’s key makes only one', async () => {
  const { borrower, loan, account, pay } = await newPortalBorrower(stage);
  const order = { amount: '50.00', payment_instrument_id: account };
  const key = { headers: { 'Idempotency-Key': 'one-click' } };

  const both = [await pay('40.00'), await pay('40.00')];
  const keyed = await Promise.all([
    borrower.post(`${loan}/payments`, order, key),
    borrower.post(`${loan}/payments`, order, key),
  ]);

  expect(both.map(({ status }) => status)).toEqual([201, 201]);
  expect(keyed.map(({ body }) => body.id)).toEqual([keyed[0]?.body.id, keyed[0]?.body.id]);
  expect((await borrower.get(loan)).body.total_paid).toBe('130.00');
});

test('where the tenant requires it, a repeated payment is reported and needs confirmation', async () => {
  const { tenant, borrower, loan, pay } = await newPortalBorrower(stage);
  await saveSettings(tenant, { portal: { asks_about_repeats: true } });

  const both = await Promise.all([pay('40.00'), pay('40.00')]);
  const meant = await pay('40.00', { confirm_duplicate: true });
  const other = await pay('40.01');

  expect(new Set(both.map(({ status }) => status))).toEqual(new Set([201, 409]));
  const [told] = both.filter(({ status }) => status === 409);
  const [made] = both.filter(({ status }) => status === 201);
  expect(told?.body).toMatchObject({
    code: 'possible_duplicate',
    details: { payment_id: made?.body.id },
  });
  expect([meant.status, other.status]).toEqual([201, 201]);
  expect((await borrower.get(loan)).body.total_paid).toBe('120.01');
});

test('if the lender has no bank, the borrower sees what that means', async () => {
  const { tenant, borrower, loan, account, pay } = await newPortalBorrower(stage);
  await saveSettings(tenant, { nacha: {} });

  const told = [
    await pay('10.00'),
    await borrower.post(`${loan}/payments/preview`, { amount: '10.00' }),
    await borrower.post(`${loan}/autopay/enroll`, { payment_instrument_id: account }),
  ];

  expect(told).toMatchObject(told.map(() => refusal(409, 'payments_not_ready')));
  expect(JSON.stringify(told.map(({ body }) => body))).not.toMatch(/nacha|setting/i);
});

test('a borrower cannot pay more than the balance, and paying all of it pays the loan off', async () => {
  const { borrower, loan, pay, staffs, officer, id } = await newPortalBorrower(stage);
  const { body: known } = await officer.get(`/loans/${id}/get-balances`);
  const { payoff_amount } = assertOk(await borrower.get(loan));

  const tooMuch = await pay('10000.01');
  const preview = await borrower.post(`${loan}/payments/preview`, { amount: '10000.01' });
  const before = await staffs();
  const all = await pay('10000.00');

  expect(payoff_amount).toBe(known.payoff_amount);
  expect(tooMuch).toMatchObject(refusal(409, 'exceeds_balance'));
  expect(tooMuch.body.details).toEqual({ payoff_amount: '10000.00' });
  expect(preview).toMatchObject(refusal(409, 'exceeds_balance'));
  expect(before['principal_balance']).toBe('10000.00');
  expect(all).toMatchObject({ status: 201, body: { payment_type: 'payoff' } });
  expect((await staffs())['status']).toBe('paid_off');
  expect(await pay('1.00')).toMatchObject(refusal(409, 'exceeds_balance'));
  expect((await borrower.get(loan)).body).toMatchObject({ can_pay: false, payoff_amount: '0.00' });
});

test('the preview of a payoff includes the penalty', async () => {
  const { tenant, borrower, loan, admin, officer, borrower_id, account } =
    await newPortalBorrower(stage);
  const penalty = { calculation: 'flat', amount: '150.00', within_months: 12 };
  const product = await admin.post('/products', {
    name: 'With a penalty',
    code: 'PENALTY',
    prepayment_penalty: penalty,
  });
  const product_id = assertOk(product)['id'];
  const { id } = await newLoan(tenant, { borrower_id, product_id });
  const path = `/portal/loans/${id}`;
  const { payoff_amount: amount } = assertOk(await borrower.get(path));

  const preview = assertOk(await borrower.post(`${path}/payments/preview`, { amount }));
  const order = { amount, payment_instrument_id: account };
  const paid = assertOk(await borrower.post(`${path}/payments`, order));

  expect(amount).toBe('10150.00');
  expect(paid).toMatchObject({ fees_applied: '150.00', remaining_balance: '0.00' });
  expect(preview).toMatchObject({
    fees_applied: paid['fees_applied'],
    principal_applied: paid['principal_applied'],
    remaining_balance: '0.00',
  });
  expect(loan).not.toBe(path);
  expect((await officer.get(`/loans/${id}`)).body.status).toBe('paid_off');
});

test('a future payment is scheduled, counts against the balance, and can be canceled', async () => {
  const { tenant, borrower, admin, pay, loan } = await newPortalBorrower(stage);
  const on = { payment_date: '2026-01-20' };

  const scheduled = assertOk(await pay('9000.00', on));
  const canceled = assertOk(await pay('100.00', on));
  const tooMuch = await pay('1000.00', { payment_date: '2026-01-21' });
  const past = await pay('10.00', { payment_date: '2026-01-14' });
  const taken = assertOk(await borrower.post(`/portal/payments/${String(canceled['id'])}/cancel`));
  const again = await borrower.post(`/portal/payments/${String(canceled['id'])}/cancel`);
  await travelTo(stage, tenant, '2026-01-22');
  const late = await borrower.post(`/portal/payments/${String(scheduled['id'])}/cancel`);
  const file = assertOk(await admin.post('/nacha-files', {}));
  const second = await admin.post('/nacha-files', {});

  expect([scheduled['status'], taken['status']]).toEqual(['scheduled', 'canceled']);
  expect(tooMuch).toMatchObject(refusal(409, 'exceeds_balance'));
  expect(past).toMatchObject({
    status: 422,
    body: { errors: { payment_date: expect.any(String) } },
  });
  expect([again, late]).toMatchObject([
    refusal(409, 'invalid_transition'),
    refusal(409, 'invalid_transition'),
  ]);
  expect(file).toMatchObject({ entry_count: 1, debit_total: '9000.00' });
  expect(second.status).toBe(409);
  const { body: payments } = await borrower.get(`${loan}/payments?status=completed`);
  expect(payments).toMatchObject([{ id: scheduled['id'], amount: '9000.00' }]);
});

test('only the borrower’s own verified account can be drawn on', async () => {
  const { tenant, borrower, officer, admin, pay } = await newPortalBorrower(stage);
  const other = await newLoan(tenant);
  const foreign = await addBankAccount(admin, other.borrower_id, { is_verified: true });
  const bank = { routing_number: '021000021', account_number: '000123459876' };
  const added = await borrower.post('/portal/payment-instruments', {
    ...bank,
    account_type: 'savings',
    account_holder_name: 'Bo Rower',
    is_verified: true,
    status: 'active',
    verification_method: 'instant',
  });
  const bare = await borrower.post('/portal/payment-instruments', { bank_name: 'First' });
  const path = `/payment-instruments/${added.body.id}`;
  const from = (payment_instrument_id: string) => pay('10.00', { payment_instrument_id });

  const replies = [await from(foreign), await from(added.body.id as string)];
  assertOk(await admin.put(path, { is_verified: true }));
  const verified = await from(added.body.id as string);
  assertOk(await officer.put(path, { status: 'blocked' }));
  const blocked = await from(added.body.id as string);

  expect(added).toMatchObject({
    status: 201,
    body: { is_verified: false, verification_method: 'none', account_number_last_four: '9876' },
  });
  expect(JSON.stringify(added.body)).not.toContain('000123459876');
  expect(bare).toMatchObject({
    status: 422,
    body: { errors: { routing_number: 'Is required.', account_number: expect.any(String) } },
  });
  expect(replies).toMatchObject([
    { status: 422, body: { errors: { payment_instrument_id: 'Does not exist.' } } },
    refusal(409, 'instrument_not_usable'),
  ]);
  expect(verified.status).toBe(201);
  expect(blocked).toMatchObject(refusal(409, 'instrument_not_usable'));
});

test('an account that autopay uses stays until autopay ends', async () => {
  const { tenant, borrower, admin, loan, account } = await newPortalBorrower(stage);
  const path = `/portal/payment-instruments/${account}`;
  const plan = { payment_instrument_id: account };
  assertOk(await borrower.post(`${loan}/autopay/enroll`, plan));
  const other = await newLoan(tenant);
  const foreign = await addBankAccount(admin, other.borrower_id);

  const inUse = await borrower.delete(path);
  const anothers = await borrower.delete(`/portal/payment-instruments/${foreign}`);
  assertOk(await borrower.post(`${loan}/autopay/cancel`));
  const gone = await borrower.delete(path);
  const again = await borrower.delete(path);

  expect(inUse).toMatchObject(refusal(409, 'in_use'));
  expect(anothers.status).toBe(404);
  expect(gone).toMatchObject({ status: 200, body: { id: account, is_archived: true } });
  expect(again.status).toBe(404);
  expect((await borrower.get('/portal/payment-instruments')).body).toEqual([]);
});

test('a frozen or accelerated loan accepts payments, and an unfunded one does not', async () => {
  const { tenant, borrower, admin, id, pay, borrower_id, account } = await newPortalBorrower(stage);
  const { id: pending } = await newLoan(tenant, { borrower_id, status: 'pending' });
  const order = { amount: '10.00', payment_instrument_id: account };

  assertOk(await admin.post(`/loans/${id}/freeze`, { reason: 'fraud' }));
  const frozen = await pay('11.00');
  assertOk(await admin.post(`/loans/${id}/accelerate`, { reason: 'Default.' }));
  const accelerated = await pay('12.00');
  const early = await borrower.post(`/portal/loans/${pending}/payments`, order);
  const { body: asked } = await borrower.get(`/portal/loans/${pending}`);

  expect([frozen.status, accelerated.status]).toEqual([201, 201]);
  expect(early).toMatchObject(refusal(409, 'invalid_transition'));
  expect(asked).toMatchObject({
    status: 'pending',
    can_pay: false,
    total_paid: '0.00',
    payoff_amount: '0.00',
  });
  expect((await borrower.get(`/portal/loans/${pending}/amortization`)).body).toEqual([]);
});
