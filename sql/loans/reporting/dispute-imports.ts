import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';
import { reportedNumber } from './reported-number.ts';

export const disputeImports = table({
  name: 'credit_dispute_imports',
  owner: null,
  rows: sql.fragment`
    select record.id, record.bureau, record.received_date, record.sha256_hash, record.line_count,
           record.recorded_count, record.unmatched_count, record.created_by, record.created_at,
           record.updated_at
    from credit_dispute_imports as record
  `,
});

export const disputeImportLines = table({
  name: 'credit_dispute_import_lines',
  owner: null,
  rows: sql.fragment`
    select record.id, record.import_id, record.line, record.control_number, record.subscriber_code,
           record.consumer_account_number, record.response_due_date, record.status,
           record.credit_dispute_id, record.loan_id, record.created_at, record.updated_at
    from credit_dispute_import_lines as record
  `,
});

export const IMPORT_LINE_STATUSES = [
  'recorded',
  'already_recorded',
  'unknown_account',
  'unknown_subscriber',
  'ambiguous_account',
] as const;
export type ImportLineStatus = (typeof IMPORT_LINE_STATUSES)[number];

/** Serializes the exchange of disputes within a tenant, so that two uploads cannot both record a request. */
export const lockDisputeExchange = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    select pg_advisory_xact_lock(hashtextextended('acdv ' || app.current_tenant(), 0))
  `);

export const findImport = (tx: Transaction, bureau: string, hash: string) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    select id from credit_dispute_imports where bureau = ${bureau} and sha256_hash = ${hash}
  `);

const Known = z.object({ control_number: z.string(), id: z.string(), loan_id: z.string() });

/** The disputes that are recorded under these control numbers of the bureau. */
export const findByControlNumbers = (
  tx: Transaction,
  bureau: string,
  controlNumbers: readonly string[],
) =>
  tx.any(sql.type(Known)`
    select acdv_control_number as control_number, id, loan_id from credit_disputes
    where bureau = ${bureau}
      and acdv_control_number = any(${sql.array([...controlNumbers], 'text')})
  `);

const Matched = z.object({
  account_number: z.string(),
  loan_id: z.string(),
  loan_number: z.string(),
});

/** The loans that are reported under these account numbers, in the form of the file. */
export const findByReportedNumbers = (tx: Transaction, accountNumbers: readonly string[]) =>
  tx.any(sql.type(Matched)`
    with reported as materialized (
      select ${reportedNumber} as account_number, id as loan_id, loan_number from loans
    )
    select account_number, loan_id, loan_number from reported
    where account_number = any(${sql.array([...accountNumbers], 'text')})
    order by loan_id
  `);

const Count = z.object({ loan_id: z.string(), count: z.int() });

/** How many disputes each of these loans has. Loans without a dispute are left out. */
export const countDisputesOf = (tx: Transaction, loanIds: readonly string[]) =>
  tx.any(sql.type(Count)`
    select loan_id, count(*)::integer as count from credit_disputes
    where loan_id = any(${sql.array([...loanIds], 'uuid')}) group by loan_id
  `);

type Line = {
  line: number;
  control_number: string;
  subscriber_code: string;
  consumer_account_number: string;
  response_due_date: string;
  status: ImportLineStatus;
  credit_dispute_id: string | null;
  loan_id: string | null;
};

/**
 * Writes what became of each line. When the same file is uploaded again, replaces the outcome of lines that
 * matched no loan before.
 */
export const writeImportLines = (tx: Transaction, importId: string, lines: readonly Line[]) =>
  tx.query(sql.typeAlias('void')`
    insert into credit_dispute_import_lines as known (
      import_id, line, control_number, subscriber_code, consumer_account_number,
      response_due_date, status, credit_dispute_id, loan_id
    )
    select ${importId}, line, control_number, subscriber_code, consumer_account_number,
           response_due_date, status, credit_dispute_id, loan_id
    from jsonb_populate_recordset(
      null::credit_dispute_import_lines, ${JSON.stringify(lines)}::jsonb
    )
    on conflict (tenant_id, import_id, line) do update
    set status = excluded.status, credit_dispute_id = excluded.credit_dispute_id,
        loan_id = excluded.loan_id
    where known.credit_dispute_id is null
  `);

/** Counts the lines of an import by what became of them. */
export const countImportLines = (tx: Transaction, importId: string) =>
  tx.query(sql.typeAlias('void')`
    update credit_dispute_imports as import
    set recorded_count = counted.recorded, unmatched_count = counted.unmatched
    from (
      select count(*) filter (where credit_dispute_id is not null)::integer as recorded,
             count(*) filter (where credit_dispute_id is null)::integer as unmatched
      from credit_dispute_import_lines where import_id = ${importId}
    ) as counted
    where import.id = ${importId}
  `);

const Unmatched = z.object({ count: z.int(), due_date: z.string().nullable() });

export const readUnmatched = (tx: Transaction, importId: string) =>
  tx.one(sql.type(Unmatched)`
    select count(*)::integer as count, min(response_due_date) as due_date
    from credit_dispute_import_lines
    where import_id = ${importId} and credit_dispute_id is null
  `);
