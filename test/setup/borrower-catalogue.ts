/**
 * Queries of the Postgres catalogue for tables and columns that hold borrowers' data. Each returns names.
 */

/** Tables that lead to borrowers only through a record that belongs to no single borrower. */
const SHARED_TABLES: Record<string, string> = {
  import_findings: 'what is wrong with a line of a file, without names or personal numbers',
  import_records: 'ids, which are removed when the import ends',
  import_rows: 'sealed rows, which are removed when the import ends',
  imports: 'totals of a file; the loans are in import_loans',
  reconciliations: 'counts for a file; its differences are in reconciliation_differences',
  book_exports: 'an export is about many borrowers, and is removed after some days',
  loan_tapes: 'the document of a tape is about many borrowers',
  mail_batch_files:
    'a file of many letters, which is removed after 90 days; each letter is in mail_letters',
  mail_batches: 'which member of the staff had letters batched',
  mail_deliveries: 'which mail house was given a batch',
  remittances: 'totals for an investor; the loans are in remittance_loans',
  servicing_fee_rates: 'what an investor pays, and which member of the staff entered it',
  servicing_transfers:
    'a transfer is about many borrowers; its loans are in servicing_transfer_loans',
  tape_deliveries: 'which of the tenant’s partners received a tape',
  year_ends: 'the entry of a year end is about the lender alone',
};

/**
 * Tables that lead to borrowers by a foreign key, or by a column name such as `loan_id` without one, and that
 * declare no data about borrowers.
 */
export const TABLES_LEADING_TO_BORROWERS = `
  with recursive named as (
    select class.oid, class.relname::text as name from pg_class as class
    where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition
  ), arrows as (
    select conrelid as child, confrelid as parent from pg_constraint where contype = 'f'
    union
    select attrelid, named.oid from pg_attribute
    join named on named.name = case attname when 'entry_id' then 'journal_entries'
      else regexp_replace(attname, '_id$', 's') end
    where attname like '%\\_id'
  ), reached as (
    select 'borrowers'::regclass::oid as id
    union
    select child from arrows join reached on reached.id = parent
  )
  select named.name from reached join named on named.oid = reached.id
  where not exists (select from app.borrower_tables where table_name = named.name)
    and named.name <> all ('{${Object.keys(SHARED_TABLES).join()}}')
  order by 1`;

/** Columns that can hold text and about which nothing is declared, and declared columns that do not exist. */
export const UNDECLARED_COLUMNS = `
  select table_name || '.' || undeclared as name
  from app.borrower_tables, unnest(app.undeclared_columns(table_name::regclass)) as undeclared
  union all
  select listed.table_name || '.' || listed.column_name || ' is declared and does not exist'
  from app.borrower_columns as listed
  where not exists (
    select from pg_attribute
    where attrelid = listed.table_name::regclass and attname = listed.column_name
  )`;

/** Exported columns whose names suggest a secret but that are not marked as secret. */
export const SECRET_COLUMNS = `
  select kept.table_name || '.' || attname as name
  from app.borrower_tables as kept
  join pg_attribute on attrelid = kept.table_name::regclass and attnum > 0
  left join app.borrower_columns as listed
    on listed.table_name = kept.table_name and listed.column_name = attname
  where kept.folder is not null and not coalesce(listed.is_secret, false) and attname <> 'sha256_hash'
    and attname ~ 'sealed|hash|index|secret|token|credential|public_key|nonce|password'`;

/** The figures of a tenant's entries, events and payments. */
export const BOOKED_ROWS = `
  select entry_id as of, account_id::text as what, debit::text || ' ' || credit as counts
  from journal_lines where tenant_id = $1
  union all
  select loan_id, kind || effective_date, details::text from loan_events where tenant_id = $1
  union all
  select loan_id, receipt_number || status, amount || ' ' || principal_applied
  from payments where tenant_id = $1
  order by 1, 2, 3`;
