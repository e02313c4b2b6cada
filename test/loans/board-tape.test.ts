import fc from 'fast-check';
import { expect, test } from 'vitest';
import { boardTape, TapeRefused } from '../../jobs/loans/boarding/board-tape.ts';
import { readCsv } from '../../jobs/loans/boarding/read-csv.ts';
import { readTape } from '../../jobs/loans/boarding/boarding-tape.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const HEAD =
  'loan_number,borrower_external_id,borrower_first_name,borrower_last_name,borrower_state,' +
  'principal_amount,current_principal_balance,interest_rate,term_months,payment_amount,' +
  'origination_date,first_payment_date,status,source_status,paid_total,paid_principal,' +
  'paid_interest,paid_late_fees,purpose';

type Wish = Partial<Record<string, string>>;

/** One line of a tape, right in every way unless the wish says otherwise. */
const line = (wish: Wish = {}) =>
  Object.values({
    loan_number: 'T-1',
    borrower_external_id: 'B-1',
    borrower_first_name: 'Ada',
    borrower_last_name: '"Lovelace, Countess"',
    borrower_state: 'NY',
    principal_amount: '10000.00',
    current_principal_balance: '9756.53',
    interest_rate: '0.085',
    term_months: '36',
    payment_amount: '315.68',
    origination_date: '2025-12-10',
    first_payment_date: '2026-01-10',
    status: 'active',
    source_status: 'Current',
    paid_total: '315.68',
    paid_principal: '243.47',
    paid_interest: '72.21',
    paid_late_fees: '0.00',
    purpose: 'car',
    ...wish,
  }).join(',');

const tape = (...lines: string[]) => [HEAD, ...lines].join('\n');

test('fields of CSV come back as they were, with quotes, commas and line breaks', () => {
  const record = fc.array(fc.string(), { minLength: 2, maxLength: 6 });
  const quote = (field: string) => `"${field.replaceAll('"', '""')}"`;
  fc.assert(
    fc.property(fc.array(record), fc.constantFrom('\n', '\r\n'), (records, end) => {
      const csv = records.map((fields) => fields.map(quote).join(',') + end).join('');
      expect(readCsv(csv).map(({ fields }) => fields)).toEqual(records);
    }),
  );
});

test('every line that is wrong is named with its column and the reason', () => {
  const csv = tape(
    line(),
    line({ loan_number: 'T-2', principal_amount: '1e4', borrower_state: 'Ontario' }),
    line({ loan_number: 'T-3', origination_date: '2026-02-30' }),
    line({ loan_number: 'T-4', current_principal_balance: '10000.01' }),
    line({ loan_number: 'T-1' }),
    line({ loan_number: 'T-5', borrower_first_name: 'Grace' }),
    'T-6,too,few',
    line({ loan_number: 'T-7', first_payment_date: '9999-12-31' }),
  );

  const { rows, refusals } = readTape(csv);

  expect(rows.map(({ loan_number }) => loan_number)).toEqual(['T-1', 'T-1', 'T-5']);
  expect(refusals.map(({ line: at, column }) => [at, column])).toEqual([
    [3, 'borrower_state'],
    [3, 'principal_amount'],
    [4, 'origination_date'],
    [5, 'current_principal_balance'],
    [6, 'loan_number'],
    [7, 'borrower_external_id'],
    [8, null],
    [9, 'first_payment_date'],
  ]);
});

test.each([
  ['', 'are missing'],
  [HEAD, 'holds no loan'],
  [`${HEAD}\n"open`, 'never closed'],
  [`${HEAD}\n"a"b`, 'follows a closing quote'],
])('what is no tape is refused as a whole: %j', (csv, reason) => {
  const { rows, refusals } = readTape(csv);

  expect(rows).toEqual([]);
  expect(refusals[0]?.reason).toContain(reason);
});

test('a tape is boarded with its borrowers, balances and terms', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { rows } = readTape(
    tape(
      line(),
      line({ loan_number: 'T-2', current_principal_balance: '0.00', status: 'paid_off' }),
    ),
  );

  const ids = await tenant.within((work) => boardTape(work, rows, { file: 'a tape' }));

  const [first, second] = await Promise.all(
    ids.map(async (id) => (await tenant.officer.get(`/loans/${id}`)).body),
  );
  expect(first).toMatchObject({
    loan_number: 'T-1',
    status: 'active',
    borrower_name: 'Ada Lovelace, Countess',
    principal_balance: '9756.53',
    payment_amount: '315.68',
    next_payment_date: '2026-02-10',
  });
  expect(second).toMatchObject({ loan_number: 'T-2', status: 'paid_off', total_balance: '0.00' });
  expect(second.borrower_id).toBe(first.borrower_id);
  const history = await tenant.officer.get(`/loans/${ids[0]}/history`);
  expect(history.body[0]).toMatchObject({ action: 'board', reason: 'Boarded from a tape' });
});

test('one line that cannot be taken keeps the whole tape out, and all reasons are told', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { rows } = readTape(
    tape(
      line(),
      line({
        loan_number: 'T-2',
        origination_date: '2026-01-16',
        first_payment_date: '2026-02-16',
      }),
      line({ loan_number: 'T-3', borrower_external_id: 'B-3' }),
    ),
  );
  const unknown = rows.map((row) =>
    row.loan_number === 'T-3' ? { ...row, product_code: 'NONE' } : row,
  );

  const refused = await tenant
    .within((work) => boardTape(work, unknown, { file: 'a tape' }))
    .catch((error: unknown) => error);

  expect(refused).toBeInstanceOf(TapeRefused);
  expect((refused as TapeRefused).refusals).toEqual([
    { line: 3, column: 'origination_date', reason: 'Must not be in the future.' },
    { line: 4, column: 'product_code', reason: 'There is no such product.' },
  ]);
  expect((await tenant.officer.get('/loans')).body).toEqual([]);
  expect((await tenant.officer.get('/borrowers?q=Lovelace')).body).toEqual([]);
});

test('a tape that was boarded is not boarded again', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { rows } = readTape(tape(line()));
  await tenant.within((work) => boardTape(work, rows, { file: 'a tape' }));

  const again = tenant.within((work) => boardTape(work, rows, { file: 'a tape' }));

  await expect(again).rejects.toMatchObject({ refusals: [{ line: 2, column: 'loan_number' }] });
});
