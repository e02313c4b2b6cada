import { expect, test } from 'vitest';
import { z } from 'zod';
import { openBook } from '../../jobs/books/format/reading/open-book.ts';
import { readRows } from '../../jobs/books/format/reading/read-rows.ts';
import { broughtHistory } from '../../jobs/books/imports/brought-events.ts';
import { importSettings } from '../../jobs/books/imports/import-settings.ts';
import type { Invalid } from '../../jobs/errors.ts';
import { boardLoan } from '../../jobs/loans/boarding/board-loan.ts';
import { Boarding } from '../../jobs/loans/boarding/boarding-input.ts';
import { sql } from '../../sql/database/db.ts';
import { insert } from '../../sql/write.ts';
import { asTree, exportedFiles } from '../setup/exported-books.ts';
import { newSmallBook } from '../setup/small-book.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

const FIGURES = z.record(z.string(), z.unknown());

/** What a loan owes now and will owe: its balances, its schedule and its outlook. */
const figuresOf = (tenant: Pick<Tenant, 'within'>) =>
  tenant.within(async ({ tx }) => {
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

async function importBook(tenant: Tenant, files: ReadonlyMap<string, Buffer>) {
  const book = openBook(asTree(files));
  const read = async <Name extends Parameters<typeof readRows>[1]>(name: Name) => {
    const rows = [];
    for await (const { row, line } of readRows(book, name))
      if (row) rows.push({ line, values: row });
    return rows;
  };
  const [programs, products, loans] = [
    await read('programs'),
    await read('products'),
    await read('loans'),
  ];
  const [events, schedules] = [await read('events'), await read('schedules')];
  await tenant.within((work) => importSettings(work, programs, products));
  const ids = await tenant.within(async ({ tx }) => {
    const rows = await tx.any(sql.type(z.object({ id: z.string(), code: z.string() }))`
      select id, code from products union all select id, 'program ' || code from programs
    `);
    return new Map(rows.map(({ id, code }) => [code, id]));
  });
  for (const { values } of loans)
    await tenant.within(async (work) => {
      const borrower_id = await insert(work.tx, 'borrowers', { first_name: 'A', last_name: 'B' });
      const own = events.flatMap((one) =>
        one.values.loan_number === values.loan_number ? [one.values] : [],
      );
      const rows = schedules.flatMap((one) =>
        one.values.loan_number === values.loan_number ? [one.values] : [],
      );
      const input = Boarding.parse({
        ...values,
        borrower_id,
        program_id: ids.get(`program ${values.program_code}`),
        product_id: ids.get(values.product_code ?? ''),
        investor_id: null,
        portfolio_id: null,
        times_delinquent: null,
        ...(own.length > 0 ? { history: { transactions: [] } } : { suspense_balance: null }),
        first_delinquency_date:
          values.status === 'charged_off' ? values.first_delinquency_date : null,
      });
      const brought = own.length > 0 ? () => broughtHistory(own, rows) : undefined;
      await boardLoan(work, input, undefined, brought).catch((error: unknown) => {
        const { errors } = error as Invalid;
        throw new Error(`${values.loan_number} ${values.status}: ${JSON.stringify(errors)}`, {
          cause: error,
        });
      });
    });
}

test('a book that is exported and imported elsewhere has equal balances, schedules and outlooks', async () => {
  const source = await stage.tenant('2026-01-15');
  await newSmallBook(stage, source);
  const target = await stage.tenant('2026-06-20');

  await importBook(target, await exportedFiles(stage, source));
  const [here, there] = [await figuresOf(source), await figuresOf(target)];

  expect(there.loans).toEqual(here.loans);
  expect(there.schedules).toEqual(here.schedules);
  expect(there.outlooks).toEqual(here.outlooks);
  expect(await violationsIn(stage)).toEqual([]);
});
