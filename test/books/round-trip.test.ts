import { Big } from 'big.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { openBook } from '../../jobs/books/format/reading/open-book.ts';
import { boardNextChunk } from '../../jobs/books/imports/board-chunk.ts';
import { boardImport } from '../../jobs/books/imports/board-import.ts';
import { boardLoan } from '../../jobs/loans/boarding/board-loan.ts';
import { Boarding } from '../../jobs/loans/boarding/boarding-input.ts';
import { historyFromEvents } from '../../jobs/loans/boarding/history-from-events.ts';
import { readLoan } from '../../jobs/loans/history/open-loan.ts';
import { updateAgreed } from '../../jobs/loans/history/record-events.ts';
import { sql } from '../../sql/database/db.ts';
import { asTree, exportedFiles, zipOf } from '../setup/exported-books.ts';
import { multipartForm, postForm } from '../setup/forms.ts';
import { importBookByHttp, lentTo, runImports, uploadBook } from '../setup/imports.ts';
import { newBorrower, newJointLoan } from '../setup/joint-loans.ts';
import { newLoan } from '../setup/loans.ts';
import { assertOk } from '../setup/portal.ts';
import { newProduct } from '../setup/products.ts';
import { travelTo } from '../setup/queue.ts';
import { newSmallBook } from '../setup/small-book.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const FIGURES = z.record(z.string(), z.unknown());

/** What a loan owes now and will owe: its balances, its schedule and its outlook. */
const figuresOf = (tenant: Pick<Tenant, 'within'>) =>
  tenant.within(async (work) => {
    const { tx } = work;
    // The outlook of a loan begins with its last event, which is another day in each tenant.
    const ids = await tx.anyFirst(sql.typeAlias('id')`
      select id from loans where status in ('active', 'charged_off', 'paid_off', 'settled') order by id
    `);
    for (const id of ids) await updateAgreed(work, id);
    const loans = await tx.any(sql.type(FIGURES)`
      select loan_number, status, interest_rate, principal_balance, interest_settled, outstanding_fees,
             suspense_balance, charge_off_balance, recovered_amount, off_books_interest,
             oldest_unpaid_due_date, last_payment_date, last_payment_amount, paid_principal, paid_interest,
             paid_fees, maturity_date, disbursed_amount, delinquency_bucket,
             cycle_start_date, cycle_end_date, interest_free_balance, term_months, payment_amount,
             first_delinquency_date, paid_off_at is not null as has_paid_off_at,
             charged_off_at is not null as has_charged_off_at,
             case when charged_off_at is not null then charge_off_reason end as charge_off_reason
      from loans where status not in ('denied', 'canceled') order by loan_number
    `);
    const schedules = await tx.any(sql.type(FIGURES)`
      select loan.loan_number, row.period_number, row.due_date, row.payment_amount, row.principal_amount,
             row.interest_amount, row.fees_amount, row.ending_balance, row.paid_amount, row.paid_date,
             row.is_canceled
      from installments as row join loans as loan on loan.id = row.loan_id
      where row.version = loan.schedule_version order by 1, 2
    `);
    const outlooks = await tx.any(sql.type(FIGURES)`
      select to_jsonb(row) - 'loan_id' - 'tenant_id' as row, loan.loan_number
      from loan_outlook as row join loans as loan on loan.id = row.loan_id
      order by loan.loan_number, row.number
    `);
    return { loans, schedules, outlooks };
  });

const trialBalanceOf = async (tenant: Tenant) => {
  const admin = await tenant.signedIn('admin');
  const { accounts } = (await admin.get('/ledger/trial-balance')).body;
  return accounts.map(({ code, debit, credit }: Record<string, string>) => [code, debit, credit]);
};

/** The balance of each account, debits minus credits. */
const balancesOf = async (tenant: Tenant) =>
  (await trialBalanceOf(tenant)).map(([code, debit, credit]: [string, string, string]) => [
    code,
    new Big(debit).minus(credit).toFixed(2),
  ]) as [string, string][];

const documentsOf = async (tenant: Tenant) => {
  const documents = (await tenant.officer.get('/documents')).body as Record<string, unknown>[];
  // Disclosures that no worker has printed have no file.
  const stored = documents.filter((one) => one['sha256_hash'] !== null);
  return stored.map((one) => [one['filename'], one['document_type'], one['sha256_hash']]);
};

test('a book that is exported and imported elsewhere has equal balances, schedules, outlooks, documents and trial balance', async () => {
  const source = await stage.tenant('2026-01-15');
  await newSmallBook(stage, source);
  const loan_id = await source.first('/loans');
  const form = multipartForm({ loan_id, document_type: 'title' }, [
    { name: 'title.txt', type: 'text/plain', content: 'The title of the car.' },
  ]);
  expect(await postForm(source.officer, '/documents', form)).toMatchObject({ status: 201 });
  const target = await stage.tenant('2026-06-20');

  await importBookByHttp(stage, target, await exportedFiles(stage, source));
  const [here, there] = [await figuresOf(source), await figuresOf(target)];

  expect(there.loans).toEqual(here.loans);
  expect(there.schedules).toEqual(here.schedules);
  expect(there.outlooks).toEqual(here.outlooks);
  expect(await documentsOf(target)).toEqual(await documentsOf(source));
  expect(await documentsOf(target)).toHaveLength(1);
  expect(await trialBalanceOf(target)).toEqual(await trialBalanceOf(source));
  expect(await violationsIn(stage)).toEqual([]);
});

test('a document about one person stays with that person, with or without a loan', async () => {
  const source = await stage.tenant('2026-01-15');
  const { id: loan_id, borrower_id, other } = await newJointLoan(source);
  const upload = async (name: string, owner?: string) => {
    const fields = { loan_id, document_type: 'other', is_visible_to_borrower: 'true' };
    const form = multipartForm({ ...fields, ...(owner && { borrower_id: owner }) }, [
      { name, type: 'text/plain', content: `The text of ${name}.` },
    ]);
    const { status, body } = await postForm(source.officer, '/documents', form);
    expect(status).toBe(201);
    return body.id as string;
  };
  await upload('contract.txt');
  await upload('income.txt', other);
  const passport = await upload('passport.txt', other);
  await stage.owner.query('update documents set loan_id = null where id = $1', [passport]);
  const target = await stage.tenant('2026-01-15');

  const found = await importBookByHttp(stage, target, await exportedFiles(stage, source));
  const [loan] = (await target.officer.get('/loans')).body;
  const documents = (await target.officer.get('/documents')).body as Record<string, unknown>[];
  const owners = documents
    .filter(({ filename }) => String(filename).endsWith('.txt'))
    .map((one) => [
      one['filename'],
      one['loan_id'] !== null,
      one['borrower_id'] === loan.borrower_id ? borrower_id : other,
    ]);
  const byName = owners.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1));

  expect(found).toEqual([]);
  expect(byName).toEqual([
    ['contract.txt', true, borrower_id],
    ['income.txt', true, other],
    ['passport.txt', false, other],
  ]);
});

test('settled, recovered and partly charged-off loans keep their status in an exported book', async () => {
  const source = await stage.tenant('2026-01-15');
  const admin = await source.signedIn('admin');
  const { officer } = source;
  const [settled, settledLoss, recovered, partial] = [
    await newLoan(source),
    await newLoan(source),
    await newLoan(source, { principal_amount: '600.00', term_months: 12 }),
    await newLoan(source),
  ];
  await travelTo(stage, source, '2026-02-20');
  for (const { id } of [settledLoss, recovered])
    assertOk(await admin.post(`/loans/${id}/charge-off`, { reason: 'fraud' }));
  assertOk(
    await admin.post(`/loans/${partial.id}/charge-off`, { reason: 'fraud', amount: '500.00' }),
  );
  for (const { id } of [settled, settledLoss]) {
    assertOk(
      await officer.post(`/loans/${id}/payment-plans`, {
        plan_type: 'settlement',
        settlement_amount: '4000.00',
        installments: [{ due_date: '2026-02-20', amount: '4000.00' }],
        waive_remaining: true,
        grace_days: 0,
      }),
    );
    assertOk(await officer.post(`/loans/${id}/payments`, { amount: '4000.00' }));
  }
  const { charge_off_balance } = (await officer.get(`/loans/${recovered.id}`)).body;
  assertOk(await officer.post(`/loans/${recovered.id}/payments`, { amount: charge_off_balance }));
  await travelTo(stage, source, '2026-02-25');
  const target = await stage.tenant('2026-02-25');

  await importBookByHttp(stage, target, await exportedFiles(stage, source));
  const [here, there] = [await figuresOf(source), await figuresOf(target)];

  expect(here.loans.map(({ status }) => status)).toEqual([
    'settled',
    'settled',
    'charged_off',
    'active',
  ]);
  expect(there.loans).toEqual(here.loans);
  expect(there.schedules).toEqual(here.schedules);
  expect(await trialBalanceOf(target)).toEqual(await trialBalanceOf(source));
  expect(await violationsIn(stage)).toEqual([]);
});

test('the first statement of an imported loan does not repeat the fees of its disbursement', async () => {
  const source = await stage.tenant('2026-01-15');
  const rule = { fee_type: 'origination', trigger: 'disbursement', calculation: 'flat' };
  const product_id = await newProduct(source, {
    fee_rules: [
      { ...rule, amount: '100.00', treatment: 'deducted' },
      { ...rule, amount: '200.00', treatment: 'capitalized' },
    ],
  });
  await newLoan(source, { product_id });
  await travelTo(stage, source, '2026-02-10');
  const target = await stage.tenant('2026-02-10');

  await importBookByHttp(stage, target, await exportedFiles(stage, source));
  await travelTo(stage, target, '2026-03-01');
  const summary = await target.within(({ tx }) =>
    tx.oneFirst(sql.type(z.object({ summary: FIGURES }))`
      select figures -> 'summary' as summary from statements
    `),
  );

  expect(summary).toMatchObject({ fees: '0.00', payments: '0.00', credits: '0.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a book is imported on a later business date, even if boarding takes two days', async () => {
  const source = await stage.tenant('2026-01-15');
  for (let count = 0; count < 3; count += 1) await newLoan(source);
  await travelTo(stage, source, '2026-02-10');
  const files = await exportedFiles(stage, source);
  const target = await stage.tenant('2026-02-12');
  const officer = target.officer;
  const importer = await target.signedIn('admin');
  const { id } = (await uploadBook(importer, await zipOf(files), {}, 'book.zip')).body as {
    id: string;
  };
  await runImports(stage);
  await importer.post(`/imports/${id}/confirm`, {
    loan_count: 3,
    principal_total: '30000.00',
  });
  const { within } = lentTo(stage);
  const boardOnlyTwo = async () => {
    await boardImport(within, target.id, id, openBook(asTree(files)), { chunks_max: 0 });
    await within(target.id, (work) => boardNextChunk(work, id, 2));
  };
  await boardOnlyTwo();
  const [boarded] = (await officer.get('/loans')).body as { id: string }[];
  await travelTo(stage, target, '2026-02-13');
  assertOk(await officer.post(`/loans/${boarded?.id}/payments`, { amount: '100.00' }));
  await runImports(stage);
  const stopped = (await importer.get(`/imports/${id}`)).body;
  const resumed = await importer.post(`/imports/${id}/resume`);
  await runImports(stage);
  const findings = (await importer.get(`/imports/${id}/findings`)).body as object[];
  const done = (await importer.get(`/imports/${id}`)).body;

  expect(stopped, JSON.stringify(stopped)).toMatchObject({ status: 'failed' });
  expect(resumed.status, JSON.stringify(resumed.body)).toBeLessThan(300);
  expect(done, JSON.stringify(findings)).toMatchObject({ status: 'boarded', loans_boarded: 3 });
  expect(findings).toMatchObject([{ code: 'ledger_differs', severity: 'warning' }]);
  const here = new Map(await balancesOf(source));
  const there = new Map(await balancesOf(target));
  expect(there.get('1000')).toBe(new Big(here.get('1000') ?? 0).plus(100).toFixed(2));
  expect(await violationsIn(stage)).toEqual([]);
});

test('a trial balance that cannot be posted is refused by line before a loan is boarded', async () => {
  const source = await stage.tenant('2026-01-15');
  await newLoan(source);
  const files = await exportedFiles(stage, source);
  const target = await stage.tenant('2026-01-15');
  const admin = await target.signedIn('admin');
  const header = 'account_code,as_of_date,balance';
  const wrong = [
    [`1000,2026-01-15,5.00`],
    [`1000,2026-01-15,5.00`, `2200,2026-01-14,-5.00`],
    [`1000,2026-01-16,0.00`],
    [`9999,2026-01-15,0.00`],
  ];
  const refusals = [];
  for (const lines of wrong) {
    files.set('ledger.csv', Buffer.from([header, ...lines].join('\n')));
    const { id } = (await uploadBook(admin, await zipOf(files), {}, 'book.zip')).body as {
      id: string;
    };
    await runImports(stage);
    const { status } = (await admin.get(`/imports/${id}`)).body;
    const found = (await admin.get(`/imports/${id}/findings`)).body as Record<string, unknown>[];
    refusals.push([
      status,
      ...found.map(({ line, column_name }) => `${String(line)} ${String(column_name)}`),
    ]);
  }

  expect(refusals).toEqual([
    ['refused', '2 balance'],
    ['refused', '3 as_of_date'],
    ['refused', '2 as_of_date'],
    ['refused', '2 account_code'],
  ]);
});

test('events that have not happened yet are refused by line, and by boarding itself', async () => {
  const source = await stage.tenant('2026-01-15');
  await newLoan(source);
  await travelTo(stage, source, '2026-01-20');
  const loan = (await source.officer.get('/loans')).body[0];
  assertOk(await source.officer.post(`/loans/${loan.id}/payments`, { amount: '100.00' }));
  const files = await exportedFiles(stage, source);
  const target = await stage.tenant('2026-01-18');
  const admin = await target.signedIn('admin');

  const sent = await uploadBook(admin, await zipOf(files), {}, 'book.zip');
  await runImports(stage);
  const path = `/imports/${sent.body.id}`;
  const { status } = (await admin.get(path)).body;
  const found = (await admin.get(`${path}/findings`)).body as Record<string, unknown>[];
  const columns = found
    .filter(({ file }) => file === 'events.csv')
    .map(({ column_name }) => column_name);
  const boarded = target.within(async (work) => {
    const program_id = await target.first('/programs');
    const product_id = await target.first('/products');
    const { events, schedule } = await source.within(async (other) => readLoan(other, loan.id));
    const input = Boarding.parse({
      borrower_id: await newBorrower(target),
      program_id,
      product_id,
      principal_amount: '10000.00',
      interest_rate: '0.085',
      term_months: 36,
      origination_date: '2026-01-15',
      history: { transactions: [] },
    });
    return boardLoan(work, input, undefined, () => historyFromEvents(events, schedule));
  });

  expect(status).toBe('refused');
  expect(columns).toEqual(['effective_date', 'recorded_on']);
  await expect(boarded).rejects.toMatchObject({
    errors: { history: 'Must not go beyond the business date. It has an event of 2026-01-20.' },
  });
});

test('a product that exists with other rules, or is archived, is reported before a loan is boarded', async () => {
  const source = await stage.tenant('2026-01-15');
  const fee_rules = [
    { fee_type: 'late', trigger: 'past_due', calculation: 'flat', amount: '25.00' },
  ];
  const made = { name: 'Auto', code: 'AUTO-9', fee_rules, late_fee_grace_days: 12 };
  const lender = await source.signedIn('admin');
  const { id: product_id } = assertOk(await lender.post('/products', made));
  await newLoan(source, { product_id });
  const book = await zipOf(await exportedFiles(stage, source));
  const check = async (product: object, isArchived = false) => {
    const target = await stage.tenant('2026-01-15');
    const admin = await target.signedIn('admin');
    const { id: known } = assertOk(await admin.post('/products', { ...made, ...product }));
    if (isArchived)
      expect((await admin.delete(`/products/${String(known)}`)).status).toBeLessThan(300);
    const sent = await uploadBook(admin, book, {}, 'book.zip');
    await runImports(stage);
    const found = await admin.get(`/imports/${sent.body.id}/findings`);
    return (found.body as Record<string, string>[]).map(({ file, reason }) => `${file}: ${reason}`);
  };

  expect(await check({})).toEqual([]);
  expect(await check({ late_fee_grace_days: 5, day_count: '30_360' })).toEqual([
    expect.stringContaining('products.csv: A product with this code exists here with another'),
  ]);
  expect(await check({}, true)).toEqual([
    expect.stringContaining('loans.csv: This product does not exist'),
  ]);
  expect(await check({ is_active: false })).toEqual([
    expect.stringContaining('loans.csv: This product does not exist'),
  ]);
});
