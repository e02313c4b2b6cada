import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import type { BookScope } from './export-rows.ts';

export const bookExports = table({
  name: 'book_exports',
  rows: sql.fragment`
    select record.id, record.portfolio_id, record.servicing_transfer_id, record.with_internal_records, record.status,
           record.business_date, record.requested_by, record.loan_count, record.current_file,
           record.rows_written, record.file_size, record.sha256_hash, record.failure_reason,
           record.completed_at, record.expires_at, record.created_at, record.updated_at
    from book_exports as record
  `,
});

/** Lets the requests of a tenant follow each other until the transaction ends. */
export const lockExportRequests = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    select pg_advisory_xact_lock(hashtextextended('book export ' || app.current_tenant(), 0))
  `);

/** The export of these loans that is being written. */
export const findPendingExport = (
  tx: Transaction,
  {
    portfolio_id,
    servicing_transfer_id,
    with_internal_records,
  }: BookScope & { with_internal_records: boolean },
) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    select id from book_exports
    where status = 'pending' and portfolio_id is not distinct from ${portfolio_id}::uuid
      and servicing_transfer_id is not distinct from ${servicing_transfer_id}::uuid
      and with_internal_records = ${with_internal_records}
  `);

const Order = z.object({
  portfolio_id: z.string().nullable(),
  servicing_transfer_id: z.string().nullable(),
  with_internal_records: z.boolean(),
  storage_key: z.string(),
});

/** The order of an export that is not completed. A failed export can be retried. */
export const findUnfinishedExport = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Order)`
    select portfolio_id, servicing_transfer_id, with_internal_records, storage_key from book_exports
    where id = ${id} and status in ('pending', 'failed')
  `);

export type BookProgress = { loan_count: number; current_file: string; rows_written: number };

export const saveBookProgress = (
  tx: Transaction,
  id: string,
  { loan_count, current_file, rows_written }: BookProgress,
) =>
  tx.query(sql.typeAlias('void')`
    update book_exports
    set loan_count = ${loan_count}, current_file = ${current_file}, rows_written = ${rows_written}
    where id = ${id} and status in ('pending', 'failed')
  `);

type Written = {
  size: number;
  sha256_hash: string;
  business_date: string;
  rows_written: number;
  days: number;
};

/** Marks the export as completed. Returns false if another process completed it first. */
export async function completeBookExport(
  tx: Transaction,
  id: string,
  { size, sha256_hash, business_date, rows_written, days }: Written,
) {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update book_exports
    set status = 'completed', file_size = ${size}, sha256_hash = ${sha256_hash},
        business_date = ${business_date}, rows_written = ${rows_written}, current_file = null,
        failure_reason = null, completed_at = now(), expires_at = now() + make_interval(days => ${days})
    where id = ${id} and status in ('pending', 'failed')
  `);
  return rowCount === 1;
}

export const failBookExport = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update book_exports set status = 'failed', failure_reason = ${reason}
    where id = ${id} and status = 'pending'
  `);

/** The file's key, while it may be downloaded. */
export const findBookKey = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ storage_key: z.string() }))`
    select storage_key from book_exports
    where id = ${id} and status = 'completed' and expires_at > now()
  `);

const Expired = z.object({ id: z.string(), storage_key: z.string() });

/** Locks expired exports until the transaction ends. */
export const lockExpiredBooks = (tx: Transaction, limit: number) =>
  tx.any(sql.type(Expired)`
    select id, storage_key from book_exports
    where status = 'completed' and expires_at <= now()
    order by expires_at limit ${limit}
    for no key update skip locked
  `);

export const markBookExpired = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`update book_exports set status = 'expired' where id = ${id}`);
