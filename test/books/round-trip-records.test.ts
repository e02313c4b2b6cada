import { expect, test, vi } from 'vitest';
import { optOut } from '../../sql/communications/opt-outs.ts';
import { insert } from '../../sql/write.ts';
import { csvOf, loanRecord } from '../setup/books.ts';
import { compareBooks } from '../setup/compare-books.ts';
import { exportedFiles } from '../setup/exported-books.ts';
import { importBookByHttp, runImports, uploadBook, zipOf } from '../setup/imports.ts';
import { newLoan } from '../setup/loans.ts';
import { addBankAccount } from '../setup/nacha.ts';
import { assertOk } from '../setup/portal.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, type Tenant } from '../setup/world.ts';

vi.setConfig({ testTimeout: 300_000 });

const stage = await newStage();

const differencesOf = async (source: Tenant, target: Tenant, { later = false } = {}) =>
  (await compareBooks(stage.url, source.slug, target.slug, { later })).differences;

/** A loan that is due on the 15th and drawn five days before, with the consent of its borrower or without one. */
async function enroll(tenant: Tenant, hasConsent: boolean) {
  const loan = await newLoan(tenant);
  const payment_instrument_id = await addBankAccount(tenant.officer, loan.borrower_id);
  const plan = { loan_id: loan.id, payment_instrument_id, days_before_due: 5 };
  const path = `/borrowers/${loan.borrower_id}/autopay-plans`;
  const { id } = assertOk(await tenant.officer.post(path, plan));
  if (!hasConsent) return;
  const consent_id = await tenant.within(({ tx }) =>
    insert(tx, 'borrower_consents', {
      borrower_id: loan.borrower_id,
      consent_type: 'autopay',
      source: 'portal',
      granted_at: '2026-01-15T10:11:12.345Z',
    }),
  );
  await stage.owner.query('update autopay_plans set consent_id = $2 where id = $1', [
    id,
    consent_id,
  ]);
}

test('autopay keeps its consent or has none, and draws no due date twice', async () => {
  const source = await stage.tenant('2026-01-15');
  await enroll(source, true);
  await enroll(source, false);
  // The draws for 15 February were made on the 10th.
  await travelTo(stage, source, '2026-02-12');
  const target = await stage.tenant('2026-02-12');

  const found = await importBookByHttp(stage, target, await exportedFiles(stage, source));
  const atOnce = await differencesOf(source, target);
  for (const tenant of [source, target]) await travelTo(stage, tenant, '2026-02-20');
  const payments = (await target.officer.get('/payments')).body as object[];

  expect(found).toEqual([]);
  expect(atOnce).toEqual([]);
  expect(payments).toHaveLength(2);
  expect(await differencesOf(source, target, { later: true })).toEqual([]);
});

test('a due date that cannot have been drawn yet is refused by line', async () => {
  const source = await stage.tenant('2026-01-15');
  await enroll(source, false);
  const files = await exportedFiles(stage, source);
  const autopay = files.get('autopay.csv')?.toString() ?? '';
  files.set('autopay.csv', Buffer.from(autopay.replace('2026-01-14', '9999-12-31')));
  const target = await stage.tenant('2026-01-15');
  const admin = await target.signedIn('admin');

  const book = await zipOf(Object.fromEntries(files));
  const { id } = (await uploadBook(admin, book, {}, 'book.zip')).body as { id: string };
  await runImports(stage);
  const found = (await admin.get(`/imports/${id}/findings`)).body as object[];

  expect(found).toMatchObject([
    { file: 'autopay.csv', line: 2, column_name: 'drawn_through', severity: 'error' },
  ]);
});

test('a late fee is decided on the day of the move, and once', async () => {
  const source = await stage.tenant('2026-01-15');
  const rule = { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '25.00' };
  const product_id = await newProduct(source, { fee_rules: [rule], late_fee_grace_days: 10 });
  await newLoan(source, { product_id });
  // Due on 15 February, on time until the 25th. The close of the 26th charges the fee.
  await travelTo(stage, source, '2026-02-26');
  const target = await stage.tenant('2026-02-26');

  await importBookByHttp(stage, target, await exportedFiles(stage, source));
  const atOnce = await differencesOf(source, target);
  for (const tenant of [source, target]) await travelTo(stage, tenant, '2026-02-28');
  const fees = (await target.officer.get('/fees')).body as object[];

  expect(atOnce).toEqual([]);
  expect(fees).toMatchObject([{ amount: '25.00', effective_date: '2026-02-26' }]);
  expect(await differencesOf(source, target, { later: true })).toEqual([]);
});

test('valuations, opt-outs, cases that borrowers see and returns of accounts come with a book', async () => {
  const source = await stage.tenant('2026-01-15');
  const { officer } = source;
  const { id: loan_id, borrower_id } = await newLoan(source);
  const item = { loan_id, collateral_type: 'vehicle', metadata: { make: 'Ford', year: 2015 } };
  const { id: collateral_id } = assertOk(await officer.post('/collateral', item));
  const valuation = { valuation_type: 'avm', valuation_date: '2026-01-10', confidence: '0.85' };
  const valuations = `/collateral/${String(collateral_id)}/valuations`;
  assertOk(await officer.post(valuations, { ...valuation, appraised_value: '7000.00' }));
  const phone_number = '+12025550123';
  assertOk(await officer.post(`/borrowers/${borrower_id}/phones`, { phone_number }));
  await source.within(({ tx }) =>
    optOut(tx, { channel: 'sms', contact: phone_number, message: 'STOP' }),
  );
  const account = await addBankAccount(officer, borrower_id);
  const returned = `status = 'blocked', block_code = 'R02', last_return_code = 'R02'`;
  await stage.owner.query(`update payment_instruments set ${returned} where id = $1`, [account]);
  const words = { subject: 'Wrong payment date', description: 'A payment counts from Tuesday.' };
  assertOk(await officer.post('/cases', { borrower_id, loan_id, ...words }));
  await stage.owner.query('update support_cases set is_visible_to_borrower = true');
  const target = await stage.tenant('2026-01-15');

  const found = await importBookByHttp(stage, target, await exportedFiles(stage, source));
  const { rows } = await compareBooks(stage.url, source.slug, target.slug);

  expect(found).toEqual([]);
  expect(await differencesOf(source, target)).toEqual([]);
  expect(rows).toMatchObject({ valuations: 1, opt_outs: 1, bank_accounts: 1 });
});

test('transactions that are only displayed and addresses of which only the state is known leave with the loan', async () => {
  const source = await stage.tenant('2026-03-31');
  const loan = loanRecord({
    borrower_first_name: 'Ada',
    borrower_last_name: 'Lovelace',
    borrower_state: 'NY',
  });
  const transaction = { loan_number: 'L-1', date: '2026-01-10' };
  const files = new Map([
    ['loans.csv', Buffer.from(csvOf(loan))],
    [
      'history.csv',
      Buffer.from(
        csvOf(
          {
            ...transaction,
            transaction_id: '1',
            type: 'payment',
            amount: '315.68',
            principal: '240.00',
          },
          {
            ...transaction,
            transaction_id: '2',
            type: 'note',
            description: 'Called the borrower.',
          },
        ),
      ),
    ],
  ]);
  await importBookByHttp(stage, source, files);
  const target = await stage.tenant('2026-03-31');

  const exported = await exportedFiles(stage, source);
  const found = await importBookByHttp(stage, target, exported);
  const { rows, differences } = await compareBooks(stage.url, source.slug, target.slug);

  expect([...exported.values()].join('')).not.toContain('Unknown');
  expect(found).toEqual([]);
  expect(differences).toEqual([]);
  expect(rows).toMatchObject({ earlier_transactions: 2, addresses: 1 });
});

test('a portfolio of an investor who does not exist is refused by line', async () => {
  const tenant = await stage.tenant('2026-03-31');
  const admin = await tenant.signedIn('admin');
  const book = await zipOf({
    'loans.csv': csvOf(
      loanRecord({
        borrower_first_name: 'Ada',
        borrower_last_name: 'Lovelace',
        borrower_state: 'NY',
      }),
    ),
    'portfolios.csv': csvOf({ name: 'Autos', investor_name: 'Nobody' }),
  });

  const { id } = (await uploadBook(admin, book, {}, 'book.zip')).body as { id: string };
  await runImports(stage);
  const found = (await admin.get(`/imports/${id}/findings`)).body as object[];

  expect(found).toMatchObject([
    { file: 'portfolios.csv', line: 2, column_name: 'investor_name', code: 'unknown_reference' },
  ]);
});
