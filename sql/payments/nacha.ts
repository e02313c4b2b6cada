import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const nachaFiles = table({
  name: 'nacha_files',
  rows: sql.fragment`
    select record.id, record.file_date, record.file_id_modifier, record.effective_entry_date,
           record.entry_count, record.debit_total, record.credit_total, record.status,
           record.filename, record.file_size, record.sha256_hash, record.created_by,
           record.created_at, record.updated_at
    from nacha_files as record
  `,
});

export const nachaEntries = table({
  name: 'nacha_entries',
  rows: sql.fragment`
    select record.id, record.nacha_file_id, record.payment_id, record.disbursement_id,
           record.draw_id, record.transaction_code, record.amount, record.individual_id,
           record.individual_name, record.trace_number, record.settled_on, record.return_code,
           record.returned_on, record.created_at, record.updated_at
    from nacha_entries as record
  `,
});

/** Serializes ordering files, so that no entry is sent twice. */
export const lockNachaFileCreation = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    select pg_advisory_xact_lock(hashtextextended('nacha ' || app.current_tenant(), 0))
  `);

/** The number of entries that the tenant has ever sent. Trace numbers continue from it. */
export const countEntries = (tx: Transaction) =>
  tx.oneFirst(
    sql.type(z.object({ count: z.int() }))`select count(*)::integer as count from nacha_entries`,
  );

export const countFilesOn = (tx: Transaction, fileDate: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from nacha_files where file_date = ${fileDate}
  `);

const Ordered = z.object({
  id: z.string(),
  file_date: z.string(),
  created_at: z.string(),
  file_id_modifier: z.string(),
  effective_entry_date: z.string(),
  originator: z.record(z.string(), z.string()),
  storage_key: z.string(),
  file_key_sealed: z.string(),
  status: z.string(),
});

export const findFile = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Ordered)`
    select id, file_date, created_at, file_id_modifier, effective_entry_date, originator,
           storage_key, file_key_sealed, status
    from nacha_files where id = ${id}
  `);

/** Ordered files whose creation was interrupted. */
export const pendingNachaFileIds = (tx: Transaction) =>
  tx.anyFirst(sql.typeAlias('id')`select id from nacha_files where status = 'pending' order by id`);

const Stored = z.object({
  batch: z.string(),
  transaction_code: z.string(),
  routing_number: z.string(),
  account_number_sealed: z.string(),
  amount: z.string(),
  individual_id: z.string(),
  individual_name: z.string(),
  trace_number: z.string(),
  is_recurring: z.boolean(),
});

export const listEntries = (tx: Transaction, fileId: string) =>
  tx.any(sql.type(Stored)`
    select entry.batch, entry.transaction_code, entry.routing_number, entry.account_number_sealed,
           entry.amount, entry.individual_id, entry.individual_name, entry.trace_number,
           payment.autopay_plan_id is not null as is_recurring
    from nacha_entries as entry left join payments as payment on payment.id = entry.payment_id
    where entry.nacha_file_id = ${fileId} order by entry.trace_number
  `);

export const findNachaFileStorageKey = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ storage_key: z.string() }))`
    select storage_key from nacha_files where id = ${id} and status = 'completed'
  `);
