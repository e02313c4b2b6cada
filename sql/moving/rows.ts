import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import type { TenantTable } from './tables.ts';

const identifiers = (names: readonly string[]) =>
  sql.join(
    names.map((name) => sql.identifier([name])),
    sql.fragment`, `,
  );

const Text = z.object({ text: z.string() });

/**
 * The tenant's rows of a table as lines of JSON, ordered by primary key, in batches. JSON keeps every digit
 * of a numeric and every microsecond of a timestamp. Only Postgres parses it.
 */
export async function* exportRows(
  tx: Transaction,
  table: TenantTable,
  tenantId: string,
): AsyncGenerator<readonly string[]> {
  await tx.query(sql.typeAlias('void')`
    declare carried no scroll cursor for
    select (to_jsonb(carried) - ${sql.array(table.generated, 'text')})::text as text
    from ${sql.identifier([table.name])} as carried
    where ${sql.identifier([table.tenant_column])} = ${tenantId}
    order by ${identifiers(table.key)}
  `);
  for (;;) {
    // The number of rows in memory, which become one entry of the file.
    const rows = await tx.anyFirst(sql.type(Text)`fetch 1000 from carried`);
    if (rows.length === 0) break;
    yield rows;
  }
  await tx.query(sql.typeAlias('void')`close carried`);
}

/**
 * Creates a temporary table for a table's rows until all have arrived, because rows of one table may
 * reference each other.
 */
export async function prepareImport(tx: Transaction, tenantId: string) {
  await tx.query(
    sql.typeAlias('void')`select set_config('app.importing_tenant', ${tenantId}, true)`,
  );
  // Foreign keys are checked at the end, because tables may reference each other in a circle.
  await tx.query(sql.typeAlias('void')`set constraints all deferred`);
  await tx.query(sql.typeAlias('void')`
    create temporary table incoming (place integer generated always as identity, rows jsonb)
    on commit drop
  `);
}

/** Checks the deferred foreign keys while everything can still be rolled back. */
export const checkForeignKeys = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`set constraints all immediate`);

/** Postgres parses each line as one JSON row, never as SQL. */
export const stageRows = (tx: Transaction, lines: readonly string[]) =>
  tx.query(sql.typeAlias('void')`
    insert into incoming (rows) select jsonb_agg(line.text::jsonb order by line.place)
    from unnest(${sql.array([...lines], 'text')}) with ordinality as line (text, place)
  `);

/** Writes the staged rows of this tenant, and returns their number. */
export async function writeStagedRows(
  tx: Transaction,
  table: TenantTable,
  tenantId: string,
): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    insert into ${sql.identifier([table.name])} (${identifiers(table.columns)})
    select ${sql.join(
      table.columns.map((name) => sql.identifier(['taken', name])),
      sql.fragment`, `,
    )}
    from incoming
    cross join lateral jsonb_populate_recordset(
      null::${sql.identifier([table.name])}, incoming.rows) as taken
    where ${sql.identifier(['taken', table.tenant_column])} = ${tenantId}
    order by incoming.place
  `);
  await tx.query(sql.typeAlias('void')`truncate incoming`);
  return rowCount;
}

const Month = z.object({ month: z.string() });

/** The months of interest_accruals, the only table with monthly partitions. */
export const listAccrualMonths = (tx: Transaction, tenantId: string) =>
  tx.anyFirst(sql.type(Month)`
    select distinct date_trunc('month', accrual_date)::date as month
    from interest_accruals where tenant_id = ${tenantId} order by 1
  `);

export const ensureAccrualMonth = (tx: Transaction, month: string) =>
  tx.query(sql.typeAlias('void')`select app.ensure_accrual_month(${month}::date)`);

const TableRow = z.object({ table: z.string() });

const tablesOfFiles = (tx: Transaction) =>
  tx.anyFirst(sql.type(TableRow)`
    select attrelid::regclass::text as "table"
    from pg_attribute as attribute join pg_class as class on class.oid = attribute.attrelid
    where attname = 'storage_key' and not attisdropped and relkind in ('r', 'p')
      and relnamespace = 'public'::regnamespace order by 1
  `);

const Named = z.object({ key: z.string(), sha256_hash: z.string().nullable() });
export type ReferencedFile = z.output<typeof Named>;

/**
 * Each file that the tenant's rows reference, once, with its document's hash. Removed files are left out.
 */
export async function listReferencedFiles(
  tx: Transaction,
  tenantId: string,
): Promise<readonly ReferencedFile[]> {
  const tables = await tablesOfFiles(tx);
  const each = tables.map(
    (table) => sql.fragment`
      select storage_key as key, coalesce(
        to_jsonb(named) ->> 'stored_sha256_hash', to_jsonb(named) ->> 'sha256_hash'
      ) as sha256_hash
      from ${sql.identifier([table])} as named
      where tenant_id = ${tenantId} and storage_key is not null
        and storage_key not like 'redacted/%' and to_jsonb(named) ->> 'file_deleted_at' is null`,
  );
  return tx.any(sql.type(Named)`
    select key, max(sha256_hash) as sha256_hash
    from (${sql.join(each, sql.fragment` union all `)}) as files group by key order by key
  `);
}
