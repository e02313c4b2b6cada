import { createHash } from 'node:crypto';
import { unzipSync } from 'fflate';
import { expect, test } from 'vitest';
import { BOOK_FILE_NAMES } from '../../jobs/books/format/book-files.ts';
import { openBook } from '../../jobs/books/format/reading/open-book.ts';
import { readRows } from '../../jobs/books/format/reading/read-rows.ts';
import { asTree, exportedFiles } from '../setup/exported-books.ts';
import { openLineOfCredit } from '../setup/lines-of-credit.ts';
import { newJointLoan } from '../setup/joint-loans.ts';
import { storedFile } from '../setup/letters.ts';
import { newLoan } from '../setup/loans.ts';
import { addBankAccount } from '../setup/nacha.ts';
import { assertOk } from '../setup/portal.ts';
import { clearProofs } from '../setup/proofs.ts';
import { runJobs, travelTo } from '../setup/queue.ts';
import { newStage, PASSWORD, type Tenant } from '../setup/world.ts';

const stage = await newStage();

/** A small book with a loan of each kind and the records that belong to it. */
async function newBook(tenant: Tenant) {
  const { officer } = tenant;
  const joint = await newJointLoan(tenant);
  const paid = await newLoan(tenant, { principal_amount: '500.00', term_months: 12 });
  const lost = await newLoan(tenant);
  const line = await openLineOfCredit(tenant);
  await newLoan(tenant, { status: 'pending' });
  assertOk(
    await officer.post(`/borrowers/${joint.borrower_id}/identities`, {
      identity_type: 'ssn',
      identifier: '123-45-6789',
    }),
  );
  await addBankAccount(officer, joint.borrower_id);
  assertOk(
    await officer.post(`/borrowers/${joint.borrower_id}/notes`, {
      loan_id: joint.id,
      body: '=cmd()|"quoted", and\nof two lines',
    }),
  );
  assertOk(
    await officer.post('/collateral', {
      loan_id: joint.id,
      collateral_type: 'vehicle',
      description: 'A car',
      estimated_value: '9000.00',
    }),
  );
  await travelTo(stage, tenant, '2026-02-20');
  await officer.post(`/loans/${joint.id}/payments`, { amount: '315.68' });
  await officer.post(`/loans/${joint.id}/payments`, {
    amount: '20.00',
    payment_date: '2026-02-18',
  });
  const due = (await officer.get(`/loans/${paid.id}`)).body;
  assertOk(
    await officer.post(`/loans/${paid.id}/payments`, {
      amount: due.total_balance,
      payment_type: 'payoff',
    }),
  );
  const admin = await tenant.signedIn('admin');
  assertOk(await admin.post(`/loans/${lost.id}/charge-off`, { reason: 'fraud' }));
  return { joint, paid, lost, line };
}

/** All lines of an exported book, and what the reader of imports says about them. */
async function readBook(files: ReadonlyMap<string, Buffer>) {
  const book = openBook(asTree(files));
  const rows: Record<string, Record<string, unknown>[]> = {};
  const findings = [...book.findings];
  for (const name of BOOK_FILE_NAMES)
    for await (const line of readRows(book, name)) {
      findings.push(...line.findings);
      (rows[name] ??= []).push(line.row as Record<string, unknown>);
    }
  return { rows, findings };
}

test('the reader of imports finds nothing wrong with an exported book', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { joint, paid, lost } = await newBook(tenant);

  const exported = await exportedFiles(stage, tenant);
  const { rows, findings } = await readBook(exported);

  expect(findings).toEqual([]);
  // No spreadsheet runs it.
  expect(exported.get('notes.csv')?.toString()).toContain(`"'=cmd()|`);
  expect(rows['loans']?.map(({ status }) => status).toSorted()).toEqual([
    'active',
    'active',
    'charged_off',
    'paid_off',
    'pending',
  ]);
  const numbers = await Promise.all(
    [joint, paid, lost].map(async ({ id }) => (await tenant.officer.get(`/loans/${id}`)).body),
  );
  for (const { loan_number, principal_balance } of numbers)
    expect(rows['loans']?.find((row) => row['loan_number'] === loan_number)).toMatchObject({
      current_principal_balance: principal_balance,
    });
  expect(rows['identities']).toMatchObject([{ identifier: '123456789' }]);
  expect(rows['co_borrowers']).toHaveLength(1);
  expect(rows['collateral']).toHaveLength(1);
  expect(rows['notes']).toMatchObject([{ body: '=cmd()|"quoted", and\nof two lines' }]);
  expect(rows['bank_accounts']?.[0]?.['account_number']).toMatch(/^\d{4,17}$/);
  const debits = rows['ledger']?.map(({ balance }) => Number(balance)) ?? [];
  expect(debits.reduce((sum, balance) => sum + balance, 0)).toBeCloseTo(0, 2);
  expect(debits.length).toBeGreaterThan(3);
});

test('loans keep their terms in a product of their own after their product was changed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await newLoan(tenant);
  const admin = await tenant.signedIn('admin');
  const product_id = await tenant.first('/products');
  const { code } = (await admin.get(`/products/${product_id}`)).body;
  assertOk(await admin.put(`/products/${product_id}`, { day_count: '30_360' }));
  await newLoan(tenant);

  const { rows, findings } = await readBook(await exportedFiles(stage, tenant));

  expect(findings).toEqual([]);
  expect(rows['loans']?.map((row) => row['product_code'])).toEqual([`${code}~2`, code]);
  expect(rows['products']?.find((row) => row['code'] === `${code}~2`)).toMatchObject({
    day_count: 'actual_365',
  });
});

test('a superadmin exports a book over HTTP without whole personal numbers', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await newBook(tenant);
  const superadmin = await tenant.signedIn('superadmin');
  const admin = await tenant.signedIn('admin');

  const refused = await admin.post('/book-exports', {});
  await clearProofs(stage, tenant);
  const unproved = await superadmin.post('/book-exports', {});
  await superadmin.post('/auth/prove', { current_password: PASSWORD });
  const [first, again] = await Promise.all([
    superadmin.post('/book-exports', {}),
    superadmin.post('/book-exports', {}),
  ]);
  const ordered = assertOk(first);
  await runJobs(stage, { files: stage.installation.files }, ['export-book']);
  const done = (await superadmin.get(`/book-exports/${String(ordered['id'])}`)).body;
  const bytes = storedFile(stage, 'book.zip');
  const files = new Map(
    Object.entries(unzipSync(bytes)).map(([path, content]) => [path, Buffer.from(content)]),
  );
  const { rows, findings } = await readBook(files);

  expect(refused.status).toBe(403);
  expect(unproved).toMatchObject({ status: 403, body: { code: 'proof_required' } });
  expect(again.body.id).toBe(ordered['id']);
  expect(done).toMatchObject({
    status: 'completed',
    download_url: expect.any(String),
    loan_count: 5,
    business_date: '2026-02-20',
  });
  expect(done.sha256_hash).toBe(createHash('sha256').update(bytes).digest('hex'));
  expect(findings).toEqual([]);
  expect(rows['identities']).toMatchObject([{ identifier_last_four: '6789' }]);
  expect(JSON.stringify(rows)).not.toContain('123456789');
  const audit = await stage.owner.query(
    `select action, changes from audit_log where entity_type = 'book_exports'`,
  );
  expect(audit.rows).toMatchObject([
    { action: 'create', changes: { status: { old: null, new: 'pending' } } },
  ]);
});
