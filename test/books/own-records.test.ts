import { expect, test, vi } from 'vitest';
import { exportedFiles, zipOf } from '../setup/exported-books.ts';
import { importBookByHttp, runImports, uploadBook } from '../setup/imports.ts';
import { newLoan } from '../setup/loans.ts';
import { addBankAccount } from '../setup/nacha.ts';
import { assertOk } from '../setup/portal.ts';
import { travelTo } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import { readFacts } from '../../jobs/books/imports/exported/own-records.ts';
import { violationsIn } from '../setup/violations.ts';
import { sql } from '../../sql/database/db.ts';
import { newStage, type Tenant } from '../setup/world.ts';

vi.setConfig({ testTimeout: 300_000 });

const stage = await newStage();

const DUE = '2026-02-20';

/** Two loans, each with an account and a payment that is scheduled to draw on it. */
async function newDraws() {
  const source = await stage.tenant('2026-01-15');
  const made = [];
  for (let count = 0; count < 2; count += 1) {
    const loan = await newLoan(source);
    const payment_instrument_id = await addBankAccount(source.officer, loan.borrower_id);
    const path = `/loans/${loan.id}/payments`;
    const body = { amount: '400.00', payment_date: DUE, payment_instrument_id };
    assertOk(await source.officer.post(path, body));
    made.push({ ...loan, account: payment_instrument_id });
  }
  const [first, second] = made;
  if (!first || !second) throw new Error('No loans.');
  return { source, first, second };
}

/** The book with a change of one file. */
async function changedBook(source: Tenant, name: string, change: (text: string) => string) {
  const files = await exportedFiles(stage, source);
  files.set(name, Buffer.from(change(files.get(name)?.toString() ?? '')));
  return files;
}

const paymentsOf = async (tenant: Tenant) =>
  ((await tenant.officer.get('/payments')).body as Record<string, unknown>[]).map(
    ({ status, payment_date }) => `${String(payment_date)} ${String(status)}`,
  );

const codesOf = (found: readonly Record<string, unknown>[]) =>
  found.map(({ file, column_name, code }) => [file, column_name, code].join(' ')).toSorted();

const importedInto = async (files: ReadonlyMap<string, Buffer>) => {
  const target = await stage.tenant('2026-01-15');
  const found = await importBookByHttp(stage, target, files);
  return { found: codesOf(found), payments: await paymentsOf(target) };
};

test('a scheduled payment does not draw on the account of a person who does not owe the loan', async () => {
  const { source, first, second } = await newDraws();
  const foreign = await changedBook(source, 'records.csv', (text) =>
    text.replaceAll(first.account, second.account),
  );

  expect(await importedInto(foreign)).toEqual({
    found: [
      'records.csv facts account_not_usable',
      'records.csv facts account_of_another_borrower',
    ],
    payments: [`${DUE} scheduled`],
  });
});

test('a scheduled payment with another method or source, or that counts from an impossible day, is refused by line', async () => {
  const { source, first: drawn } = await newDraws();
  const check = async (from: RegExp, to: string) => {
    const files = await changedBook(source, 'records.csv', (text) =>
      text
        .split('\n')
        .map((line) => (line.includes(drawn.account) ? line.replace(from, to) : line))
        .join('\n'),
    );
    const admin = await (await stage.tenant('2026-01-15')).signedIn('admin');
    const sent = await uploadBook(admin, await zipOf(files), {}, 'book.zip');
    await runImports(stage);
    const found = (await admin.get(`/imports/${sent.body.id}/findings`)).body as Record<
      string,
      string
    >[];
    const [first] = found.filter(({ severity }) => severity === 'error');
    return `${first?.['file']} ${first?.['column_name']}: ${first?.['reason']}`;
  };
  const effective = new RegExp(`""effective_date"":""${DUE}""`);

  const refused = [
    await check(/""payment_method"":""ach""/, '""payment_method"":""bitcoin""'),
    await check(/""source"":""staff""/, '""source"":""bitcoin""'),
    await check(effective, '""effective_date"":""2026-02-21""'),
    await check(effective, '""effective_date"":""2025-01-01""'),
  ];

  expect(refused).toEqual([
    expect.stringContaining('records.csv facts: Does not fit a record of the kind scheduled'),
    expect.stringContaining('records.csv facts: Does not fit a record of the kind scheduled'),
    'records.csv facts: payment_date must not be before effective_date.',
    'records.csv facts: effective_date must not be before the origination of the loan.',
  ]);
});

test('a scheduled payment whose account is not in the book is left out', async () => {
  const { source, first } = await newDraws();
  const absent = await changedBook(source, 'bank_accounts.csv', (text) =>
    text
      .split('\n')
      .filter((line) => !line.includes(first.account))
      .join('\n'),
  );
  expect(await importedInto(absent)).toEqual({
    found: ['records.csv facts account_not_usable'],
    payments: [`${DUE} scheduled`],
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a payment that the exporting system has drawn since the export is not drawn again', async () => {
  const { source } = await newDraws();
  const files = await exportedFiles(stage, source);
  const target = await stage.tenant('2026-02-21');

  const found = await importBookByHttp(stage, target, files);
  await travelTo(stage, target, '2026-02-23');

  expect(codesOf(found).filter((one) => one.startsWith('records'))).toEqual([
    'records.csv facts payment_in_past',
    'records.csv facts payment_in_past',
  ]);
  expect(await paymentsOf(target)).toEqual([]);
  expect(await violationsIn(stage)).toEqual([]);
});

test('a scheduled ACH payment without an account fails on its day, and credits nothing', async () => {
  const { source, first } = await newDraws();
  await source.within(({ tx }) =>
    tx.query(sql.typeAlias('void')`
      update payments set payment_instrument_id = null where loan_id = ${first.id}
    `),
  );
  await travelTo(stage, source, '2026-02-21');

  const payments = (await source.officer.get(`/loans/${first.id}/payments`)).body;
  const loan = (await source.officer.get(`/loans/${first.id}`)).body;

  expect(payments).toMatchObject([{ status: 'failed', amount: '400.00' }]);
  expect(loan.principal_balance).toBe('10000.00');
});

test('an approved modification of a book waits for a second person where modifications need one', async () => {
  const source = await stage.tenant('2026-01-15');
  const { id } = await newLoan(source);
  const asked = await source.officer.post(`/loans/${id}/modifications`, {
    modification_type: 'principal_forgiveness',
    principal_forgiven: '8000.00',
    effective_date: '2026-02-01',
    reason: 'hardship',
  });
  expect(asked.body.status).toBe('approved');
  const files = await exportedFiles(stage, source);
  const into = async (four_eyes: string[]) => {
    const target = await stage.tenant('2026-01-15');
    await saveSettings(target, { approvals: { four_eyes } });
    const found = await importBookByHttp(stage, target, files);
    const [modification] = (await target.officer.get('/modifications')).body;
    const own = await (
      await target.signedIn('admin')
    ).post(`/modifications/${modification.id}/approve`);
    await travelTo(stage, target, '2026-02-02');
    const [loan] = (await target.officer.get('/loans')).body;
    return {
      found: codesOf(found),
      status: modification.status,
      own: own.body.code,
      principal: loan.principal_balance,
    };
  };

  expect(await into(['modifications'])).toEqual({
    found: ['records.csv facts approval_needed'],
    status: 'pending',
    own: 'four_eyes',
    principal: '10000.00',
  });
  expect(await into([])).toMatchObject({ found: [], status: 'approved', principal: '2000.00' });
});

const PART = { due_date: '2026-02-01', amount: '5.00' };

const FACTS = {
  promise: {
    promised_on: '2026-01-01',
    promised_amount: '5.00',
    promised_date: '2026-02-01',
    channel: 'phone',
    grace_days: '30',
    installments: [],
    status: 'pending',
  },
  payment_plan: {
    plan_type: 'repayment',
    agreed_on: '2026-01-01',
    total_amount: '5.00',
    installments: [],
    frequency: 'monthly',
    waive_remaining: false,
    grace_days: '30',
    auto_collect: false,
    status: 'active',
  },
  standing: { delinquency_days_counted: '0', freeze_reason: 'disaster' },
  forbearance: {
    forbearance_type: 'reduced_payment',
    start_date: '2026-01-01',
    end_date: '2026-02-01',
    reason: 'A new job.',
    reduced_payment_amount: '5.00',
    interest_accrues: true,
    suspend_late_fees: true,
    suspend_delinquency: false,
    suspend_credit_reporting: false,
    end_treatment: 'extend_term',
    status: 'active',
  },
  deferment: {
    deferment_type: 'full',
    periods: '24',
    start_date: '2026-01-01',
    interest_treatment: 'accrue',
    extend_maturity: true,
    reason: 'Leave.',
    status: 'active',
  },
  modification: {
    modification_type: 'rate_change',
    effective_date: '2026-01-01',
    reason: 'hardship',
    principal_forgiven: '0.00',
    capitalize_interest: false,
    capitalize_fees: false,
    interest_treatment: 'keep',
    fee_treatment: 'waive',
    apply_immediately: true,
    status: 'completed',
    previous_terms: {},
    new_terms: {},
  },
  payment: {
    receipt_number: 'R-1',
    payment_date: '2026-01-01',
    payment_method: 'check',
    remaining_balance: '5.00',
    status: 'settled',
    source: 'portal',
    waive_returned_fee: false,
  },
  scheduled_payment: {
    amount: '5.00',
    payment_date: '2026-02-01',
    effective_date: '2026-02-01',
    payment_method: 'check',
    payment_type: 'regular',
    source: 'staff',
  },
};

test.each([
  ['promise', { grace_days: '31' }],
  ['promise', { channel: 'letter' }],
  ['promise', { payment_method: 'wire' }],
  ['payment_plan', { grace_days: '31' }],
  ['payment_plan', { frequency: 'quarterly' }],
  ['payment_plan', { number_of_payments: '121' }],
  ['payment_plan', { amount: '0.00' }],
  ['payment_plan', { settlement_amount: '0.00' }],
  ['payment_plan', { installments: [{ ...PART, status: 'late' }] }],
  ['payment_plan', { installments: [{ ...PART, amount: '0.00' }] }],
  ['payment_plan', { installments: Array.from({ length: 121 }, () => PART) }],
  ['promise', { installments: Array.from({ length: 25 }, () => PART) }],
  ['modification', { new_term_months: '601' }],
  ['modification', { extend_months: '601' }],
  ['standing', { freeze_reason: 'x'.repeat(300) }],
  ['forbearance', { reduced_payment_amount: '0.00' }],
  ['deferment', { periods: '25' }],
  ['modification', { reason: 'goodwill' }],
  ['modification', { interest_treatment: 'defer' }],
  ['modification', { fee_treatment: 'defer' }],
  ['payment', { source: 'lockbox' }],
  ['scheduled_payment', { source: 'lockbox' }],
] as const)('a %s with %o, which no answer could show, is refused', (kind, wrong) => {
  const [column] = Object.keys(wrong);
  const read = (facts: object) =>
    readFacts({ kind, record_id: 'R', loan_number: 'L', facts: { ...facts } });

  expect(read(FACTS[kind])).toMatchObject(FACTS[kind]);
  expect(() => read({ ...FACTS[kind], ...wrong })).toThrow(
    expect.objectContaining({
      errors: { facts: expect.stringContaining(`a record of the kind ${kind}: ${column}`) },
    }),
  );
});
