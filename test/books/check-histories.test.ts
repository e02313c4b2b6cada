import { expect, test } from 'vitest';
import { csvOf } from '../setup/books.ts';
import { runImports, uploadBook, zipOf } from '../setup/imports.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

/** 1,200.00 without interest, in 12 installments of 100.00. */
const loan = (loan_number: string, balance: string, wish: Record<string, string> = {}) => ({
  loan_number,
  borrower_external_id: `B-${loan_number}`,
  borrower_first_name: 'Ada',
  borrower_last_name: `Moreno ${loan_number}`,
  borrower_state: 'IL',
  principal_amount: '1200.00',
  current_principal_balance: balance,
  interest_rate: '0',
  term_months: '12',
  payment_amount: '100.00',
  origination_date: '2025-10-01',
  first_payment_date: '2025-11-01',
  status: 'active',
  history_from: '2025-10-01',
  ...wish,
});

const transaction = (
  loan_number: string,
  transaction_id: string,
  date: string,
  wish: Record<string, string> = {},
) => ({ loan_number, transaction_id, date, type: 'payment', amount: '100.00', ...wish });

type Records = readonly Record<string, string>[];

async function check(loans: Records, history: Records, fields: Record<string, string> = {}) {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const book = { 'loans.csv': csvOf(...loans), 'history.csv': csvOf(...history) };
  const sent = await uploadBook(admin, await zipOf(book), fields, 'book.zip');
  const { id } = sent.body as { id: string };
  await runImports(stage);
  const read = async () => (await admin.get(`/imports/${id}`)).body;
  const findings = (await admin.get(`/imports/${id}/findings`)).body as {
    file: string;
    line: number;
    column_name: string;
    code: string;
    severity: string;
    reason: string;
  }[];
  const places = findings.map(({ file, line, column_name, code, severity }) =>
    [file, line, column_name, code, severity].join(' '),
  );
  const confirm = async (loan_count: number, principal_total: string) => {
    await admin.post(`/imports/${id}/confirm`, { loan_count, principal_total });
    await runImports(stage);
  };
  return { tenant, admin, id, read, places, findings, confirm };
}

test('the check replays each history and names every mistake by file, line and column before anybody confirms', async () => {
  const { tenant, read, places, findings } = await check(
    [
      loan('L-1', '1000.00'),
      loan('L-2', '950.00'),
      loan('L-3', '1100.00', { status: 'paid_off', current_principal_balance: '0.00' }),
      loan('L-4', '1100.00'),
    ],
    // By date, as other systems export it, and not by loan.
    [
      transaction('L-1', 'T-1', '2025-11-01'),
      transaction('L-2', 'T-1', '2025-11-01'),
      transaction('L-3', 'T-1', '2025-11-01'),
      transaction('L-4', 'T-1', '2025-11-01'),
      transaction('L-1', 'T-2', '2025-12-01'),
      transaction('L-2', 'T-2', '2025-12-01'),
      transaction('L-4', 'T-2', '2025-12-01', { type: 'recovery' }),
      transaction('L-4', 'T-3', '2025-12-02', { type: 'payment_reversal', amount: '70.00' }),
    ],
  );

  expect(places).toEqual([
    'loans.csv 3 current_principal_balance history_differs error',
    'loans.csv 4 status refused error',
    'history.csv 8 type refused error',
    'history.csv 9 reverses refused error',
  ]);
  expect(findings[0]?.reason).toBe(
    'States 950.00, and the history leaves 1000.00 on 2026-01-15. Correct the history, the line or the product, or accept the differences of all loans: --accept-difference, over HTTP accept_difference.',
  );
  expect(await read()).toMatchObject({ status: 'refused', error_count: 4 });
  expect((await tenant.officer.get('/loans')).body).toEqual([]);
});

test('accepted differences are warnings of the check, and the loans keep the balances of their histories', async () => {
  const { tenant, read, places, confirm } = await check(
    [loan('L-1', '1000.00'), loan('L-2', '950.00')],
    [
      transaction('L-1', 'T-1', '2025-11-01'),
      transaction('L-1', 'T-2', '2025-12-01'),
      transaction('L-2', 'T-1', '2025-11-01'),
      transaction('L-2', 'T-2', '2025-12-01'),
    ],
    { accept_difference: 'true' },
  );
  const checked = await read();
  await confirm(2, '1950.00');
  const done = await read();
  const loans = (await tenant.officer.get('/loans')).body as { principal_balance: string }[];

  expect(places).toEqual(['loans.csv 3 current_principal_balance history_differs warning']);
  expect(checked).toMatchObject({
    status: 'checked',
    control_totals: [{ status: 'active', loans: 2, principal: '1950.00' }],
  });
  expect(done, done.failure_reason).toMatchObject({
    status: 'boarded',
    boarded_totals: [{ status: 'active', loans: 2, principal: '2000.00' }],
  });
  expect(loans.map(({ principal_balance }) => principal_balance)).toEqual(['1000.00', '1000.00']);
});

test('what the line of a paid-off loan says about interest and fees is in no total', async () => {
  const over = { status: 'paid_off', accrued_interest: '12.00', outstanding_fees: '5.00' };
  const { read, confirm } = await check(
    [loan('L-1', '1100.00'), loan('L-2', '0.00', over)],
    [
      transaction('L-1', 'T-1', '2025-11-01'),
      transaction('L-2', 'T-1', '2025-11-01', { amount: '1200.00' }),
    ],
    { accept_difference: 'true' },
  );
  const checked = await read();
  await confirm(2, '1100.00');
  const done = await read();

  expect(checked.control_totals).toMatchObject([
    { status: 'active', principal: '1100.00' },
    { status: 'paid_off', principal: '0.00', interest: '0.00', fees: '0.00' },
  ]);
  expect(done, done.failure_reason).toMatchObject({ status: 'boarded' });
  expect(done.boarded_totals).toEqual(checked.control_totals);
});

test('a loan with an unreadable transaction is not said to have another balance', async () => {
  const { places } = await check(
    [loan('L-1', '1000.00')],
    [
      transaction('L-1', 'T-1', '2025-11-01'),
      transaction('L-1', 'T-2', '2025-12-01', { amount: 'hundred' }),
      transaction('L-1', 'T-2', '2025-12-01'),
    ],
  );

  expect(places).toEqual([
    'history.csv 3 amount invalid_value error',
    'history.csv 4 loan_number duplicate_key error',
  ]);
});

test('a complete history without transactions says that nothing was paid', async () => {
  const { tenant, places, confirm } = await check(
    [loan('L-1', '1200.00'), loan('L-2', '1100.00')],
    [transaction('L-2', 'T-1', '2025-11-01')],
  );
  await confirm(2, '2300.00');
  const [first] = (await tenant.officer.get('/loans?loan_number=L-1')).body;

  expect(places).toEqual([]);
  expect(first).toMatchObject({ principal_balance: '1200.00', days_past_due: 75 });
});

test('many warnings do not hide an error, and findings are in the order of the files', async () => {
  const many = Array.from({ length: 40 }, (_, at) =>
    loan(`L-${at}`, '1200.00', { history_from: '', payment_amount: '150.00' }),
  );
  const { findings } = await check(
    [...many, loan('L-99', '900.00')],
    [transaction('L-99', 'T-1', '2025-11-01')],
  );

  const lines = findings.map(({ line }) => line);
  expect(findings.filter(({ severity }) => severity === 'error')).toHaveLength(1);
  expect(lines).toEqual(lines.toSorted((one, other) => one - other));
});

test('a replayed history with more transactions than a loan may have is one finding at its line', async () => {
  const payments = Array.from({ length: 10_002 }, (_, at) =>
    transaction('L-1', `T-${at}`, '2025-11-01', { amount: '0.01' }),
  );

  const { places, findings } = await check([loan('L-1', '1000.00')], payments);

  expect(places).toEqual(['history.csv 10002 loan_number refused error']);
  expect(findings[0]?.reason).toContain('at most 10000 transactions');
});
