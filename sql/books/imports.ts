import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const IMPORT_STATUSES = [
  ...(['uploaded', 'checking', 'checked', 'refused', 'confirmed'] as const),
  ...(['boarding', 'boarded', 'failed', 'canceled'] as const),
] as const;
export type ImportStatus = (typeof IMPORT_STATUSES)[number];

export const imports = table({
  name: 'imports',
  owner: null,
  rows: sql.fragment`
    select record.id, record.filename, record.sha256_hash, record.file_size, record.mapping,
           record.options, record.status, record.business_date, record.control_totals,
           record.boarded_totals, record.error_count, record.warning_count, record.loans_total,
           record.loans_checked, record.rows_total, record.rows_staged, record.loans_boarded,
           record.failure_reason, record.created_by, record.confirmed_by, record.confirmed_at,
           record.boarded_at, record.created_at, record.updated_at
    from imports as record
  `,
});

export const importFindings = table({
  name: 'import_findings',
  owner: null,
  rows: sql.fragment`
    select record.id, record.import_id, record.position, record.file, record.line,
           record.column_name, record.code, record.severity, record.reason, record.created_at
    from import_findings as record
  `,
});

/** Sums of the loans of one status. */
export const StatusTotals = z.object({
  status: z.string(),
  loans: z.int(),
  principal: z.string(),
  interest: z.string(),
  fees: z.string(),
  charged_off: z.string(),
});
export type StatusTotals = z.output<typeof StatusTotals>;

const Finding = z.object({
  file: z.string(),
  line: z.int(),
  column: z.string().nullable(),
  code: z.string(),
  severity: z.enum(['error', 'warning']),
  reason: z.string(),
});

/** Some findings of an import in their order: errors, and warnings if there is room. */
export const listFindings = (tx: Transaction, importId: string, limit: number) =>
  tx.any(sql.type(Finding)`
    select file, line, column_name as "column", code, severity, reason
    from (
      select * from import_findings where import_id = ${importId}
      order by severity = 'warning', position limit ${limit}
    ) as found
    order by position
  `);

const ImportRow = z.object({
  id: z.string(),
  filename: z.string(),
  sha256_hash: z.string(),
  file_size: z.coerce.number(),
  storage_key: z.string().nullable(),
  file_key_sealed: z.string().nullable(),
  mapping: z.string().nullable(),
  options: z.record(z.string(), z.unknown()),
  status: z.enum(IMPORT_STATUSES),
  business_date: z.string().nullable(),
  control_totals: z.array(StatusTotals).nullable(),
  boarded_totals: z.array(StatusTotals).nullable(),
  failure_reason: z.string().nullable(),
  error_count: z.int(),
  warning_count: z.int(),
  loans_total: z.int(),
  rows_total: z.int(),
  rows_staged: z.int(),
  loans_boarded: z.int(),
  created_by: z.string().nullable(),
  confirmed_by: z.string().nullable(),
  confirmed_at: z.string().nullable(),
});
export type ImportRow = z.output<typeof ImportRow>;

const columns = sql.fragment`
  id, filename, sha256_hash, file_size, storage_key, file_key_sealed, mapping, options, status, business_date,
  control_totals, boarded_totals, failure_reason, error_count, warning_count,
  loans_total, rows_total, rows_staged, loans_boarded, created_by, confirmed_by, confirmed_at
`;

export const readImport = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(ImportRow)`select ${columns} from imports where id = ${id}`);

/** Locks the import, so that it is checked, confirmed, boarded or canceled by one transaction at a time. */
export const lockImport = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(ImportRow)`
    select ${columns} from imports where id = ${id} for no key update
  `);

/** Like `lockImport`, but null if another transaction holds the import, such as a chunk of another worker. */
export const lockImportIfFree = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(ImportRow)`
    select ${columns} from imports where id = ${id} for no key update skip locked
  `);

/** Serializes uploads of the same file. */
export const lockFingerprint = (tx: Transaction, fingerprint: string) =>
  tx.query(sql.typeAlias('void')`
    select pg_advisory_xact_lock(hashtextextended('import ' || app.current_tenant() || ${fingerprint}, 0))
  `);

/** Locks the import of a file, so that it cannot be confirmed until then. */
export const lockByFingerprint = (tx: Transaction, fingerprint: string) =>
  tx.maybeOne(sql.type(ImportRow)`
    select ${columns} from imports where fingerprint = ${fingerprint} and status <> 'canceled'
    for no key update
  `);

export type StoredFinding = {
  position: number;
  file: string;
  line: number;
  column_name: string | null;
  code: string;
  severity: 'error' | 'warning';
  reason: string;
};

/** Adds findings, except those that the line has already. Returns how many were added. */
export const addFindings = (
  tx: Transaction,
  importId: string,
  findings: readonly StoredFinding[],
) =>
  tx.oneFirst(sql.type(z.object({ added: z.int() }))`
    with added as (
      insert into import_findings (import_id, position, file, line, column_name, code, severity, reason)
      select ${importId}, position, file, line, column_name, code, severity, reason
      from jsonb_populate_recordset(null::import_findings, ${JSON.stringify(findings)}::jsonb) as found
      where not exists (
        select from import_findings as known
        where known.import_id = ${importId} and known.file = found.file and known.line = found.line
          and known.code = found.code
      )
      returning 1
    )
    select count(*)::integer as added from added
  `);

export const lastFindingPosition = (tx: Transaction, importId: string) =>
  tx.oneFirst(sql.type(z.object({ last: z.int() }))`
    select coalesce(max(position), 0)::integer as last from import_findings
    where import_id = ${importId}
  `);

export const countWarnings = (tx: Transaction, importId: string, count: number) =>
  tx.query(sql.typeAlias('void')`
    update imports set warning_count = warning_count + ${count} where id = ${importId}
  `);

export const removeFindings = (tx: Transaction, importId: string) =>
  tx.query(sql.typeAlias('void')`delete from import_findings where import_id = ${importId}`);

/** Locks unfinished imports that nobody has changed for so long, and that no worker boards. */
export const lockAbandoned = (tx: Transaction, days: number, limit: number) =>
  tx.any(sql.type(z.object({ id: z.string(), status: z.enum(IMPORT_STATUSES) }))`
    select id, status from imports
    where status in ('uploaded', 'checking', 'checked', 'refused', 'failed')
      and updated_at < now() - make_interval(days => ${days})
    order by updated_at limit ${limit}
    for no key update skip locked
  `);

/** Imports that have ended while their files are still stored. */
export const listEndedWithFile = (tx: Transaction) =>
  tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from imports where status in ('boarded', 'canceled') and storage_key is not null
  `);

/** The stored file of an import that has ended. */
export const findRemovableFile = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ storage_key: z.string() }))`
    select storage_key from imports
    where id = ${id} and status in ('boarded', 'canceled') and storage_key is not null
  `);
