import { expect, test } from 'vitest';
import { openBook } from '../../jobs/books/format/reading/open-book.ts';
import { boardImport } from '../../jobs/books/imports/board-import.ts';
import { boardNextChunk } from '../../jobs/books/imports/board-chunk.ts';
import { removeAbandonedBooks } from '../../jobs/books/imports/remove-abandoned.ts';
import { csvOf, INTEREST_FREE_LOAN } from '../setup/books.ts';
import { asTree, exportedFiles, zipOf } from '../setup/exported-books.ts';
import { importBookByHttp, lentTo, runImports, uploadBook } from '../setup/imports.ts';
import { newLoan } from '../setup/loans.ts';
import { assertOk } from '../setup/portal.ts';
import { newProduct } from '../setup/products.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

/** Boards one of two loans of a book with an archived product. */
async function boardHalf(source: Tenant) {
  const product_id = await newProduct(source, {});
  for (let count = 0; count < 2; count += 1) await newLoan(source, { product_id });
  const seller = await source.signedIn('admin');
  assertOk(await seller.delete(`/products/${product_id}`));
  const files = await exportedFiles(stage, source);
  const target = await stage.tenant('2026-01-15');
  const admin = await target.signedIn('admin');
  const { id } = (await uploadBook(admin, await zipOf(files), {}, 'book.zip')).body as {
    id: string;
  };
  await runImports(stage);
  await admin.post(`/imports/${id}/confirm`, { loan_count: 2, principal_total: '20000.00' });
  await stage.owner.query(`delete from graphile_worker._private_jobs`);
  const { within } = lentTo(stage);
  await boardImport(within, target.id, id, openBook(asTree(files)), { chunks_max: 0 });
  await within(target.id, (work) => boardNextChunk(work, id, 1));
  const isActive = async () => {
    const { code } = (await seller.get(`/products/${product_id}`)).body;
    const products = (await admin.get('/products')).body as Record<string, unknown>[];
    return products.filter((one) => one['code'] === code).map((one) => one['is_active']);
  };
  return { target, admin, id, isActive };
}

test('a product that came as inactive takes no loans once its import is canceled, by a person or after 90 days', async () => {
  const source = await stage.tenant('2026-01-15');
  const byPerson = await boardHalf(source);
  const abandoned = await boardHalf(await stage.tenant('2026-01-15'));
  const before = await byPerson.isActive();

  assertOk(await byPerson.admin.post(`/imports/${byPerson.id}/cancel`));
  await stage.owner.query(`begin; set local app.sealing = 'on';
    update imports set status = 'failed', updated_at = now() - interval '91 days'
    where id = '${abandoned.id}'; commit`);
  await removeAbandonedBooks(lentTo(stage) as never, abandoned.target.id);

  expect(before).toEqual([true]);
  expect(await byPerson.isActive()).toEqual([false]);
  expect(await abandoned.isActive()).toEqual([false]);
  expect((await abandoned.admin.get(`/imports/${abandoned.id}`)).body).toMatchObject({
    status: 'canceled',
  });
});

const BOOK = {
  'loans.csv': csvOf(INTEREST_FREE_LOAN),
  'investors.csv': csvOf({ name: 'ACME' }),
  'portfolios.csv': csvOf({ name: 'Prime', investor_name: 'ACME' }),
};

const bookFiles = (files: Record<string, string>) =>
  new Map(Object.entries(files).map(([path, content]) => [path, Buffer.from(content)]));

test('an investor of a book is not taken for the one whose external id is its name', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  assertOk(
    await admin.post('/investors', {
      name: 'Other',
      investor_type: 'institutional',
      external_id: 'ACME',
    }),
  );

  await importBookByHttp(stage, tenant, bookFiles(BOOK));
  const investors = (await admin.get('/investors')).body as { id: string; name: string }[];
  const portfolios = (await admin.get('/portfolios')).body;

  expect(investors.map(({ name }) => name).toSorted()).toEqual(['ACME', 'Other']);
  expect(portfolios).toMatchObject([
    { name: 'Prime', investor_id: investors.find(({ name }) => name === 'ACME')?.id },
  ]);
});

test('what an import adds has a history that names its file', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const source = await stage.tenant('2026-01-15');
  const seller = await source.signedIn('admin');
  const product_id = await newProduct(source, {});
  const { code } = (await seller.get(`/products/${product_id}`)).body as { code: string };
  await newLoan(source, { product_id });
  assertOk(
    await seller.post('/programs', { name: 'Brought', code: 'BROUGHT', program_type: 'auto' }),
  );
  assertOk(await seller.delete(`/products/${product_id}`));
  assertOk(await seller.post('/investors', { name: 'ACME', investor_type: 'fund' }));
  assertOk(await seller.post('/portfolios', { name: 'Prime' }));
  assertOk(
    await seller.post('/ledger/accounts', { code: '1110', name: 'Auto', account_type: 'asset' }),
  );

  await importBookByHttp(stage, tenant, await exportedFiles(stage, source));
  const historyOf = async (path: string, field: string, value: string) => {
    const rows = (await admin.get(path)).body as Record<string, unknown>[];
    const id = rows.find((row) => row[field] === value)?.['id'];
    const { rows: entries } = await stage.owner.query<{ entry: string }>(
      `select action || ': ' || reason as entry from audit_log where entity_id = $1 order by created_at, id`,
      [id],
    );
    return entries.map(({ entry }) => entry);
  };

  const added = ['create: Imported from book.zip'];
  expect(await historyOf('/investors', 'name', 'ACME')).toEqual(added);
  expect(await historyOf('/portfolios', 'name', 'Prime')).toEqual(added);
  expect(await historyOf('/programs', 'code', 'BROUGHT')).toEqual(added);
  expect(await historyOf('/ledger/accounts', 'code', '1110')).toEqual(added);
  expect(await historyOf('/products', 'code', code)).toEqual([
    ...added,
    'update: Inactive in the imported book.',
  ]);
});

const withLedger = (...rows: readonly (readonly [string, string, string])[]) =>
  bookFiles({
    'loans.csv': BOOK['loans.csv'],
    'ledger.csv': csvOf(
      ...rows.map(([account_code, role, balance]) => ({
        account_code,
        role,
        account_type: 'asset',
        as_of_date: '2026-01-15',
        balance,
      })),
    ),
  });

test('the balances of two accounts of a book that are one account here are added up', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const accounts = (await admin.get('/ledger/accounts?limit=100')).body as {
    code: string;
    role: string | null;
  }[];
  const codeOf = (wanted: string) => accounts.find(({ role }) => role === wanted)?.code ?? '';

  await importBookByHttp(
    stage,
    tenant,
    withLedger(
      ['OLD-1', 'cash', '100.00'],
      [codeOf('cash'), '', '50.00'],
      [codeOf('loans_receivable'), '', '1200.00'],
      ['OLD-2', '', '-1350.00'],
    ),
  );
  const { body } = await admin.get('/ledger/trial-balance');

  expect(body.accounts).toContainEqual(
    expect.objectContaining({ code: codeOf('cash'), debit: '150.00' }),
  );
});

test('the trial balance of a lender takes the place of Due to Investors for its own loans', async () => {
  const own = await stage.tenant('2026-01-15');
  const without = await stage.tenant('2026-01-15');
  const equity = { account_type: 'equity', as_of_date: '2026-01-15' };
  const balances = csvOf(
    { account_code: '1100', balance: '1200.00', ...equity, account_type: 'asset' },
    { account_code: 'CAPITAL', balance: '-1200.00', ...equity },
  );
  const loans = { 'loans.csv': BOOK['loans.csv'] };

  await importBookByHttp(stage, own, bookFiles({ ...loans, 'ledger.csv': balances }));
  await importBookByHttp(stage, without, bookFiles(loans));
  const creditsOf = async (tenant: Tenant) => {
    const { body } = await (await tenant.signedIn('admin')).get('/ledger/trial-balance');
    const accounts = body.accounts as { code: string; credit: string }[];
    return accounts.flatMap(({ code, credit }) => (credit === '0.00' ? [] : `${code} ${credit}`));
  };

  expect(await creditsOf(own)).toEqual(['CAPITAL 1200.00']);
  expect(await creditsOf(without)).toEqual(['2200 1200.00']);
});

test('a book that the database refuses fails with a reason and can be canceled', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const account = { code: 'TOP', name: 'Top', account_type: 'asset', is_header: true };
  const book = withLedger(['TOP', '', '5.00'], ['OLD-2', '', '-5.00']);

  const { id } = (await uploadBook(admin, await zipOf(book), {}, 'book.zip')).body as {
    id: string;
  };
  await runImports(stage);
  // After the check, which would refuse it.
  assertOk(await admin.post('/ledger/accounts', account));
  await admin.post(`/imports/${id}/confirm`, { loan_count: 1, principal_total: '1200.00' });
  await runImports(stage);
  const failed = (await admin.get(`/imports/${id}`)).body;
  const canceled = await admin.post(`/imports/${id}/cancel`);

  expect(failed).toMatchObject({
    status: 'failed',
    failure_reason: expect.stringContaining('ledger_accounts_tenant_id_code_key'),
  });
  expect(canceled.status).toBe(200);
});
