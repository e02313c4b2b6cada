import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { ViolationRow, type Check } from '../invariant-check.ts';

/** Checks the counts that lists show instead of counting rows. */
export const countInvariants: readonly Check[] = [
  {
    rule: 'row counts equal the rows',
    query: sql.type(ViolationRow)`
      select wrong.tenant_id, counted.table_name as subject,
             format('%s%s%s: %s rows exist, but %s are counted.',
               counted.table_name, ', ' || wrong.status,
               case wrong.is_archived when true then ', archived' when false then ', not archived' end,
               wrong.there, wrong.kept
             ) as message
      from app.counted_tables as counted
      cross join lateral app.count_differences(counted.table_name) as wrong
      order by wrong.tenant_id, counted.table_name, wrong.status, wrong.is_archived
    `,
  },
];

const Added = z.object({
  tenant: z.string().nullable(),
  table_name: z.string(),
  status: z.string().nullable(),
  is_archived: z.boolean().nullable(),
  rows: z.int(),
});

/**
 * Repairs the counts. Returns the corrections: positive if rows were missing from the count, negative if
 * there were too many.
 */
export const recountRows = (tx: Transaction) =>
  tx.any(sql.type(Added)`
    select tenant.slug as tenant, counted.table_name, added.status, added.is_archived,
           added.rows::integer as rows
    from app.counted_tables as counted
    cross join lateral app.recount_rows(counted.table_name) as added
    left join tenants as tenant on tenant.id = added.tenant_id
    order by tenant.slug, counted.table_name, added.status, added.is_archived
  `);
