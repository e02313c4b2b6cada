import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const borrowerExports = table({
  name: 'borrower_exports',
  rows: sql.fragment`
    select record.id, record.borrower_id, record.status, record.requested_by,
           record.documents_total, record.documents_done, record.file_size, record.sha256_hash,
           record.failure_reason, record.completed_at, record.expires_at, record.created_at,
           record.updated_at
    from borrower_exports as record
  `,
});

export const findPendingId = (tx: Transaction, borrowerId: string) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    select id from borrower_exports where borrower_id = ${borrowerId} and status = 'pending'
  `);

const Order = z.object({ borrower_id: z.string(), storage_key: z.string() });

/** The export that was ordered, unless it is completed. A failed export can be retried. */
export const findUnfinished = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Order)`
    select borrower_id, storage_key from borrower_exports
    where id = ${id} and status in ('pending', 'failed')
  `);

export const setProgress = (tx: Transaction, id: string, done: number, total: number) =>
  tx.query(sql.typeAlias('void')`
    update borrower_exports set documents_done = ${done}, documents_total = ${total}
    where id = ${id} and status in ('pending', 'failed')
  `);

type FinishedExport = { size: number; sha256_hash: string; days: number };

/**
 * Marks the export as completed. Returns false if another process completed it first or the borrower was
 * redacted in the meantime.
 */
export async function markCompleted(
  tx: Transaction,
  id: string,
  { size, sha256_hash, days }: FinishedExport,
) {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update borrower_exports
    set status = 'completed', file_size = ${size}, sha256_hash = ${sha256_hash},
        failure_reason = null, completed_at = now(),
        expires_at = now() + make_interval(days => ${days})
    where id = ${id} and status in ('pending', 'failed')
  `);
  return rowCount === 1;
}

export const markExportFailed = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update borrower_exports set status = 'failed', failure_reason = ${reason}
    where id = ${id} and status = 'pending'
  `);

/** The archive's storage key, while it may be downloaded. */
export const findDownloadKey = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ storage_key: z.string() }))`
    select storage_key from borrower_exports
    where id = ${id} and status = 'completed' and expires_at > now()
  `);

const ExpiredExport = z.object({ id: z.string(), storage_key: z.string() });

/** Locks expired exports until the transaction ends. */
export const lockExpired = (tx: Transaction, limit: number) =>
  tx.any(sql.type(ExpiredExport)`
    select id, storage_key from borrower_exports
    where status = 'completed' and expires_at <= now()
    order by expires_at limit ${limit}
    for no key update skip locked
  `);

export const markExpired = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`update borrower_exports set status = 'expired' where id = ${id}`);

const Part = z.object({ folder: z.string(), name: z.string() });

export const listExportedTables = (tx: Transaction) =>
  tx.any(sql.type(Part)`
    select folder, table_name as name from app.borrower_tables where folder is not null
    order by folder, table_name
  `);

const Ids = z.object({ ids: z.string() });

/** The ids of all records that lead to the person, in the form that the other export statements take. */
export const relatedIds = (tx: Transaction, borrowerId: string) =>
  tx.oneFirst(sql.type(Ids)`select app.exported_ids(${borrowerId})::text as ids`);

const ExportText = z.object({ row_text: z.string() });

/** The rows of one table as JSON texts, so that no amount becomes a floating-point number. */
export const exportedRows = (tx: Transaction, name: string, ids: string) =>
  tx.anyFirst(sql.type(ExportText)`
    select row_text from app.exported_rows(${name}, ${ids}::jsonb) as row_text
  `);

const File = z.object({ id: z.string(), filename: z.string(), storage_key: z.string() });
export type DocumentFile = z.output<typeof File>;

/** The stored files of the documents whose rows are exported. */
export const documentFiles = (tx: Transaction, ids: string) =>
  tx.any(sql.type(File)`
    select row ->> 'id' as id, row ->> 'filename' as filename, row ->> 'storage_key' as storage_key
    from app.exported_rows('documents', ${ids}::jsonb) as row_text
    cross join lateral (select row_text::jsonb as row) as document
    where row ->> 'status' in ('uploaded', 'verified', 'rejected')
    order by row ->> 'id'
  `);
