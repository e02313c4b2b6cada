import { expect, test } from 'vitest';
import { newPortalBorrower, assertOk, refusal } from '../setup/portal.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const FIELDS = {
  instrument_type: 'bank_account',
  account_holder_name: 'Bo Rower',
  bank_name: 'First Bank',
  routing_number: '021000021',
  account_number_last_four: '6789',
  account_type: 'checking',
};
const PATH = '/portal/payment-instruments';

test('an account added by its last four digits cannot pay until its number is known and verified', async () => {
  const { borrower, admin, loan, pay } = await newPortalBorrower(stage);
  const added = await borrower.post(PATH, FIELDS);
  const payment_instrument_id = String(added.body.id);
  const orders = () =>
    Promise.all([
      pay('10.00', { payment_instrument_id }),
      borrower.post(`${loan}/autopay/enroll`, { payment_instrument_id }),
    ]);
  const supply = (account_number: string) =>
    borrower.post(`${PATH}/${payment_instrument_id}/account-number`, { account_number });

  const before = await orders();
  assertOk(await admin.put(`/payment-instruments/${payment_instrument_id}`, { is_verified: true }));
  const verifiedTooEarly = await pay('10.00', { payment_instrument_id });
  const other = await supply('000123451111');
  const supplied = await supply('000123456789');
  const again = await supply('000123456789');
  const unverified = await pay('10.00', { payment_instrument_id });
  assertOk(await admin.put(`/payment-instruments/${payment_instrument_id}`, { is_verified: true }));
  const after = await pay('10.00', { payment_instrument_id });

  expect(added).toMatchObject({
    status: 201,
    body: {
      is_verified: false,
      account_number_last_four: '6789',
      draw_blockers: ['account_number_missing', 'not_verified'],
    },
  });
  expect([...before, verifiedTooEarly]).toMatchObject([
    refusal(409, 'instrument_not_usable'),
    refusal(409, 'instrument_not_usable'),
    refusal(409, 'instrument_not_usable'),
  ]);
  expect(before[0].body).toMatchObject({
    message: expect.stringContaining('Add account_number first'),
    details: { draw_blockers: ['account_number_missing', 'not_verified'] },
  });
  expect(other).toMatchObject({ status: 422, body: { errors: { account_number: /6789/ } } });
  expect(supplied).toMatchObject({
    status: 200,
    body: { is_verified: false, draw_blockers: ['not_verified'] },
  });
  expect(JSON.stringify(supplied.body)).not.toContain('000123456789');
  expect(again).toMatchObject(refusal(409, 'already_exists'));
  expect(unverified).toMatchObject(refusal(409, 'instrument_not_usable'));
  expect(after.status).toBe(201);
});

test('staff see that an account number is missing, and their orders cannot use the account', async () => {
  const { officer, borrower_id, id } = await newPortalBorrower(stage);
  const added = await officer.post(`/borrowers/${borrower_id}/payment-instruments`, FIELDS);
  const named = { payment_instrument_id: added.body.id };

  const payment = await officer.post(`/loans/${id}/payments`, { amount: '10.00', ...named });
  const plan = await officer.post(`/borrowers/${borrower_id}/autopay-plans`, {
    loan_id: id,
    ...named,
  });
  assertOk(
    await officer.put(`/payment-instruments/${added.body.id}`, { account_number: '000123456789' }),
  );
  const after = await officer.post(`/loans/${id}/payments`, { amount: '10.00', ...named });

  expect(added).toMatchObject({
    status: 201,
    body: { draw_blockers: ['account_number_missing', 'not_verified'] },
  });
  expect([payment, plan]).toMatchObject([
    refusal(409, 'instrument_not_usable'),
    refusal(409, 'instrument_not_usable'),
  ]);
  expect(after.status).toBe(201);
});
