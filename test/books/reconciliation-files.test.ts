import { expect, test, vi } from 'vitest';
import { removeAbandonedBooks } from '../../jobs/books/imports/remove-abandoned.ts';
import { createReconciliation } from '../../jobs/books/reconciliations/change-reconciliation.ts';
import { ReconciliationOptions } from '../../jobs/books/reconciliations/reconciliation-input.ts';
import { csvOf, loanRecord } from '../setup/books.ts';
import { lentTo } from '../setup/imports.ts';
import { newLoan } from '../setup/loans.ts';
import { startProcess } from '../setup/processes.ts';
import { newProduct } from '../setup/products.ts';
import { newTeam } from '../setup/team.ts';
import { newStage, type Tenant } from '../setup/world.ts';
import { legacyFiles, writeBook } from './legacy-book.ts';
import { FIGURES, LEGACY_TERMS, LOANS, newReconciler } from './reconciled-loans.ts';

vi.setConfig({ testTimeout: 120_000 });

const stage = await newStage();
const { boardLoans, compare, lender } = newReconciler(stage);

test('the differences are a CSV file with a temporary link, which a denied field and a lower role do not get', async () => {
  const { tenant, superadmin, give } = await newTeam(stage);
  const two = LOANS.slice(0, 2);
  await boardLoans(tenant, { ...LEGACY_TERMS, day_count: 'actual_365' }, two);
  const admin = await tenant.signedIn('admin');
  const run = await compare(superadmin, legacyFiles(two)['figures.csv'] ?? '');
  const { body: rows } = await superadmin.get(`/reconciliations/${run.id}/differences?limit=100`);

  const link = await superadmin.get(`/reconciliations/${run.id}/download`);
  const key = new URL(link.body.download_url as string).pathname.slice('/GET/'.length);
  const file = Buffer.from((await stage.installation.files.get(key)) ?? []).toString();
  const record = { principal_balance: true };
  await give('admin', { type: 'deny', action: '*', resource: 'loans', record });
  const denied = await admin.get(`/reconciliations/${run.id}/download`);
  const viewer = await (await tenant.signedIn('viewer')).get(`/reconciliations/${run.id}/download`);

  expect(run.has_file).toBe(true);
  const lines = file.trim().split('\n');
  expect(lines[0]).toBe(
    'loan_number,figure,kind,is_accepted,reason,first_date,first_ours,first_theirs,last_date,last_ours,last_theirs,days_differing,days_not_compared',
  );
  expect(lines.slice(1).map((line) => line.split(',').slice(0, 3).join(' '))).toEqual(
    rows.map(
      (row: Record<string, string>) => `${row['loan_number']} ${row['figure']} ${row['kind']}`,
    ),
  );
  expect([denied.status, viewer.status]).toEqual([403, 403]);
});

test('a trial balance with the columns of the old system is compared through a mapping', async () => {
  const { maker } = await lender(LEGACY_TERMS);
  const lines = LOANS.map(({ loan_number, figures }) => {
    const { principal, interest, fees, days_past_due } = figures.at(-1) ?? figures[0]!;
    return `${loan_number},"$${principal}","$${interest}",$${fees},${days_past_due},North`;
  });
  const date = LOANS[0]?.figures.at(-1)?.as_of_date ?? '';
  const content = [
    'Loan Trial Balance',
    'Loan ID,UPB,Accrued Int,Fees Due,Days Late,Branch',
    ...lines.filter((_, at) => LOANS[at]?.figures.at(-1)?.as_of_date === date),
    'Total,"$1,234,567.89",,,,',
  ].join('\n');
  const mapping = `
figures:
  money: { currency: '$', thousands: ',' }
  columns:
    loan_number: Loan ID
    as_of_date: { value: '${date}' }
    principal: UPB
    interest: Accrued Int
    fees: Fees Due
    days_past_due: Days Late
  ignore: [Branch]
# An import's mapping describes the loans of the same system.
loans:
  dates: MM/dd/yyyy
  columns: { loan_number: Loan ID }
`;

  const run = await compare(maker, content, { mapping, loans_here: 'none' });
  const wrong = await compare(maker, content.replace(/^L-000001,"\$[\d.]+"/m, 'L-000001,"$1.23"'), {
    mapping,
    loans_here: 'none',
  });

  expect(run).toMatchObject({ status: 'done', loans_differing: 0, loans_not_compared: 0 });
  expect(run.loans_agreeing).toBeGreaterThan(0);
  expect(wrong.summary).toMatchObject([{ kind: 'unknown', loans: 1 }]);
});

test('loans that were boarded as paid off compare as zero, and their payments so far with the balances', async () => {
  const tenant = await stage.tenant('2024-12-31');
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const program_id = await tenant.first('/programs');
  const product_id = await newProduct(tenant, LEGACY_TERMS);
  const admin = await tenant.signedIn('admin');
  const board = async (loan_number: string, more: object) => {
    const made = await admin.post('/loans/board', {
      borrower_id,
      program_id,
      product_id,
      loan_number,
      principal_amount: '5000.00',
      interest_rate: '0.12',
      term_months: 36,
      origination_date: '2024-01-15',
      ...more,
    });
    expect(made.status, JSON.stringify(made.body)).toBe(201);
  };
  await board('P-1', {
    status: 'paid_off',
    current_principal_balance: '0.00',
    last_payment_date: '2024-11-15',
  });
  await board('P-2', { status: 'paid_off', current_principal_balance: '0.00' });
  await board('C-1', {
    status: 'charged_off',
    current_principal_balance: '800.00',
    charge_off_date: '2024-10-01',
  });
  await board('A-1', {
    status: 'active',
    current_principal_balance: '4100.00',
    metadata: { tape: { paid_interest: '400.00', paid_late_fees: '15.00' } },
  });
  const content = [
    'loan_number,as_of_date,principal,interest,status,payoff_amount,paid_principal,paid_interest,paid_fees,paid_total,last_payment_date,charged_off',
    'P-1,2024-12-31,0.00,0.00,paid_off,0.00,5000.00,,,,2024-11-15,',
    'C-1,2024-12-31,0.00,,charged_off,,,,,,,800.01',
    'P-2,2024-12-31,12.50,,active,,,,,,,',
    'A-1,2024-12-31,4100.00,,active,,900.00,400.00,15.00,1315.00,,',
  ].join('\n');

  const run = await compare(admin, content);
  const { body: rows } = await admin.get(`/reconciliations/${run.id}/differences`);
  const loans = csvOf({
    ...loanRecord({ loan_number: 'C-1', current_principal_balance: '800.00', payment_amount: '' }),
    borrower_first_name: 'Ada',
    borrower_last_name: 'Moreno',
    borrower_state: 'IL',
    paid_through_date: '',
    status: 'charged_off',
  });
  const byLine = await compare(admin, loans, { loans_here: 'none' }, 'loans.csv');

  expect(byLine).toMatchObject({ failure_reason: null, loans_total: 1, loans_agreeing: 1 });
  expect(run).toMatchObject({ loans_total: 4, loans_agreeing: 2, loans_differing: 2 });
  expect(rows).toMatchObject([
    { loan_number: 'C-1', figure: 'charged_off', first_ours: '800.00', first_theirs: '800.01' },
    { loan_number: 'P-2', figure: 'principal', first_ours: '0.00', first_theirs: '12.50' },
    { loan_number: 'P-2', figure: 'status', first_ours: 'paid_off', first_theirs: 'active' },
  ]);
});

/** A comparison whose command was killed an hour ago. */
async function leaveStopped(tenant: Tenant) {
  const { id } = await tenant.within((work) =>
    createReconciliation(work, {
      ...ReconciliationOptions.parse({}),
      filename: 'killed.csv',
      sha256_hash: 'a'.repeat(64),
      file_size: 1,
      mapping: null,
      isStored: false,
    }),
  );
  await stage.owner.query(`begin; set local app.sealing = 'on';
    update reconciliations set status = 'running', updated_at = now() - interval '1 hour'
    where id = '${id}'; commit`);
  return id;
}

test('a comparison whose command was killed ends as failed at the next clean-up', async () => {
  const tenant = await stage.tenant('2024-12-31');
  const admin = await tenant.signedIn('admin');
  const id = await leaveStopped(tenant);

  await removeAbandonedBooks(lentTo(stage) as never, tenant.id);

  expect((await admin.get(`/reconciliations/${id}`)).body).toMatchObject({
    status: 'failed',
    failure_reason: expect.stringContaining('Run it again.'),
  });
});

test('npm run reconcile ends a comparison as failed if the book lacks what it needs, and one that was killed', async () => {
  const tenant = await stage.tenant('2024-12-31');
  await leaveStopped(tenant);
  const { 'history.csv': _, ...files } = legacyFiles(LOANS);
  const words = ['--tenant', tenant.slug, '--book', writeBook(files)];
  const { ended, said } = startProcess('workers/reconcile.ts', words, {
    DATABASE_URL: stage.url,
    LOG_LEVEL: 'silent',
  });

  expect(await ended).toBe(2);
  expect(said()).toContain('has no history.csv');
  const admin = await tenant.signedIn('admin');
  expect((await admin.get('/reconciliations')).body).toMatchObject([
    { status: 'failed', failure_reason: expect.stringContaining('has no history.csv') },
    { status: 'failed', failure_reason: expect.stringContaining('has stopped') },
  ]);
});

test('npm run reconcile compares a book without loans here, writes a CSV and exits with 0, 1 or 2', async () => {
  const tenant = await stage.tenant('2024-12-31');
  await newProduct(tenant, { code: 'OLD', ...LEGACY_TERMS });
  const files = legacyFiles(LOANS);
  const withProduct = {
    ...files,
    'loans.csv': (files['loans.csv'] ?? '')
      .split('\n')
      .map((line, at) => (line === '' ? '' : `${line},${at === 0 ? 'product_code' : 'OLD'}`))
      .join('\n'),
  };
  const folder = writeBook(withProduct);
  const run = async (...words: string[]) => {
    const { ended, said } = startProcess('workers/reconcile.ts', words, {
      DATABASE_URL: stage.url,
      LOG_LEVEL: 'silent',
    });
    return { code: await ended, output: said() };
  };
  const from = ['--tenant', tenant.slug];

  const equal = await run(...from, '--book', folder);
  const here = await run(...from, '--out', `${writeBook({})}/differences.csv`, folder);
  const accepted = await run(...from, '--accept', 'missing_loan', folder);
  const lessFigures = FIGURES.replaceAll(/^L-000001,.*\n/gm, '');
  const gaps = writeBook({
    ...withProduct,
    'figures.csv': `${lessFigures}X-9,2024-01-31,1.00,,,\n`,
  });
  const uneven = await run(...from, '--book', gaps);
  const misuse = await run(...from, '--accept', 'nonsense', folder);
  const help = await run('--help');

  expect(equal).toMatchObject({ code: 0, output: expect.stringMatching(/^Agree +6$/m) });
  expect(here).toMatchObject({ code: 1, output: expect.stringContaining('Missing loan') });
  expect(here.output).toContain('Wrote the differences');
  expect(accepted.code).toBe(0);
  expect(uneven).toMatchObject({ code: 1, output: expect.stringMatching(/^Agree +5$/m) });
  expect(uneven.output).toMatch(/^Differ +1\nNot or only partly compared +1\nAll +7$/m);
  expect(uneven.output).toMatch(/^Missing loan +missing_loan +no +1 /m);
  expect(uneven.output).toContain('--accept ');
  expect(uneven.output).toContain('Missing loan');
  expect(misuse).toMatchObject({ code: 2, output: expect.stringContaining('Usage:') });
  expect(help.code).toBe(0);
  for (const kind of ['missing_loan', 'day_count', 'not_kept', 'partly_compared'])
    expect(help.output).toContain(kind);
});
