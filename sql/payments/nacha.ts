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
           record.transaction_code, record.amount, record.individual_id, record.individual_name,
           record.trace_number, record.return_code, record.returned_on, record.created_at,
           record.updated_at
    from nacha_entries as record
  `,
});

/** One file is ordered at a time, so that nothing is sent twice. */
export const alone = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    select pg_advisory_xact_lock(hashtextextended('nacha ' || app.current_tenant(), 0))
  `);

const Unsent = z.object({
  payment_id: z.string().nullable(),
  disbursement_id: z.string().nullable(),
  amount: z.string(),
  source: z.string(),
  is_retry: z.boolean(),
  individual_id: z.string(),
  individual_name: z.string(),
  routing_number: z.string().nullable(),
  account_number_sealed: z.string().nullable(),
  account_type: z.string().nullable(),
});
export type Unsent = z.output<typeof Unsent>;

const account = sql.fragment`
  coalesce(nullif(instrument.account_holder_name, ''), borrower.first_name || ' ' || borrower.last_name)
    as individual_name,
  instrument.routing_number, instrument.account_number_sealed, instrument.account_type
`;

/**
 * Payments that we are to collect from a bank account and that the bank has not been told of. They
 * are held until the file is ordered, so that none is taken back in between.
 */
export const unsentPayments = (tx: Transaction) =>
  tx.any(sql.type(Unsent)`
    select payment.id as payment_id, null::uuid as disbursement_id, payment.amount, payment.source,
           coalesce(draw.attempts, 0) > 1 as is_retry, payment.receipt_number as individual_id,
           ${account}
    from payments as payment
    join payment_instruments as instrument on instrument.id = payment.payment_instrument_id
    join borrowers as borrower on borrower.id = payment.borrower_id
    left join autopay_draws as draw on draw.payment_id = payment.id
    where payment.source in ('autopay', 'portal') and payment.payment_method = 'ach'
      and payment.status in ('completed', 'settled') and instrument.instrument_type = 'bank_account'
      and not exists (select from nacha_entries as entry where entry.payment_id = payment.id)
    order by payment.id for share of payment
  `);

/** Disbursements that go to a bank account and that the bank has not been told of, held likewise. */
export const unsentDisbursements = (tx: Transaction) =>
  tx.any(sql.type(Unsent)`
    select null::uuid as payment_id, disbursement.id as disbursement_id,
           disbursement.net_amount as amount, 'disbursement' as source, false as is_retry,
           loan.loan_number as individual_id, ${account}
    from disbursements as disbursement
    join loans as loan on loan.id = disbursement.loan_id
    join payment_instruments as instrument on instrument.id = disbursement.payment_instrument_id
    join borrowers as borrower on borrower.id = loan.borrower_id
    where disbursement.method = 'ach' and disbursement.status in ('pending', 'completed')
      and instrument.instrument_type = 'bank_account'
      and not exists (select from nacha_entries as entry where entry.disbursement_id = disbursement.id)
    order by disbursement.id for share of disbursement
  `);

/** How many entries the tenant has ever sent; trace numbers go on from there. */
export const entriesSoFar = (tx: Transaction) =>
  tx.oneFirst(
    sql.type(z.object({ count: z.int() }))`select count(*)::integer as count from nacha_entries`,
  );

export const filesOf = (tx: Transaction, fileDate: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from nacha_files where file_date = ${fileDate}
  `);

const Ordered = z.object({
  id: z.string(),
  file_date: z.string(),
  file_time: z.string(),
  file_id_modifier: z.string(),
  effective_entry_date: z.string(),
  originator: z.record(z.string(), z.string()),
  storage_key: z.string(),
  status: z.string(),
});

/** The file as it was ordered. */
export const ordered = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Ordered)`
    select id, file_date, to_char(created_at at time zone 'UTC', 'HH24MI') as file_time,
           file_id_modifier, effective_entry_date, originator, storage_key, status
    from nacha_files where id = ${id}
  `);

/** Files that were ordered, and whose making was cut short. */
export const unfinished = (tx: Transaction) =>
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
});

export const entriesOf = (tx: Transaction, fileId: string) =>
  tx.any(sql.type(Stored)`
    select batch, transaction_code, routing_number, account_number_sealed, amount, individual_id,
           individual_name, trace_number
    from nacha_entries where nacha_file_id = ${fileId} order by trace_number
  `);

export const storageKeyOf = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ storage_key: z.string() }))`
    select storage_key from nacha_files where id = ${id} and status = 'completed'
  `);

const Sent = z.object({
  id: z.string(),
  payment_id: z.string().nullable(),
  disbursement_id: z.string().nullable(),
  amount: z.string(),
  return_code: z.string().nullable(),
  loan_id: z.string(),
  borrower_id: z.string(),
});

/** The entry that was sent under a trace number, locked, with whose it is. */
export const ofTrace = (tx: Transaction, traceNumber: string) =>
  tx.maybeOne(sql.type(Sent)`
    select entry.id, entry.payment_id, entry.disbursement_id, entry.amount, entry.return_code,
           loan.id as loan_id, loan.borrower_id
    from nacha_entries as entry
    left join payments as payment on payment.id = entry.payment_id
    left join disbursements as disbursement on disbursement.id = entry.disbursement_id
    join loans as loan on loan.id = coalesce(payment.loan_id, disbursement.loan_id)
    where entry.trace_number = ${traceNumber} for update of entry
  `);

export const markDisbursementFailed = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`update disbursements set status = 'failed' where id = ${id}`);
