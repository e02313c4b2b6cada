import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { saveSettings } from '../setup/settings.ts';
import { fieldNamesIn, newStaff } from '../setup/team.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const CANARY = '217.43';

/** A loan of 8,000.00 with a payment of 217.43 to principal, which leaves 7,782.57. */
async function paidLoan(tenant: Tenant) {
  const { id } = await newLoan(tenant, { principal_amount: '8000.00' });
  const payment = await tenant.officer.post(`/loans/${id}/payments`, {
    amount: CANARY,
    payment_type: 'extra_principal',
  });
  return { id, payment: payment.body as { id: string } };
}

test('a denied balance is revealed by no other record, sum or journal line', async () => {
  const { tenant, officer, superadmin, deny } = await newStaff(stage);
  const { id, payment } = await paidLoan(tenant);
  const owed = '7782.57';
  const before = JSON.stringify([
    (await officer.get(`/loans/${id}`)).body,
    (await officer.get(`/payments/${payment.id}`)).body,
    (await officer.get(`/loans/${id}/get-balances`)).body,
  ]);
  await deny('loans', 'principal_balance');

  const answers = [
    await officer.get(`/loans/${id}`),
    await officer.get(`/loans?portfolio_id__isnull=true`),
    await officer.get(`/loans/${id}/get-balances`),
    await officer.get(`/loans/${id}/get-future-balance-projection?as_of_date=2026-03-01`),
    await officer.get(`/loans/${id}/amortization`),
    await officer.get(`/loans/${id}/payments`),
    await officer.get(`/payments/${payment.id}`),
    await officer.get(`/loans/${id}/history`),
    await officer.get(`/ledger/loans/${id}/sub-ledger`),
    await officer.get(`/ledger/entries?loan_id=${id}`),
    await officer.post(`/loans/${id}/payoff-quotes`, {}),
    await officer.post(`/loans/${id}/add-labels`, { labels: ['a'] }),
  ];
  const next = await newLoan(tenant);
  const refused = [
    await officer.get('/loans?principal_balance__gt=1'),
    await officer.get('/loans?sort=["total_balance","ASC"]'),
    await officer.get('/loan-snapshots?sort=["principal_balance","ASC"]'),
  ];

  expect(before.split(owed).length).toBeGreaterThan(4);
  expect(answers.map(({ status }) => status)).toEqual([
    ...answers.slice(0, 10).map(() => 200),
    201,
    200,
  ]);
  for (const { body } of answers) {
    expect(JSON.stringify(body)).not.toContain(owed);
    expect(fieldNamesIn(body)).not.toContain('principal_balance');
    expect(fieldNamesIn(body)).not.toContain('total_balance');
  }
  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422]);
  expect(next.id).toBeTruthy();
  expect(answers[0]?.body).toMatchObject({ principal_amount: '8000.00', status: 'active' });
  const { permissions } = (await officer.get('/users/me')).body;
  expect(permissions).toContainEqual({
    type: 'deny',
    action: '*',
    resource: 'loan-snapshots',
    record: expect.objectContaining({ principal_balance: true }),
  });
  expect((await superadmin.get(`/loans/${id}`)).body.principal_balance).toBe(owed);
});

test('a user with a denied field gets no tape with it, no letter and no message', async () => {
  const { tenant, superadmin, deny, give, officer } = await newStaff(stage);
  await newLoan(tenant);
  const config = async (name: string, ...columns: string[]) =>
    (await superadmin.post('/loan-tape-configs', { name, columns })).body.id as string;
  const [balances, ratios, numbers] = [
    await config('A', 'loan_number', 'principal_balance'),
    await config('B', 'loan_number', 'ltv'),
    await config('C', 'loan_number'),
  ];
  const made = (await superadmin.post(`/loan-tape-configs/${balances}/generate`)).body;
  await give({ action: 'generate', resource: 'loan-tape-configs' });
  await deny('loans', 'principal_balance');
  const generate = (id: string) => officer.post(`/loan-tape-configs/${id}/generate`);
  const document = await tenant.first('/documents');

  const tapes = [await generate(balances), await generate(ratios), await generate(numbers)];
  const fetched = await officer.get(`/loan-tapes/${made.id}`);
  const letter = await officer.get(`/documents/${document}`);
  const listed = await officer.get('/documents');
  const shown = await officer.post('/communications/preview', {
    template_type: 'payment_reminder',
    channel: 'email',
    borrower_id: (await officer.get('/borrowers')).body[0].id,
  });

  expect([...tapes, fetched, letter, shown].map(({ status }) => status)).toEqual([
    403, 403, 200, 403, 403, 403,
  ]);
  expect(tapes[0]?.body).toMatchObject({ details: { fields: ['principal_balance'] } });
  expect(listed.body.map((row: { id: string }) => row.id)).toContain(document);
});

test('a refusal contains no amount and no date that are denied to the user', async () => {
  const { tenant, officer, deny } = await newStaff(stage);
  const { id } = await newLoan(tenant);
  const early = { amount: '1.00', payment_date: '2025-01-01' };
  const before = await officer.post(`/loans/${id}/payments`, early);
  await deny('loans', 'origination_date');
  const after = await officer.post(`/loans/${id}/payments`, early);
  const own = await officer.post('/borrowers', { first_name: 'x'.repeat(201), last_name: 'B' });

  expect([before.status, after.status]).toEqual([before.status, before.status]);
  expect(before.status).toBeGreaterThanOrEqual(400);
  expect(JSON.stringify({ ...after.body, request_id: '' })).not.toMatch(/\d/);
  expect(own.body.errors.first_name).toBe('Must be at most 200 characters.');
});

test('nor does it contain a denied field’s value', async () => {
  const { tenant, officer, deny } = await newStaff(stage);
  const { id } = await newLoan(tenant);
  const before = await officer.post(`/loans/${id}/approve`);
  await deny('loans', 'status');
  const after = await officer.post(`/loans/${id}/approve`);

  expect([before.status, after.status]).toEqual([409, 409]);
  expect(JSON.stringify(before.body)).toContain('active');
  expect(JSON.stringify(after.body)).not.toContain('active');
  expect(after.body.code).toBe(before.body.code);
});

test('a pending request shows no denied field, and a user who is denied one cannot approve it', async () => {
  const { tenant, officer, superadmin, deny } = await newStaff(stage);
  const { id } = await newLoan(tenant);
  await saveSettings(tenant, { approvals: { four_eyes: ['refunds'] } });
  await superadmin.post(`/loans/${id}/payments`, { amount: '20.00' });
  const asked = await superadmin.post(`/loans/${id}/payments/reimbursement`, { amount: CANARY });
  await deny('payments', 'amount');

  const listed = await officer.get('/approvals');
  const agreed = await officer.post(`/approvals/${asked.body.approval_id}/approve`);

  expect(asked.status).toBe(202);
  expect(listed.body).toHaveLength(1);
  expect(JSON.stringify(listed.body)).not.toContain(CANARY);
  expect(agreed).toMatchObject({ status: 403, body: { details: { fields: ['amount'] } } });
});

test('a denied term cannot be derived from other fields of the loan', async () => {
  const { tenant, officer, deny } = await newStaff(stage);
  const { id } = await newLoan(tenant, { term_months: 37 });
  const before = (await officer.get(`/loans/${id}`)).body;
  await deny('loans', 'term_months');

  const loan = await officer.get(`/loans/${id}`);
  const sorted = await officer.get('/loans?sort=["remaining_term","ASC"]');
  const selected = await officer.get('/loans?filter={"maturity_date__gt":"2026-01-01"}');

  const names = ['term_months', 'original_term_months', 'remaining_term', 'maturity_date'];
  expect(names.map((name) => Object.hasOwn(before, name))).toEqual([true, true, true, true]);
  expect(loan.status).toBe(200);
  expect(fieldNamesIn(loan.body).filter((name) => names.includes(name))).toEqual([]);
  expect([sorted.status, selected.status]).toEqual([422, 422]);
});
