import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const ACCOUNT = {
  instrument_type: 'bank_account',
  account_holder_name: 'Grace Hopper',
  bank_name: 'First Bank',
  routing_number: '021000021',
  account_number: '000123456789',
  account_type: 'checking',
};

test('only the last four digits of an account number are shown', async () => {
  const tenant = await stage.tenant();
  const borrower_id = await tenant.first('/borrowers');

  const created = await tenant.officer.post(
    `/borrowers/${borrower_id}/payment-instruments`,
    ACCOUNT,
  );
  const changed = await tenant.officer.put(`/payment-instruments/${created.body.id}`, {
    ...created.body,
    account_number: '99998888',
  });
  const history = await tenant.officer.get(`/borrowers/${borrower_id}/history`);
  const stored = await stage.owner.query('select * from payment_instruments where id = $1', [
    created.body.id,
  ]);

  expect(created).toMatchObject({
    status: 201,
    body: { account_number_last_four: '6789', is_default: true, is_verified: false },
  });
  expect(changed).toMatchObject({ status: 200, body: { account_number_last_four: '8888' } });
  for (const text of [created.body, history.body, stored.rows].map((shown) =>
    JSON.stringify(shown),
  ))
    expect(text).not.toMatch(/000123456789|99998888/);
});

test('a routing number must pass the ABA check', async () => {
  const tenant = await stage.tenant();
  const path = `/borrowers/${await tenant.first('/borrowers')}/payment-instruments`;

  for (const routing_number of ['021000022', '12345678', '000000000', 'abcdefghi']) {
    const refused = await tenant.officer.post(path, { ...ACCOUNT, routing_number });

    expect(refused).toMatchObject({ status: 422 });
    expect(Object.keys(refused.body.errors)).toEqual(['routing_number']);
  }
});

test('only an admin verifies an account, and a changed account is unverified', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const path = `/borrowers/${await tenant.first('/borrowers')}/payment-instruments`;

  const byOfficer = await tenant.officer.post(path, { ...ACCOUNT, is_verified: true });
  const byAdmin = await admin.put(`/payment-instruments/${byOfficer.body.id}`, {
    is_verified: true,
  });
  const renamed = await tenant.officer.put(`/payment-instruments/${byOfficer.body.id}`, {
    ...byAdmin.body,
    bank_name: 'Second Bank',
  });
  const moved = await tenant.officer.put(`/payment-instruments/${byOfficer.body.id}`, {
    account_number: '11112222',
  });

  expect(byOfficer.body).toMatchObject({ is_verified: false, verified_at: null });
  expect(byAdmin.body).toMatchObject({ is_verified: true, verified_at: expect.any(String) });
  expect(renamed.body).toMatchObject({ is_verified: true, bank_name: 'Second Bank' });
  expect(moved.body).toMatchObject({ is_verified: false, verified_at: null });
});

test('a new default account replaces the old one', async () => {
  const tenant = await stage.tenant();
  const path = `/borrowers/${await tenant.first('/borrowers')}/payment-instruments`;

  await tenant.officer.post(path, ACCOUNT);
  await tenant.officer.post(path, ACCOUNT);
  await tenant.officer.post(path, { ...ACCOUNT, is_default: true });
  const all = await tenant.officer.get(path);

  expect(all.body.map(({ is_default }: { is_default: boolean }) => is_default)).toEqual([
    true,
    false,
    false,
  ]);
});

test('an account that autopay uses cannot be deleted, and a deleted account takes no payment', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const loan = await newLoan(tenant);
  const path = `/borrowers/${loan.borrower_id}`;
  const instrument = (await officer.post(`${path}/payment-instruments`, ACCOUNT)).body;
  const plan = await officer.post(`${path}/autopay-plans`, {
    loan_id: loan.id,
    payment_instrument_id: instrument.id,
  });

  const inUse = await officer.delete(`/payment-instruments/${instrument.id}`);
  const canceled = await officer.delete(`/autopay-plans/${plan.body.id}`);
  const again = await officer.delete(`/autopay-plans/${plan.body.id}`);
  const deleted = await officer.delete(`/payment-instruments/${instrument.id}`);
  const payment = { amount: '10.00', payment_instrument_id: instrument.id };
  const paid = await officer.post(`/loans/${loan.id}/payments`, payment);

  expect(plan).toMatchObject({ status: 201, body: { status: 'active', start_date: '2026-01-15' } });
  expect(inUse).toMatchObject({ status: 409, body: { code: 'in_use' } });
  expect(canceled).toMatchObject({
    status: 200,
    body: { status: 'canceled', cancel_reason: 'agent', next_run_date: null },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(deleted).toMatchObject({ status: 200, body: { is_archived: true, status: 'inactive' } });
  expect(paid).toMatchObject({
    status: 422,
    body: { errors: { payment_instrument_id: expect.any(String) } },
  });
});

test("a payment from another borrower's account or a blocked account is refused", async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const loan = await newLoan(tenant);
  const stranger = await newLoan(tenant);
  const foreign = (
    await officer.post(`/borrowers/${stranger.borrower_id}/payment-instruments`, ACCOUNT)
  ).body;
  const blocked = (
    await officer.post(`/borrowers/${loan.borrower_id}/payment-instruments`, {
      ...ACCOUNT,
      status: 'blocked',
    })
  ).body;
  const pay = (payment_instrument_id: string) =>
    officer.post(`/loans/${loan.id}/payments`, { amount: '10.00', payment_instrument_id });
  const enroll = (payment_instrument_id: string) =>
    officer.post(`/borrowers/${loan.borrower_id}/autopay-plans`, {
      loan_id: loan.id,
      payment_instrument_id,
    });

  for (const act of [pay, enroll]) {
    expect(await act(foreign.id)).toMatchObject({ status: 422 });
    expect(await act(blocked.id)).toMatchObject({
      status: 409,
      body: { code: 'instrument_not_usable' },
    });
  }
  const elsewhere = await officer.post(`/borrowers/${stranger.borrower_id}/autopay-plans`, {
    loan_id: loan.id,
    payment_instrument_id: foreign.id,
  });
  expect(elsewhere).toMatchObject({
    status: 422,
    body: { errors: { loan_id: 'Does not exist.' } },
  });
});

test('new last digits make it another account, and a deleted account is no longer the default', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const borrower_id = await tenant.first('/borrowers');
  const path = `/borrowers/${borrower_id}/payment-instruments`;
  const first = (await admin.post(path, { ...ACCOUNT, is_verified: true })).body;

  const same = await tenant.officer.put(`/payment-instruments/${first.id}`, first);
  const other = await tenant.officer.put(`/payment-instruments/${first.id}`, {
    account_number_last_four: '1111',
  });
  await tenant.officer.delete(`/payment-instruments/${first.id}`);
  const second = (await admin.post(path, { ...ACCOUNT, is_default: true })).body;
  const gone = await tenant.officer.put(`/payment-instruments/${first.id}`, { is_default: true });
  const kept = await tenant.officer.get(`/payment-instruments/${second.id}`);

  expect([same.body.is_verified, other.body.is_verified]).toEqual([true, false]);
  expect(gone).toMatchObject({ status: 200, body: { is_default: false } });
  expect(kept.body.is_default).toBe(true);
});

test('the history records who stopped being the default or primary', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const borrower = await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Lovelace' });
  const path = `/borrowers/${borrower.body.id}`;
  const email = (name: string) => ({ email: `${name}@example.com`, is_primary: true });
  const account = (await officer.post(`${path}/payment-instruments`, ACCOUNT)).body;
  const old = (await officer.post(`${path}/emails`, email('old'))).body;
  const other = (await officer.post(`${path}/emails`, email('new'))).body;

  await officer.post(`${path}/payment-instruments`, { ...ACCOUNT, is_default: true });
  await officer.put(`/emails/${old.id}`, { is_primary: true });

  const told = async (id: string) =>
    (await officer.get(`${path}/history?entity_id=${id}&ordering=created_at`)).body.map(
      ({ changes }: { changes: object }) => changes,
    );
  const [lost, won] = [
    { is_primary: { old: true, new: false } },
    { is_primary: { old: false, new: true } },
  ];
  expect((await told(account.id)).slice(1)).toEqual([{ is_default: { old: true, new: false } }]);
  expect((await told(old.id)).slice(1)).toEqual([lost, won]);
  expect((await told(other.id)).slice(1)).toEqual([lost]);
});
