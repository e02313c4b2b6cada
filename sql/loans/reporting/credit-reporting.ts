import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';
import { isBlockedRecord } from './credit-blocks.ts';

export const creditReportingRecords = table({
  name: 'credit_reporting_records',
  rows: sql.fragment`
    select record.id, record.loan_id, record.reporting_period, record.bureaus,
           record.consumer_account_number, record.portfolio_type, record.account_type,
           record.date_opened, record.date_closed, record.date_of_account_information,
           record.date_last_payment,
           record.date_first_delinquency, record.credit_limit::integer as credit_limit,
           record.highest_credit::integer as highest_credit,
           record.original_charge_off_amount::integer as original_charge_off_amount,
           record.terms_duration, record.terms_frequency,
           record.scheduled_monthly_payment::integer as scheduled_monthly_payment,
           record.actual_payment_amount::integer as actual_payment_amount,
           record.current_balance::integer as current_balance,
           record.amount_past_due::integer as amount_past_due, record.account_status,
           record.payment_rating, record.payment_history_profile, record.special_comment,
           record.compliance_condition_code, record.consumer_information_indicator,
           record.ecoa_code, record.interest_type_indicator, record.consumer, record.co_consumers,
           record.status,
           record.rejection_reason, record.suppression_reason, record.file_id, record.reported_at,
           record.identification_number, record.correction_indicator, record.credit_dispute_id,
           record.created_at, record.updated_at
    from credit_reporting_records as record
  `,
});

export const creditReportingFiles = table({
  name: 'credit_reporting_files',
  rows: sql.fragment`
    select record.id, record.reporting_period, record.record_count, record.status,
           record.filename, record.file_size, record.sha256_hash, record.created_by,
           record.created_at, record.updated_at
    from credit_reporting_files as record
  `,
});

/** Writes the records with one statement. Skips loans whose record another process has written. */
export const insertRecords = (tx: Transaction, records: readonly object[]) =>
  tx.query(sql.typeAlias('void')`
    insert into credit_reporting_records (
      loan_id, reporting_period, bureaus, consumer_account_number, portfolio_type, account_type,
      date_opened, date_closed, date_of_account_information, date_last_payment, date_first_delinquency,
      credit_limit, highest_credit, original_charge_off_amount, terms_duration, terms_frequency,
      scheduled_monthly_payment, actual_payment_amount, current_balance, amount_past_due,
      account_status, payment_rating, payment_history_profile, special_comment,
      compliance_condition_code, consumer_information_indicator, ecoa_code,
      interest_type_indicator, consumer, co_consumers, status, suppression_reason
    )
    select loan_id, reporting_period, bureaus, consumer_account_number, portfolio_type,
           account_type, date_opened, date_closed, date_of_account_information, date_last_payment,
           date_first_delinquency, credit_limit, highest_credit, original_charge_off_amount, terms_duration,
           terms_frequency, scheduled_monthly_payment, actual_payment_amount, current_balance,
           amount_past_due, account_status, payment_rating, payment_history_profile,
           special_comment, compliance_condition_code, consumer_information_indicator, ecoa_code,
           interest_type_indicator, consumer, co_consumers, status, suppression_reason
    from jsonb_populate_recordset(
      null::credit_reporting_records, ${JSON.stringify(records)}::jsonb
    )
    on conflict do nothing
  `);

/** Serializes the creation of files within a tenant. */
export const lockCreditFileCreation = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    select pg_advisory_xact_lock(hashtextextended('metro2 ' || app.current_tenant(), 0))
  `);

/**
 * Assigns the newest waiting record of each account to the file, and returns their number. Older waiting
 * records are never sent, because a bureau would take them for newer ones. An account keeps the
 * identification number of its first file: bureaus match accounts by it, and would keep a second one.
 */
export async function assignToFile(
  tx: Transaction,
  fileId: string,
  { period, identification_number }: { period: string; identification_number: string },
): Promise<number> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update credit_reporting_records as record
    set status = 'reported', file_id = ${fileId}, reported_at = now(),
        identification_number = coalesce(
          (
            select identification_number from credit_reporting_records as earlier
            where earlier.loan_id = loan.id and earlier.identification_number is not null
            order by earlier.reporting_period, earlier.created_at, earlier.id limit 1
          ),
          program.credit_identification_number, ${identification_number}
        )
    from (
      select distinct on (loan_id) id from credit_reporting_records
      where status = 'queued' and reporting_period <= ${period}
      order by loan_id, reporting_period desc, created_at desc, id desc
    ) as newest
    join credit_reporting_records as waiting on waiting.id = newest.id
    join loans as loan on loan.id = waiting.loan_id
    left join programs as program on program.id = loan.program_id
    -- The status again, because a record may be withheld while this statement waits for its lock.
    where record.id = newest.id and record.status = 'queued' and not ${isBlockedRecord(sql.fragment`waiting.account_status`)}
  `);
  await tx.query(sql.typeAlias('void')`
    update credit_reporting_findings as finding set file_id = record.file_id
    from credit_reporting_records as record
    where record.file_id = ${fileId} and finding.record_id = record.id
  `);
  await tx.query(sql.typeAlias('void')`
    update credit_reporting_records
    set status = 'suppressed', suppression_reason = 'newer_record'
    where status = 'queued' and reporting_period <= ${period}
  `);
  return rowCount;
}

const PendingRecord = z.object({
  id: z.string(),
  loan_id: z.string(),
  consumer: z.record(z.string(), z.string().nullable()),
  co_consumers: z.array(z.record(z.string(), z.string().nullable())),
});

/** Waiting records up to the period whose names contain letters outside ASCII. */
export const queuedOutsideAscii = (tx: Transaction, period: string) =>
  tx.any(sql.type(PendingRecord)`
    select id, loan_id, consumer, co_consumers from credit_reporting_records
    where status = 'queued' and reporting_period <= ${period}
      and (consumer::text ~ '[^ -~]' or co_consumers::text ~ '[^ -~]')
    order by loan_id, id for update
  `);

export const suppressRecord = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update credit_reporting_records set status = 'suppressed', suppression_reason = ${reason}
    where id = ${id}
  `);

export const ReportedRecord = z.looseObject({
  borrower_id: z.string(),
  identification_number: z.string().nullable(),
  consumer_account_number: z.string(),
  account_status: z.string(),
  ecoa_code: z.string(),
  consumer: z.record(z.string(), z.string().nullable()),
  co_consumers: z.array(z.record(z.string(), z.string().nullable())),
});
export type ReportedRecord = z.output<typeof ReportedRecord>;

/** The record (alias `record`) that the bureaus received for an earlier month, or will receive. */
export const previousRecord = sql.fragment`(
  select * from credit_reporting_records as earlier
  where earlier.loan_id = record.loan_id and earlier.reporting_period < record.reporting_period
    and earlier.status in ('queued', 'reported')
  order by earlier.reporting_period desc, earlier.created_at desc, earlier.id desc limit 1
)`;

export const listFileRecords = (tx: Transaction, fileId: string) =>
  tx.any(sql.type(ReportedRecord)`
    select record.*, record.highest_credit::text, record.current_balance::text, loan.borrower_id
    from credit_reporting_records as record join loans as loan on loan.id = record.loan_id
    where record.file_id = ${fileId} order by record.consumer_account_number, record.id
  `);

const CreditFile = z.object({
  id: z.string(),
  reporting_period: z.string(),
  reporter: z.record(z.string(), z.string()),
  storage_key: z.string(),
  file_key_sealed: z.string(),
  filename: z.string(),
  status: z.string(),
  created_at: z.string(),
});
export type CreditFile = z.output<typeof CreditFile>;

export const readCreditFile = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(CreditFile)`
    select id, reporting_period, reporter, storage_key, file_key_sealed, filename, status, created_at
    from credit_reporting_files where id = ${id}
  `);

export const pendingCreditFileIds = (tx: Transaction) =>
  tx.anyFirst(
    sql.typeAlias('id')`select id from credit_reporting_files where status = 'pending' order by id`,
  );

export const countFiles = (tx: Transaction, period: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from credit_reporting_files
    where reporting_period = ${period}
  `);

type Correction = {
  id: string;
  account_status: string | null;
  /** Null keeps the code of the record. */
  compliance_condition_code: string | null;
  credit_dispute_id: string | null;
  status: string;
  changes: Record<string, unknown>;
};

/** Inserts a corrected copy of a record. The sent record stays unchanged. */
export const insertCorrection = (tx: Transaction, id: string, correction: Correction) =>
  tx.query(sql.typeAlias('void')`
    insert into credit_reporting_records
    select (jsonb_populate_record(record, ${JSON.stringify(correction.changes)}::jsonb || jsonb_build_object(
      'id', ${correction.id}::text, 'correction_indicator', 1, 'status', ${correction.status}::text,
      'file_id', null, 'reported_at', null, 'rejection_reason', null, 'suppression_reason', null,
      'account_status', coalesce(
        ${correction.account_status},
        ${JSON.stringify(correction.changes)}::jsonb ->> 'account_status', record.account_status
      ),
      'compliance_condition_code',
        coalesce(${correction.compliance_condition_code}::text, record.compliance_condition_code),
      'credit_dispute_id', ${correction.credit_dispute_id}::text,
      'created_at', now(), 'updated_at', now()
    ))).*
    from credit_reporting_records as record where record.id = ${id}
  `);
