import { expect, test } from 'vitest';
import { csvOf, INTEREST_FREE_LOAN } from '../setup/books.ts';
import { exportedFiles } from '../setup/exported-books.ts';
import { runImports, uploadBook, zipOf } from '../setup/imports.ts';
import { newLoan } from '../setup/loans.ts';
import { assertOk } from '../setup/portal.ts';
import { newProduct } from '../setup/products.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const LOANS = csvOf(INTEREST_FREE_LOAN);

/** The errors of a book's check, as file, line, column and reason. */
async function errorsOf(tenant: Tenant, files: Record<string, string>) {
  const admin = await tenant.signedIn('admin');
  const sent = await uploadBook(admin, await zipOf(files), {}, 'book.zip');
  await runImports(stage);
  const { status } = (await admin.get(`/imports/${sent.body.id}`)).body;
  const found = (await admin.get(`/imports/${sent.body.id}/findings`)).body as Record<
    string,
    string
  >[];
  const errors = found.filter(({ severity }) => severity === 'error');
  return {
    status,
    errors: errors.map(
      (one) => `${one['file']} ${one['line']} ${one['column_name']}: ${one['reason']}`,
    ),
  };
}

const [header = '', line = ''] = LOANS.split('\n');
const loansNaming = (columns: Record<string, string>) =>
  [
    [header, ...Object.keys(columns)].join(','),
    [line, ...Object.values(columns)].join(','),
    '',
  ].join('\n');

test('what a book brings is refused by the check if it is here already and takes no loans', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const investor = await admin.post('/investors', { name: 'ACME', investor_type: 'fund' });
  assertOk(await admin.put(`/investors/${investor.body.id}`, { is_active: false }));
  const portfolio = await admin.post('/portfolios', { name: 'Prime' });
  assertOk(await admin.delete(`/portfolios/${portfolio.body.id}`));
  const program = await admin.post('/programs', {
    name: 'Auto',
    code: 'AUTO',
    program_type: 'auto',
  });
  assertOk(await admin.delete(`/programs/${program.body.id}`));
  const rows = {
    'investors.csv': csvOf(
      { name: 'ACME', external_id: 'A-1' },
      { name: 'Closed', is_active: 'false' },
    ),
    'portfolios.csv': csvOf({ name: 'Prime' }),
    'programs.csv': csvOf({ code: 'AUTO', name: 'Auto' }),
  };
  const check = (columns: Record<string, string>) =>
    errorsOf(tenant, { ...rows, 'loans.csv': loansNaming(columns) });

  const refused = [
    await check({ investor_code: 'ACME' }),
    await check({ investor_code: 'A-1' }),
    await check({ investor_code: 'Closed' }),
    await check({ portfolio_code: 'Prime' }),
    await check({ program_code: 'AUTO' }),
  ];
  const free = await errorsOf(await stage.tenant('2026-01-15'), {
    ...rows,
    'loans.csv': loansNaming({
      investor_code: 'A-1',
      portfolio_code: 'Prime',
    }),
  });
  const { body: investors } = await admin.get('/investors');

  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 'refused'));
  expect(refused.flatMap(({ errors }) => errors)).toEqual(
    ['investor', 'investor', 'investor', 'portfolio', 'program'].map((kind) =>
      expect.stringContaining(
        `loans.csv 2 ${kind}_code: This ${kind} does not exist here, or takes`,
      ),
    ),
  );
  expect(free).toEqual({ status: 'checked', errors: [] });
  // The check adds nothing.
  expect(investors).toHaveLength(1);
});

test('accounts and products that cannot be added are refused by the check, each with its line', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const account = { code: 'TOP', name: 'Top', account_type: 'asset', is_header: true };
  assertOk(await admin.post('/ledger/accounts', account));
  const balance = { account_type: 'asset', as_of_date: '2026-01-15' };

  const header = await errorsOf(tenant, {
    'loans.csv': LOANS,
    'ledger.csv': csvOf(
      { account_code: 'TOP', balance: '5.00', ...balance },
      { account_code: 'OLD-2', balance: '-5.00', ...balance },
    ),
    'products.csv': csvOf(
      { code: 'P-1', name: 'One', gl_map: '{"cash":"TOP"}' },
      { code: 'P-2', name: 'Two', gl_map: '{"cash":"OLD-2"}' },
      { code: 'P-3', name: 'Three', min_amount: '10.00', max_amount: '5.00' },
    ),
  });

  expect(header).toEqual({
    status: 'refused',
    errors: [
      expect.stringContaining('products.csv 2 gl_map: There is no account TOP to which entries'),
      expect.stringContaining('products.csv 4 max_amount: max_amount is below min_amount.'),
      expect.stringContaining('ledger.csv 2 account_code: This account is a header here'),
    ],
  });
});

test('loans of products that the book itself brings are checked with their rules', async () => {
  const loans = (principal: string) =>
    loansNaming({ product_code: 'SMALL' }).replaceAll('1200.00', principal);
  const book = (principal: string) => ({
    'products.csv': csvOf({ code: 'SMALL', name: 'Small', max_amount: '1500.00' }),
    'loans.csv': loans(principal),
  });

  const small = await errorsOf(await stage.tenant('2026-01-15'), book('1200.00'));
  const large = await errorsOf(await stage.tenant('2026-01-15'), book('1600.00'));

  expect(small).toEqual({ status: 'checked', errors: [] });
  expect(large.errors).toEqual([
    expect.stringContaining('loans.csv 2 principal_amount: Must be at most 1500.00'),
  ]);
});

test('loans of products that the book brings are replayed by the check with their rules', async () => {
  const transaction = { loan_number: 'L-1', transaction_id: 'T-1', date: '2026-01-02' };
  const book = (balance: string) => ({
    'products.csv': csvOf({ code: 'OWN', name: 'Own' }),
    'loans.csv': loansNaming({ product_code: 'OWN', history_from: '2026-01-01' }).replace(
      '1200.00,1200.00',
      `1200.00,${balance}`,
    ),
    'history.csv': csvOf({ ...transaction, type: 'payment', amount: '100.00' }),
  });

  const right = await errorsOf(await stage.tenant('2026-01-15'), book('1100.00'));
  const wrong = await errorsOf(await stage.tenant('2026-01-15'), book('1200.00'));

  expect(right).toEqual({ status: 'checked', errors: [] });
  expect(wrong.errors).toEqual([
    expect.stringContaining(
      'loans.csv 2 current_principal_balance: States 1200.00, and the history leaves 1100.00',
    ),
  ]);
});

test('the check replays the events of an export, also of a product that the export brings', async () => {
  const source = await stage.tenant('2026-01-15');
  const product_id = await newProduct(source, {});
  await newLoan(source, { product_id, status: 'active' });
  const files = Object.fromEntries(
    [...(await exportedFiles(stage, source))].map(([path, bytes]) => [path, bytes.toString()]),
  );
  const check = async (path: string, from: RegExp, to: string) => {
    const text = files[path] ?? '';
    expect(text).toMatch(from);
    const book = { ...files, [path]: text.replace(from, to) };
    return errorsOf(await stage.tenant('2026-01-15'), book);
  };

  const whole = await errorsOf(await stage.tenant('2026-01-15'), files);
  const balance = await check('loans.csv', /active,10000\.00,/, 'active,9999.00,');
  const facts = await check('events.csv', /""amount"":""10000\.00""/, '""amount"":""none""');

  expect(whole).toEqual({ status: 'checked', errors: [] });
  expect(balance.errors).toEqual([
    expect.stringMatching(
      /^loans\.csv 2 current_principal_balance: States 9999\.00, and the events leave 10000\.00/,
    ),
  ]);
  expect(facts.errors).toEqual([
    expect.stringMatching(/^events\.csv \d+ facts: Does not fit an event of the kind/),
  ]);
});

test('a co-borrower who is archived here is refused by the check', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const person = { first_name: 'Ben', last_name: 'Ortiz', external_id: 'P-2' };
  const { id } = assertOk(await tenant.officer.post('/borrowers', person));
  assertOk(await (await tenant.signedIn('admin')).delete(`/borrowers/${String(id)}`));

  const found = await errorsOf(tenant, {
    'loans.csv': LOANS,
    'co_borrowers.csv': csvOf({
      loan_number: 'L-1',
      borrower_external_id: 'P-2',
      role: 'co_borrower',
    }),
  });

  expect(found.errors).toEqual([
    expect.stringContaining('co_borrowers.csv 2 borrower_external_id: The borrower with this'),
  ]);
});
