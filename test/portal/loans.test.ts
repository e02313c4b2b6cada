import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newPortalBorrower, assertOk } from '../setup/portal.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const STAFFS = [
  'principal_balance',
  'accrued_interest',
  'total_balance',
  'next_payment_date',
  'next_payment_amount',
  'past_due_amount',
  'amount_due',
  'fees_due',
  'days_past_due',
];
const cut = (row: Record<string, unknown>, names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, row[name]]));

test('the borrower sees the same loan amounts as staff, at any age of the loan', async () => {
  for (const disbursement_date of ['2026-01-15', '2025-12-15', '2025-12-14', '2025-08-20']) {
    const { borrower, officer, loan, id, pay, staffs } = await newPortalBorrower(stage, {
      disbursement_date,
    });
    assertOk(await pay('100.00'));

    const own = assertOk(await borrower.get(loan));
    const { body: balances } = await officer.get(`/loans/${id}/get-balances`);
    const { body: schedule } = await officer.get(`/loans/${id}/amortization`);

    expect(cut(own, STAFFS)).toEqual(cut(await staffs(), STAFFS));
    expect(own).toMatchObject({ payoff_amount: balances.payoff_amount, total_paid: '100.00' });
    expect((await borrower.get(`${loan}/amortization`)).body).toEqual(schedule);
    expect(own).not.toHaveProperty('labels');
    expect(own).not.toHaveProperty('allowed_actions');
  }
});

test('a borrower finds only their own loans, archived or not', async () => {
  const { tenant, borrower, admin, id, borrower_id } = await newPortalBorrower(stage);
  const other = await newLoan(tenant);
  const pending = await newLoan(tenant, { borrower_id, status: 'pending' });
  assertOk(await admin.delete(`/loans/${pending.id}`));
  const foreign = `/portal/loans/${other.id}`;

  const all = await borrower.get('/portal/loans');
  const active = await borrower.get('/portal/loans?filter={"status":"active"}');
  const byOther = await borrower.get(`/portal/loans?id=${other.id}`);
  const paths = ['', '/amortization', '/payments', '/autopay'].map((end) => foreign + end);
  const reads = await Promise.all(paths.map((path) => borrower.get(path)));
  const writes = await Promise.all([
    borrower.post(`${foreign}/payments/preview`, { amount: '1.00' }),
    borrower.post(`${foreign}/payments`, { amount: '1.00', payment_instrument_id: other.id }),
    borrower.post(`${foreign}/autopay/cancel`),
    borrower.post(`${foreign}/autopay/enable`),
  ]);

  const ids = (rows: { id: string }[]) => rows.map((row) => row.id).toSorted();
  expect(all.headers['content-range']).toBe('loans 0-1/2');
  expect(ids(all.body)).toEqual([id, pending.id].toSorted());
  expect(ids(active.body)).toEqual([id]);
  expect(byOther.body).toEqual([]);
  expect([...reads, ...writes].map(({ status }) => status)).toEqual(Array(8).fill(404));
});

test('the dashboard adds up the amounts due and shows the next payment', async () => {
  const late = { disbursement_date: '2025-12-01' };
  const { tenant, borrower, id, borrower_id, staffs } = await newPortalBorrower(stage, late);
  await newLoan(tenant, { borrower_id, principal_amount: '2000.00', ...late });
  await newLoan(tenant, late);
  const { body: loans } = await borrower.get('/portal/loans');

  const { body } = await borrower.get('/portal/dashboard');

  const sum = (name: string) =>
    loans.reduce((whole: number, loan: Record<string, string>) => whole + Number(loan[name]), 0);
  expect(Number(body.total_balance)).toBeCloseTo(sum('total_balance'), 2);
  expect(Number(body.total_past_due)).toBeCloseTo(sum('past_due_amount'), 2);
  expect(body).toMatchObject({ borrower_name: 'Bo Rower' });
  const first = await staffs();
  expect(body.next_payment).toEqual({
    amount: first['next_payment_amount'],
    due_date: '2026-02-01',
    loan_number: first['loan_number'],
    loan_id: id,
    amount_due: first['amount_due'],
  });
  expect(body.loans).toHaveLength(2);
  expect(body.alerts).toHaveLength(2);
  expect(body.alerts[0]).toEqual({
    type: 'past_due',
    message: `Loan ${String(first['loan_number'])} is past due by $315.68.`,
    loan_id: id,
    amount: '315.68',
    date: null,
  });
});

test('alerts show returned payments, requests and new documents, in the borrower’s language', async () => {
  const { borrower, officer, id, borrower_id, pay } = await newPortalBorrower(stage);
  const paid = assertOk(await pay('20.00'));
  assertOk(await officer.post(`/payments/${String(paid['id'])}/return`, { return_code: 'R01' }));
  assertOk(await officer.post(`/loans/${id}/payoff-quotes`, {}));
  const task = { title: 'INTERNAL: suspects', task_type: 'document_request', loan_id: id };
  assertOk(await officer.post(`/borrowers/${borrower_id}/tasks`, task));
  const hardship = { hardship_type: 'medical', description: 'Ill.', requested_action: 'other' };
  const asked = assertOk(await borrower.post('/portal/hardship', { loan_id: id, ...hardship }));
  const deny = `/hardship-applications/${String(asked['id'])}/deny`;
  assertOk(await officer.post(deny, { reason: 'The income suffices.' }));
  assertOk(await borrower.put('/portal/profile', { language_preference: 'es' }));
  const alerts = async () =>
    (await borrower.get('/portal/dashboard')).body.alerts as { type: string; message: string }[];

  const told = await alerts();
  assertOk(await pay('30.00'));

  expect(told.map(({ type }) => type)).toEqual([
    'document_wanted',
    'hardship_decided',
    'payment_returned',
    'payoff_quote_ready',
  ]);
  expect(told[0]?.message).toBe('Necesitamos que nos envíe un documento.');
  expect(told[2]?.message).toMatch(/^El banco devolvió su pago de \$20\.00 del préstamo LN-2026-/);
  expect(JSON.stringify(told)).not.toContain('INTERNAL');
  // The later payment covers the returned one and supersedes the quote.
  expect((await alerts()).map(({ type }) => type)).toEqual(['document_wanted', 'hardship_decided']);
});

test('a charged-off loan is still owed, and accepts payments up to its balance', async () => {
  const { borrower, admin, loan, pay } = await newPortalBorrower(stage);
  assertOk(
    await admin.post(`${loan.replace('/portal', '')}/charge-off`, { reason: 'delinquency' }),
  );

  const before = assertOk(await borrower.get(loan));
  const { body: dashboard } = await borrower.get('/portal/dashboard');
  const tooMuch = await pay('10000.01');
  const part = assertOk(await pay('400.00'));

  expect(before).toMatchObject({ charge_off_balance: '10000.00', payoff_amount: '10000.00' });
  expect(dashboard.total_balance).toBe('10000.00');
  expect(tooMuch.status).toBe(409);
  expect(part).toMatchObject({ payment_type: 'recovery' });
  expect(assertOk(await borrower.get(loan))).toMatchObject({ payoff_amount: '9600.00' });
});
