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

test.each([
  { account_number: '11112222' },
  { token: 'tok_another' },
  { routing_number: '011000015' },
  { account_holder_name: 'Somebody Else' },
  { account_type: 'savings' },
  { instrument_type: 'debit_card' },
])('an instrument changed by %o must be verified again', async (other) => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const borrower_id = await tenant.first('/borrowers');
  const verified = { is_verified: true, verification_method: 'micro_deposit' };
  const made = await admin.post(`/borrowers/${borrower_id}/payment-instruments`, {
    ...ACCOUNT,
    ...verified,
  });
  const path = `/payment-instruments/${made.body.id}`;

  // As a form does: sends the whole record back, including its verified status.
  const changed = await admin.put(path, { ...made.body, ...other });
  const history = await tenant.officer.get(`/borrowers/${borrower_id}/history`);
  const byOfficer = await tenant.officer.put(path, { is_verified: true });
  const again = await admin.put(path, verified);

  expect(made.body).toMatchObject({ ...verified, verified_at: expect.any(String) });
  const unverified = { is_verified: false, verified_at: null, verification_method: 'none' };
  expect(changed).toMatchObject({ status: 200, body: unverified });
  expect(history.body[0].changes).toMatchObject({
    is_verified: { old: true, new: false },
    verified_at: { old: made.body.verified_at, new: null },
    verification_method: { old: 'micro_deposit', new: 'none' },
  });
  expect(byOfficer.body.is_verified).toBe(false);
  expect(again.body).toMatchObject({ ...verified, verified_at: expect.any(String) });
});

test('autopay continues with an account that must be verified again', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const loan = await newLoan(tenant);
  const path = `/borrowers/${loan.borrower_id}`;
  const verified = { ...ACCOUNT, is_verified: true };
  const instrument = (await admin.post(`${path}/payment-instruments`, verified)).body;
  const plan = await admin.post(`${path}/autopay-plans`, {
    loan_id: loan.id,
    payment_instrument_id: instrument.id,
  });

  await admin.put(`/payment-instruments/${instrument.id}`, { account_number: '11112222' });

  expect(await admin.get(`/autopay-plans/${plan.body.id}`)).toMatchObject({
    body: { status: 'active', is_enabled: true },
  });
});
