import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import { board, Boarding } from '../../jobs/loans/boarding/board.ts';
import { openLog } from '../../jobs/log.ts';
import { openTenant } from '../../jobs/users/open-tenant.ts';
import { SYSTEM, workOf, type Within } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate } from '../../sql/database/migrate.ts';
import * as tape from '../../sql/loans/tape.ts';
import { insert } from '../../sql/write.ts';
import { keepPostgres } from '../../workers/processes/keep-postgres.ts';

export const DAY = '2026-01-15';

export type ManyLoans = {
  url: string;
  folder: string;
  tenant_id: string;
  admin: pg.Client;
  within: Within;
  close(): Promise<void>;
};

/** A database of its own with so many active loans: one is boarded, the others are its copies. */
export async function manyLoans(count: number): Promise<ManyLoans> {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const postgres = await startEmbeddedPostgres(folder);
  const { url } = postgres;
  // Ends the server too when the measuring is cut short.
  const kept = await keepPostgres(postgres, openLog('silent', { service: 'bench' }));
  await migrate(url);
  const owner = await openPool(url, { role: 'servicing_owner', size: 1 });
  const app = await openPool(url, { size: 4, statementTimeoutMs: 600_000 });
  const within = workOf(app, SYSTEM);
  const tenant = { slug: 'bench', name: 'Bench', business_date: DAY, domains: ['bench.test'] };
  const tenant_id = await openTenant(owner, within, tenant);
  const model = await within(tenant_id, async (work) => {
    const [product] = await tape.products(work.tx);
    const program_id = await tape.firstProgram(work.tx);
    const borrower_id = await insert(work.tx, 'borrowers', { first_name: 'A', last_name: 'B' });
    const terms = { principal_amount: '12000.00', interest_rate: '0.0999', term_months: 12 };
    const parents = { borrower_id, program_id, product_id: product?.id, origination_date: DAY };
    return board(work, Boarding.parse({ ...parents, ...terms }));
  });
  const admin = new pg.Client(url);
  await admin.connect();
  await copy(admin, model, count - 1);
  return {
    ...{ url, folder, tenant_id, admin, within },
    close: async () => {
      await admin.end();
      await Promise.all([app.end(), owner.end()]);
      await kept.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function copy(admin: pg.Client, model: string, count: number) {
  const { rows } = await admin.query<{ columns: string; copied: string }>(
    `select string_agg(quote_ident(attname), ', ') as columns,
            string_agg('copy.' || quote_ident(attname), ', ') as copied
     from pg_attribute
     where attrelid = 'loans'::regclass and attnum > 0 and attgenerated = '' and not attisdropped`,
  );
  const { columns, copied } = rows[0] ?? {};
  // Copies of what the database has checked are not checked again, each reference of each row.
  await admin.query('set session_replication_role = replica');
  await admin.query(
    `insert into loans (${columns})
     select ${copied}
     from loans as model
     cross join generate_series(1, $2::integer) as number
     -- As a table of its own it is made once for each copy, and not once for each column.
     cross join lateral jsonb_populate_record(model, jsonb_build_object(
       'id', uuidv7(), 'loan_number', 'B-' || number,
       'principal_balance', 5000 + number % 20000, 'accrual_balance', 5000 + number % 20000
     )) as copy
     where model.id = $1`,
    [model, count],
  );
  await admin.query(
    `insert into installments (
       tenant_id, loan_id, version, period_number, due_date, payment_amount, principal_amount,
       interest_amount, fees_amount, beginning_balance, ending_balance, days_in_period
     )
     select row.tenant_id, loan.id, version, period_number, due_date, row.payment_amount,
            row.principal_amount, interest_amount, fees_amount, beginning_balance, ending_balance,
            days_in_period
     from installments as row cross join loans as loan
     where row.loan_id = $1 and loan.id <> $1`,
    [model],
  );
  await admin.query('reset session_replication_role');
  await admin.query('vacuum analyze loans');
  await admin.query('vacuum analyze installments');
}
