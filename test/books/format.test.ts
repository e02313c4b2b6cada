import { expect, test } from 'vitest';
import { z } from 'zod';
import { BOOK_FILE_NAMES, BOOK_FILES, columnsOf } from '../../jobs/books/format/book-files.ts';
import type { Column } from '../../jobs/books/format/columns.ts';
import { addresses } from '../../api/borrowers/addresses.ts';
import { autopayPlans } from '../../api/borrowers/autopay-plans.ts';
import { borrowers } from '../../api/borrowers/borrowers.ts';
import { consents } from '../../api/borrowers/consents.ts';
import { emails } from '../../api/borrowers/emails.ts';
import { identities } from '../../api/borrowers/identities.ts';
import { notes } from '../../api/borrowers/notes.ts';
import { paymentInstruments } from '../../api/borrowers/payment-instruments.ts';
import { phones } from '../../api/borrowers/phones.ts';
import { cases } from '../../api/cases/cases.ts';
import { collateral } from '../../api/collateral/items.ts';
import { liens } from '../../api/collateral/liens.ts';
import { coBorrowers } from '../../api/loans/co-borrowers.ts';
import { products } from '../../api/loans/products.ts';
import { programs } from '../../api/loans/programs.ts';
import { promisesToPay } from '../../api/loans/promises-to-pay.ts';
import { Boarding } from '../../jobs/loans/boarding/boarding-input.ts';

const everyColumn = BOOK_FILE_NAMES.flatMap((file) =>
  Object.entries(columnsOf(file)).map(([name, column]) => ({ file, name, column })),
);

test('every column is described in a sentence', () => {
  const undescribed = everyColumn.filter(({ column }) => !/^[A-Z`].+\.$/.test(column.description));

  expect(undescribed.map(({ file, name }) => `${file}.${name}`)).toEqual([]);
});

test('a key names columns of its file, and a reference names a file with a key of one column', () => {
  for (const file of BOOK_FILE_NAMES) {
    expect(Object.keys(columnsOf(file))).toEqual(expect.arrayContaining([...BOOK_FILES[file].key]));
  }
  for (const { column } of everyColumn)
    if (column.refers_to !== null) expect(BOOK_FILES[column.refers_to].key).toHaveLength(1);
});

test('personal numbers are marked in every file', () => {
  const marked = everyColumn.filter(({ column }) => column.is_personal_number);

  expect(marked.map(({ file, name }) => `${file}.${name}`)).toEqual([
    'borrowers.ssn',
    'identities.identifier',
    'bank_accounts.account_number',
    'loans.borrower_ssn',
  ]);
});

/** The API's fields with which the columns of a file agree. */
const API_FIELDS = {
  programs: programs.declaration.fields,
  products: products.declaration.fields,
  borrowers: borrowers.declaration.fields,
  addresses: addresses.declaration.fields,
  emails: emails.declaration.fields,
  phones: phones.declaration.fields,
  consents: consents.declaration.fields,
  identities: identities.declaration.fields,
  bank_accounts: paymentInstruments.declaration.fields,
  loans: Boarding.shape,
  co_borrowers: coBorrowers.declaration.fields,
  autopay: autopayPlans.declaration.fields,
  collateral: collateral.declaration.fields,
  liens: liens.declaration.fields,
  promises: promisesToPay.declaration.fields,
  notes: notes.declaration.fields,
  cases: cases.declaration.fields,
} as const;

/** The values of a choice, or undefined. */
function choicesOf(field: z.ZodType): unknown {
  const { enum: values, anyOf } = z.toJSONSchema(field, { io: 'input', unrepresentable: 'any' });
  return values ?? anyOf?.find(({ enum: options }) => options !== undefined)?.enum;
}

/** A plan or account starts in fewer states than it can reach. */
const NARROWER = ['autopay.status'];

test.each(Object.entries(API_FIELDS))('choices of %s are those of the API', (file, fields) => {
  const columns: Readonly<Record<string, Column>> = columnsOf(file as keyof typeof API_FIELDS);
  const shared = Object.entries(fields as Record<string, z.ZodType>).filter(
    ([name]) =>
      name in columns && columns[name]?.form !== 'json' && !NARROWER.includes(`${file}.${name}`),
  );

  expect(shared.length).toBeGreaterThan(0);
  for (const [name, field] of shared) {
    const ours = columns[name]?.choices ?? undefined;
    expect([name, ours && [...ours].toSorted()]).toEqual([
      name,
      (choicesOf(field) as string[] | undefined)?.toSorted(),
    ]);
  }
});

test('a product in a book has every setting that the API has', () => {
  const { fields } = products.declaration;
  const written = Object.entries(fields).filter(
    ([, field]) => !z.toJSONSchema(field, { unrepresentable: 'any' }).readOnly,
  );
  const inBook = new Set([...Object.keys(columnsOf('products')), 'program_id']);

  expect(written.map(([name]) => name).filter((name) => !inBook.has(name))).toEqual([]);
});
