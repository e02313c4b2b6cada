import { expect, test } from 'vitest';
import { newEnrolledLoan } from '../setup/autopay.ts';
import { buildReturnFile, readSentEntries, newLoanWithAccount } from '../setup/nacha.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/**
 * An account with a payment that was returned with this code, and functions that change the account
 * afterwards.
 */
async function returnedWith(return_code: string) {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const loan = await newLoanWithAccount(tenant);
  const order = () =>
    officer.post(`/loans/${loan.id}/payments`, {
      amount: '100.00',
      payment_instrument_id: loan.account,
    });
  const paid = await order();
  const returned = await officer.post(`/payments/${paid.body.id}/return`, { return_code });
  expect(returned.status, JSON.stringify(returned.body)).toBe(200);
  const path = `/payment-instruments/${loan.account}`;
  return {
    order,
    account: async () => (await officer.get(path)).body,
    change: (changes: object) => officer.put(path, changes),
    officer,
  };
}

test.each(['R02', 'R03', 'R04', 'R12', 'R13', 'R14', 'R15', 'R16', 'R20', 'R23', 'R28'])(
  'after %s no order is possible until the account is corrected',
  async (code) => {
    const { order, account, change } = await returnedWith(code);

    const refused = await order();
    const before = await account();
    // A form sends back everything that it read.
    const corrected = await change({ ...before, account_number: '000987654321' });
    const ordered = await order();

    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'instrument_not_usable',
        message: expect.stringMatching(
          new RegExp(`the bank returned ${code} .* Correct its routing or account number`),
        ),
        details: { return_code: code },
      },
    });
    expect(before).toMatchObject({ status: 'blocked', block_code: code });
    expect(corrected.body).toMatchObject({ status: 'active', block_code: null });
    expect(ordered.status).toBe(201);
  },
);

test.each([
  ['R05', 'Obtain a new authorization'],
  ['R07', 'Obtain a new authorization'],
  ['R10', 'Obtain a new authorization'],
  ['R29', 'Obtain a new authorization'],
  ['R08', 'Obtain the consent of the borrower'],
])('after %s no order is possible until the borrower agrees again', async (code, remedy) => {
  const { order, change } = await returnedWith(code);

  const refused = await order();
  const corrected = await change({ account_holder_name: 'G. Hopper' });
  const agreed = await change({ status: 'active' });
  const ordered = await order();

  expect(refused).toMatchObject({
    status: 409,
    body: { message: expect.stringContaining(remedy), details: { return_code: code } },
  });
  expect(corrected.body).toMatchObject({ status: 'blocked', block_code: code });
  expect(agreed.body).toMatchObject({ status: 'active', block_code: null });
  expect(ordered.status).toBe(201);
});

test.each(['R01', 'R09', 'R06', 'R11', 'R17', 'R24', 'R34'])(
  'after %s the account can be used as before',
  async (code) => {
    const { order, account } = await returnedWith(code);

    expect((await order()).status).toBe(201);
    expect(await account()).toMatchObject({ last_return_code: code, status: 'active' });
  },
);

test('a code that disputes a return cannot reverse a payment manually', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoanWithAccount(tenant);
  const paid = await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '100.00' });

  const path = `/payments/${paid.body.id}`;
  const returned = await tenant.officer.post(`${path}/return`, { return_code: 'R72' });

  expect(returned).toMatchObject({ status: 422, body: { errors: { return_code: /R61 to R77/ } } });
  expect((await tenant.officer.get(path)).body.status).toBe('completed');
});

test('a later return for insufficient funds keeps the reason for the block', async () => {
  const { order, account, officer } = await returnedWith('R01');
  const [first, second] = [await order(), await order()];

  await officer.post(`/payments/${first.body.id}/return`, { return_code: 'R20' });
  await officer.post(`/payments/${second.body.id}/return`, { return_code: 'R01' });

  expect(await account()).toMatchObject({
    status: 'blocked',
    block_code: 'R20',
    last_return_code: 'R01',
  });
});

test.each(['R05', 'R08', 'R16', 'R20'])('autopay is paused after %s', async (return_code) => {
  const { tenant, officer, plan, payments } = await newEnrolledLoan(stage);
  await travelTo(stage, tenant, '2026-02-18');
  const [drawn] = await payments();

  await officer.post(`/payments/${drawn?.id}/return`, { return_code });
  await travelTo(stage, tenant, '2026-03-20');

  expect(await plan()).toMatchObject({ status: 'paused' });
  expect(await payments()).toHaveLength(1);
});

test('a revoked authorization ends the plan’s consent, and the plan cannot be resumed', async () => {
  const { tenant, officer, loan, instrument, plan, id, payments } = await newEnrolledLoan(stage);
  const consent = await officer.post(`/borrowers/${loan.borrower_id}/consents`, {
    consent_type: 'autopay',
  });
  await stage.owner.query('update autopay_plans set consent_id = $1 where id = $2', [
    consent.body.id,
    id,
  ]);
  await travelTo(stage, tenant, '2026-02-18');
  const [drawn] = await payments();

  await officer.post(`/payments/${drawn?.id}/return`, { return_code: 'R07' });
  await officer.put(`/payment-instruments/${instrument.id}`, { status: 'active' });
  const resumed = await officer.put(`/autopay-plans/${id}`, { status: 'active' });

  expect((await officer.get(`/borrower-consents/${consent.body.id}`)).body).toMatchObject({
    status: 'revoked',
    revocation_method: 'bank_return',
    revocation_reason: 'Returned with R07',
  });
  expect(resumed).toMatchObject({ status: 409, body: { code: 'authorization_revoked' } });
  expect(await plan()).toMatchObject({ status: 'paused' });
});

test('returned money that was paid out also blocks the account', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const loan = await newLoanWithAccount(tenant, { status: 'approved' });
  await tenant.officer.post(`/loans/${loan.id}/disbursements`, {
    method: 'ach',
    payment_instrument_id: loan.account,
  });
  const { filename } = (await admin.post('/nacha-files')).body;
  const [line = ''] = await readSentEntries(stage, tenant, filename);

  await admin.post('/nacha-returns', { file: buildReturnFile([line, 'R23']) });

  const account = await tenant.officer.get(`/payment-instruments/${loan.account}`);
  expect(account.body).toMatchObject({ status: 'blocked', block_code: 'R23' });
});
