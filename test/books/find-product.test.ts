import { expect, test, vi } from 'vitest';
import { openBook } from '../../jobs/books/format/reading/open-book.ts';
import { readStudiedLoans } from '../../jobs/books/conventions/read-studied-loans.ts';
import { openFileTree } from '../../jobs/files/file-tree.ts';
import { completeTerms } from '../../jobs/loans/arithmetic/terms.ts';
import { startProcess } from '../setup/processes.ts';
import { newStage } from '../setup/world.ts';
import { legacyFiles, writeBook } from './legacy-book.ts';
import { runLegacyBook } from './legacy-system.ts';

vi.setConfig({ testTimeout: 240_000 });

const stage = await newStage();
const LOANS = runLegacyBook(24);

async function findProduct(...words: string[]) {
  const { ended, said } = startProcess('workers/find-product.ts', words, {
    DATABASE_URL: stage.url,
    LOG_LEVEL: 'silent',
  });
  return { code: await ended, output: said() };
}

test('finds the conventions of a book and creates the product', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const files = legacyFiles(LOANS);
  const folder = writeBook(files);
  const ofProduct = (line: string, at: number) =>
    line === '' ? '' : `${line},${at === 0 ? 'product_code' : 'LEGACY'}`;
  const mapped = writeBook({
    ...files,
    'loans.csv': (files['loans.csv'] ?? '').split('\n').map(ofProduct).join('\n'),
  });
  const mapping = `${writeBook({ 'lag.yaml': 'conventions: { payment_lag_days: 1 }' })}/lag.yaml`;

  const found = await findProduct('--tenant', tenant.slug, '--create', 'LEGACY', folder);
  const compared = startProcess(
    'workers/reconcile.ts',
    ['--tenant', tenant.slug, '--book', '--mapping', mapping, mapped],
    { DATABASE_URL: stage.url, LOG_LEVEL: 'silent' },
  );
  const code = await compared.ended;

  expect(found).toMatchObject({ code: 0 });
  expect(found.output).toContain('24 of 24 loans agree to the cent');
  expect(found.output).toContain('interest rounding: down to the cent');
  expect(found.output).toContain('late fees: 25.00 after 10 days');
  expect(found.output).toContain('conventions: { payment_lag_days: 1 }');
  expect(code, compared.said()).toBe(0);
  expect(compared.said()).toMatch(/^Agree +24$/m);
  const { body } = await tenant.officer.get('/products?q=LEGACY');
  expect(body[0]).toMatchObject({
    code: 'LEGACY',
    day_count: '30_360',
    rounding_mode: 'down',
    allocation_order: 'standard',
    late_fee_grace_days: 10,
    fee_rules: [{ fee_type: 'late', calculation: 'flat', amount: '25.00', trigger: 'past_due' }],
  });
});

test('exits with 1 if loans do not agree, and with 2 if the book cannot be read', async () => {
  const files = legacyFiles(LOANS.slice(0, 6));
  const { 'figures.csv': figures = '' } = files;
  const wrong = writeBook({ ...files, 'figures.csv': figures.replace(/,[\d.]+,/, ',1.23,') });
  const { 'history.csv': _, ...withoutHistory } = files;

  const differing = await findProduct(wrong);
  const unreadable = await findProduct(writeBook(withoutHistory));
  const missing = await findProduct('no-such-folder');
  const help = await findProduct('--help');

  expect(differing.code).toBe(1);
  expect(differing.output).toContain('5 of 6 loans agree to the cent');
  expect(unreadable.code).toBe(2);
  expect(unreadable.output).toContain('has no history.csv');
  expect(help).toMatchObject({ code: 0, output: expect.stringContaining('--create CODE') });
  expect(missing.code).toBe(2);
  expect(missing.output).toContain('Usage:');
});

test('a large book is read in parts, and each loan once', async () => {
  const folder = writeBook(legacyFiles(LOANS));
  await using tree = await openFileTree(folder);

  const studied = await Array.fromAsync(
    readStudiedLoans(openBook(tree), {
      termsOf: () => completeTerms({}),
      bytesPerPart: 10_000,
    }),
  );

  const numbers = studied.map(({ loan }) => loan.loan_number);
  expect(numbers.toSorted()).toEqual(LOANS.map(({ loan_number }) => loan_number));
  for (const { loan, theirs } of studied) {
    expect(theirs.length).toBe(25);
    expect(loan.events.length).toBe(
      LOANS.find(({ loan_number }) => loan_number === loan.loan_number)?.history.length,
    );
  }
});
