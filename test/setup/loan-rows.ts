import { sql, type Transaction } from '../../sql/database/db.ts';
import { insert, type Values } from '../../sql/write.ts';
import type { Tenant } from './world.ts';

let loans = 0;

/** Inserts loans as rows, in any state that a test needs. */
export async function insertLoans(tenant: Tenant, ...rows: Values[]): Promise<string[]> {
  const program_id = await tenant.first('/programs');
  const product_id = await tenant.first('/products');
  const borrower_id = await tenant.first('/borrowers');
  return tenant.within(async ({ tx }) => {
    const ids: string[] = [];
    for (const row of rows) {
      loans += 1;
      ids.push(
        await insert(tx, 'loans', {
          borrower_id,
          program_id,
          product_id,
          loan_number: `LN-T-${loans}`,
          status: 'active',
          principal_amount: '10000.00',
          principal_balance: '10000.00',
          disbursed_amount: '10000.00',
          interest_rate: '0.1',
          term_months: 36,
          payment_frequency: 'monthly',
          day_count: 'actual_365',
          interest_method: 'simple_daily',
          ...row,
        }),
      );
    }
    await insertOutlooks(tx, ids);
    return ids;
  });
}

/** Lets an inserted loan earn simple interest from a day on. */
export const accrueSince = (
  tenant: Tenant,
  loan_id: string,
  { from, yearly }: { from: string; yearly: string },
) =>
  tenant.within(({ tx }) =>
    tx.query(sql.typeAlias('void')`
      update loan_outlook
      set from_date = ${from}, interest_per_basis = ${yearly}, units_per_day = 1, interest_basis = 365,
          accrued_interest_growth = 1
      where loan_id = ${loan_id}
    `),
  );

/** An outlook in which nothing is due and no interest accrues. */
export const insertOutlooks = (tx: Transaction, loans: readonly string[]) =>
  tx.query(sql.typeAlias('void')`
    insert into loan_outlook
    select outlook.* from loans as loan
    cross join lateral jsonb_populate_record(null::loan_outlook, (
      select jsonb_object_agg(attname, 0) from pg_attribute
      where attrelid = 'loan_outlook'::regclass and attnum > 0 and attnotnull
        and atttypid <> all ('{uuid,date,text,bool}'::regtype[])
    ) || jsonb_build_object(
      'tenant_id', loan.tenant_id, 'loan_id', loan.id, 'number', 1, 'from_date', '2000-01-01',
      'until_date', 'infinity', 'is_last', true, 'interest_basis', 1,
      'delinquency_bucket', loan.delinquency_bucket, 'current_rate', loan.interest_rate
    )) as outlook
    where loan.id = any(${sql.array([...loans], 'uuid')})
  `);
