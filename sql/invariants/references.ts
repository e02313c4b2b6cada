import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { ViolationRow, type Check } from '../invariant-check.ts';

const Reference = z.object({ child: z.string(), column: z.string(), parent: z.string() });
type Reference = z.output<typeof Reference>;

/**
 * Every column of a tenant's table that references a record: by a foreign key or, where a table has none
 * for speed, by its name (loan_id, posted_by). Read from the catalog, so that new tables are included
 * automatically. Empty tables are skipped.
 */
const references = (tx: Transaction) =>
  tx.any(sql.type(Reference)`
    with tenant_tables as (
      select class.oid, class.relname::text as name,
             class.relkind = 'p' or pg_relation_size(class.oid) > 0 as may_have_rows
      from pg_class as class
      join pg_attribute as tenant on tenant.attrelid = class.oid and tenant.attname = 'tenant_id'
      where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p')
        and not class.relispartition
    ), columns as (
      select child.oid as child_id, child.name as child, attribute.attnum,
             attribute.attname::text as name,
             case
               when attribute.attname like '%\_by' then 'users'
               when attribute.attname = 'entry_id' then 'journal_entries'
               when attribute.attname like '%\_id' then regexp_replace(attribute.attname, '_id$', 's')
             end as named
      from tenant_tables as child
      join pg_attribute as attribute on attribute.attrelid = child.oid
      where attribute.atttypid = 'uuid'::regtype and attribute.attname <> 'tenant_id'
        and not attribute.attisdropped and child.may_have_rows
    )
    select columns.child, columns.name as column, parent.name as parent
    from columns
    join pg_constraint as key
      on key.contype = 'f' and key.conrelid = columns.child_id and columns.attnum = any(key.conkey)
    join tenant_tables as parent on parent.oid = key.confrelid
    union
    select columns.child, columns.name, parent.name
    from columns
    join tenant_tables as parent on parent.name = columns.named
    where exists (
      select from pg_attribute as id where id.attrelid = parent.oid and id.attname = 'id'
    )
    order by 1, 2, 3
  `);

export async function referenceChecks(tx: Transaction): Promise<Check[]> {
  return (await references(tx)).map((reference) => ({
    rule: 'no row references another tenant',
    query: foreignTo(reference),
  }));
}

function foreignTo({ child, column, parent }: Reference) {
  const named = sql.identifier(['child', column]);
  return sql.type(ViolationRow)`
    select child.tenant_id, ${named} as subject,
           format('A row of %s references in %s the record %s of %s, which belongs to tenant %s.',
             ${child}::text, ${column}::text, ${named}, ${parent}::text, foreign_row.tenant_id
           ) as message
    from ${sql.identifier([child])} as child
    join ${sql.identifier([parent])} as foreign_row
      on foreign_row.id = ${named} and foreign_row.tenant_id <> child.tenant_id
    where not exists (
      select from ${sql.identifier([parent])} as own
      where own.tenant_id = child.tenant_id and own.id = ${named}
    )
  `;
}
