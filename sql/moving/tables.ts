import { z } from 'zod';
import { BASELINE } from '../database/baseline.ts';
import { sql, type Transaction } from '../database/db.ts';

const TenantTable = z.object({
  name: z.string(),
  columns: z.array(z.string()),
  generated: z.array(z.string()),
  /** The primary key. Rows are exported in its order. */
  key: z.array(z.string()),
  tenant_column: z.string(),
  /** Tables that this table references by a foreign key that is not deferrable. */
  after: z.array(z.string()),
});
export type TenantTable = z.output<typeof TenantTable>;

/**
 * All tables with tenants' records, read from the catalog so that new tables are included automatically.
 * Referenced tables come before the tables that reference them.
 */
export async function listTenantTables(tx: Transaction): Promise<TenantTable[]> {
  const tables = await tx.any(sql.type(TenantTable)`
    with carried as (
      select class.oid, class.relname::text as name,
             case when class.relname = 'tenants' then 'id' else 'tenant_id' end as tenant_column
      from pg_class as class
      where class.relnamespace = 'public'::regnamespace and class.relkind in ('r', 'p')
        and not class.relispartition
        -- The triggers of the imported tables write the counts.
        and class.relname <> 'row_counts'
        and (class.relname = 'tenants' or exists (
          select from pg_attribute
          where attrelid = class.oid and attname = 'tenant_id' and not attisdropped))
    )
    select carried.name, carried.tenant_column,
      array(
        select attname::text from pg_attribute
        where attrelid = carried.oid and attnum > 0 and not attisdropped and attgenerated = ''
        order by attnum) as columns,
      array(
        select attname::text from pg_attribute
        where attrelid = carried.oid and attnum > 0 and not attisdropped and attgenerated <> ''
        order by attnum) as generated,
      array(
        select attribute.attname::text
        from pg_index as index
        cross join unnest(index.indkey::int2[]) with ordinality as part (attnum, place)
        join pg_attribute as attribute
          on attribute.attrelid = index.indrelid and attribute.attnum = part.attnum
        where index.indrelid = carried.oid and index.indisprimary
        order by part.place) as key,
      array(
        select distinct other.name from pg_constraint as reference
        join carried as other on other.oid = reference.confrelid and other.oid <> carried.oid
        where reference.conrelid = carried.oid and reference.contype = 'f'
          and reference.conparentid = 0 and not reference.condeferrable
        order by 1) as after
    from carried order by carried.name
  `);
  return sortByForeignKeys(tables);
}

/** Throws if tables reference each other in a circle, because no order would satisfy their foreign keys. */
function sortByForeignKeys(tables: readonly TenantTable[]): TenantTable[] {
  const written: TenantTable[] = [];
  const done = new Set<string>();
  while (written.length < tables.length) {
    const next = tables.filter(
      ({ name, after }) => !done.has(name) && after.every((other) => done.has(other)),
    );
    if (next.length === 0) {
      const left = tables.map(({ name }) => name).filter((name) => !done.has(name));
      throw new Error(`These tables reference each other in a circle: ${left.join(', ')}.`);
    }
    for (const table of next) done.add(table.name);
    written.push(...next);
  }
  return written;
}

/**
 * The newest migration and the baseline's checksum. Rows only move between databases with the same schema.
 */
export const schemaVersion = (tx: Transaction) =>
  tx.oneFirst(sql.type(z.object({ version: z.string() }))`
    select max(name) || ' ' || max(left(checksum, 12)) filter (where name = ${BASELINE}) as version
    from schema_migrations
  `);
