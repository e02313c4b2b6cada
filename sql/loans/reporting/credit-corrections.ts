import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';
import { containsPattern, table } from '../../table.ts';
import { isBlockedToday } from './credit-blocks.ts';
import { consumerJson, contactJoins } from './consumers.ts';
import { previousRecord, ReportedRecord } from './credit-reporting.ts';

export const creditCorrections = table({
  name: 'credit_corrections',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, record.correction_number, record.action, record.reason,
           record.requested_by, corrected.reporting_period, corrected.bureaus, record.record_id,
           record.corrected_record_id, record.before, record.after,
           case
             when record.submitted_at is not null then 'submitted'
             when corrected.file_id is not null then 'in_file'
             when corrected.suppression_reason = 'withheld' then 'withheld'
             when corrected.status = 'suppressed' then 'superseded'
             else 'waiting'
           end as status,
           corrected.file_id, record.aud_control_number, record.submitted_at, record.submitted_by,
           record.created_at, record.updated_at
    from credit_corrections as record
    join credit_reporting_records as corrected on corrected.id = record.corrected_record_id
  `,
  search: (words) => sql.fragment`row.correction_number ilike ${containsPattern(words)}`,
});

const Correctable = ReportedRecord.extend({
  id: z.string(),
  loan_id: z.string(),
  reporting_period: z.string(),
  date_opened: z.string(),
  is_blocked: z.boolean(),
  was_reported: z.boolean(),
  /** The record that the bureaus received for an earlier month. */
  previous: ReportedRecord.nullable(),
});
export type Correctable = z.output<typeof Correctable>;

/** The newest record of the loan, and whether any of its records was sent. */
export const readCorrectable = (tx: Transaction, loanId: string) =>
  tx.maybeOne(sql.type(Correctable)`
    select record.*, record.credit_limit::integer, record.highest_credit::integer,
           record.original_charge_off_amount::integer, record.scheduled_monthly_payment::integer,
           record.actual_payment_amount::integer, record.current_balance::integer,
           record.amount_past_due::integer, loan.borrower_id,
           to_jsonb(previous) || jsonb_build_object('borrower_id', loan.borrower_id) as previous,
           ${isBlockedToday} as is_blocked,
           exists (
             select from credit_reporting_records
             where loan_id = ${loanId} and status = 'reported'
           ) as was_reported
    from credit_reporting_records as record join loans as loan on loan.id = record.loan_id
    left join lateral ${previousRecord} as previous on true
    where record.loan_id = ${loanId}
    order by record.reporting_period desc, record.created_at desc, record.id desc limit 1
  `);

export const countCorrections = (tx: Transaction, loanId: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from credit_corrections where loan_id = ${loanId}
  `);

/** The bureaus have the corrected record through their portal, so no file needs to contain it. */
export const markSubmitted = (tx: Transaction, recordId: string) =>
  tx.query(sql.typeAlias('void')`
    update credit_reporting_records set status = 'reported', reported_at = now()
    where id = ${recordId} and status = 'queued'
  `);

const Form = z.object({
  correction_number: z.string(),
  action: z.string(),
  reason: z.string(),
  requested_on: z.string(),
  requested_by: z.string().nullable(),
  reporting_period: z.string(),
  bureaus: z.array(z.string()),
  consumer_account_number: z.string(),
  identification_number: z.string().nullable(),
  portfolio_type: z.string(),
  account_type: z.string(),
  consumer: z.record(z.string(), z.string().nullable()),
  ssn_last_four: z.string().nullable(),
  before: z.record(z.string(), z.unknown()),
  after: z.record(z.string(), z.unknown()),
});

/** What the portal of the bureaus asks for. The consumer's data are as of today. */
export const readForm = (tx: Transaction, id: string) =>
  tx.one(sql.type(Form)`
    select correction.correction_number, correction.action, correction.reason,
           correction.created_at::date as requested_on,
           requester.first_name || ' ' || requester.last_name as requested_by,
           record.reporting_period, record.bureaus,
           record.consumer_account_number, record.identification_number,
           record.portfolio_type, record.account_type, ${consumerJson} as consumer,
           borrower.ssn_last_four, to_jsonb(record) as before, to_jsonb(corrected) as after
    from credit_corrections as correction
    join credit_reporting_records as record on record.id = correction.record_id
    join credit_reporting_records as corrected on corrected.id = correction.corrected_record_id
    join loans as loan on loan.id = correction.loan_id
    join borrowers as borrower
      on borrower.id = coalesce((corrected.consumer ->> 'borrower_id')::uuid, loan.borrower_id)
    left join users as requester on requester.id = correction.requested_by
    ${contactJoins}
    where correction.id = ${id}
  `);
