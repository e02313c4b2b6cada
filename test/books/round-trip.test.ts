import { Big } from 'big.js';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { updateAgreed } from '../../jobs/loans/history/record-events.ts';
import { sql } from '../../sql/database/db.ts';
import { exportedFiles, zipOf } from '../setup/exported-books.ts';
import { multipartForm, postForm } from '../setup/forms.ts';
import { runImports, uploadBook } from '../setup/imports.ts';
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
      select id from loans where status in ('active', 'charged_off', 'paid_off') order by id
    `);
    for (const id of ids) await updateAgreed(work, id);
    const loans = await tx.any(sql.type(FIGURES)`
      select loan_number, status, interest_rate, principal_balance, interest_settled, outstanding_fees,
             suspense_balance, charge_off_balance, recovered_amount, off_books_interest,
             oldest_unpaid_due_date, last_payment_date, last_payment_amount, paid_principal, paid_interest,
             paid_fees, maturity_date, disbursed_amount, delinquency_bucket,
             cycle_start_date, cycle_end_date, interest_free_balance, term_months, payment_amount,
             first_delinquency_date
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

/** Imports a zip of the files over HTTP, with the totals that the check found. */
async function importBook(tenant: Tenant, files: ReadonlyMap<string, Buffer>) {
  const admin = await tenant.signedIn('admin');
  const sent = await uploadBook(admin, await zipOf(files), {}, 'book.zip');
  const path = `/imports/${sent.body.id}`;
  await runImports(stage);
  const checked = (await admin.get(path)).body;
  const found = (await admin.get(`${path}/findings`)).body;
  expect(checked, JSON.stringify(found)).toMatchObject({ status: 'checked' });
  const totals = checked.control_totals as { loans: number; principal: string }[];
  await admin.post(`${path}/confirm`, {
    loan_count: totals.reduce((count, one) => count + one.loans, 0),
    principal_total: totals.reduce((all, one) => all.plus(one.principal), new Big(0)).toFixed(2),
  });
  await runImports(stage);
  const boarded = (await admin.get(path)).body;
  expect(boarded, JSON.stringify((await admin.get(`${path}/findings`)).body)).toMatchObject({
    status: 'boarded',
  });
}

const trialBalanceOf = async (tenant: Tenant) => {
  const admin = await tenant.signedIn('admin');
  const { accounts } = (await admin.get('/ledger/trial-balance')).body;
  return accounts.map(({ code, debit, credit }: Record<string, string>) => [code, debit, credit]);
};

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

  await importBook(target, await exportedFiles(stage, source));
  const [here, there] = [await figuresOf(source), await figuresOf(target)];

  expect(there.loans).toEqual(here.loans);
  expect(there.schedules).toEqual(here.schedules);
  expect(there.outlooks).toEqual(here.outlooks);
  expect(await documentsOf(target)).toEqual(await documentsOf(source));
  expect(await documentsOf(target)).toHaveLength(1);
  expect(await trialBalanceOf(target)).toEqual(await trialBalanceOf(source));
  expect(await violationsIn(stage)).toEqual([]);
});
