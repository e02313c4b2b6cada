import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';
import { previousRecord, ReportedRecord } from './credit-reporting.ts';

export const creditReportingFindings = table({
  name: 'credit_reporting_findings',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.record_id, record.loan_id, record.reporting_period, record.rule,
           record.problem, record.fields, record.may_be_right, record.status, record.notes,
           record.decided_by, record.decided_at, record.file_id, record.created_at, record.updated_at
    from credit_reporting_findings as record
  `,
});

const Comparison = z.object({
  id: z.string(),
  loan_id: z.string(),
  record: ReportedRecord,
  previous: ReportedRecord.nullable(),
});

/**
 * The waiting records of a month for a slice of loans, each with the record that the bureaus received before
 * it.
 */
export const listComparisons = (
  tx: Transaction,
  period: string,
  { after, last }: { after: string; last: string },
) =>
  tx.any(sql.type(Comparison)`
    select record.id, record.loan_id,
           to_jsonb(record) || jsonb_build_object('borrower_id', loan.borrower_id) as record,
           to_jsonb(previous) || jsonb_build_object('borrower_id', loan.borrower_id) as previous
    from credit_reporting_records as record
    join loans as loan on loan.id = record.loan_id
    left join lateral ${previousRecord} as previous on true
    where record.loan_id > ${after} and record.loan_id <= ${last}
      and record.reporting_period = ${period} and record.status = 'queued'
      and record.correction_indicator = 0
    order by record.loan_id
  `);

export type NewFinding = {
  record_id: string;
  loan_id: string;
  reporting_period: string;
  rule: string;
  problem: string;
  fields: readonly string[];
  may_be_right: string | null;
};

/** Safe to repeat: a record has one finding per rule. */
export const insertFindings = (tx: Transaction, findings: readonly NewFinding[]) =>
  tx.query(sql.typeAlias('void')`
    insert into credit_reporting_findings (
      record_id, loan_id, reporting_period, rule, problem, fields, may_be_right
    )
    select record_id, loan_id, reporting_period, rule, problem, fields, may_be_right
    from jsonb_populate_recordset(
      null::credit_reporting_findings, ${JSON.stringify(findings)}::jsonb
    )
    on conflict do nothing
  `);

type TaskText = { period: string; due_date: string; title: string; record_id?: string };

/** Everyone reads tasks, so they do not name rules that are only about bankruptcies and deaths. */
const TELLS_OF_PEOPLE = 'Bankruptcy|ECOA';

/**
 * Opens one task per rule with open findings in the month, or of one record, unless there is one already. `%s` in the
 * title stands for the number of records, the rule and the month.
 */
export const openFindingTasks = (
  tx: Transaction,
  { period, due_date, title, record_id }: TaskText,
) =>
  tx.query(sql.typeAlias('void')`
    insert into tasks (title, description, task_type, due_date, priority, source, related_type, related_id)
    select format(${title}, found.records, case when found.tells then 'about people' else found.rule end, ${period}::date),
           case when not found.tells then found.problem end, 'review',
           ${due_date}, case when found.may_be_right is null then 'high' else 'low' end, 'system',
           'credit_reporting_finding', found.first_id
    from (
      select rule, count(*) as records, min(problem) as problem, min(may_be_right) as may_be_right,
             (array_agg(id order by id))[1] as first_id, rule ~ ${TELLS_OF_PEOPLE} as tells
      from credit_reporting_findings
      where reporting_period = ${period} and status = 'open'
        and record_id = coalesce(${record_id ?? null}, record_id)
      group by rule
    ) as found
    where not exists (select from tasks where related_id = found.first_id)
    order by found.rule
  `);

const Checked = z.object({ record_id: z.string(), record_status: z.string(), status: z.string() });

/** Locks the record of a locked finding. */
export const lockCheckedRecord = (tx: Transaction, id: string) =>
  tx.one(sql.type(Checked)`
    select record.id as record_id, record.status as record_status, finding.status
    from credit_reporting_findings as finding
    join credit_reporting_records as record on record.id = finding.record_id
    where finding.id = ${id}
    for update of record
  `);

type Decision = {
  status: 'accepted' | 'withheld';
  notes: string | null;
  decided_by: string | null;
};

export const decideFinding = (
  tx: Transaction,
  id: string,
  { status, notes, decided_by }: Decision,
) =>
  tx.query(sql.typeAlias('void')`
    update credit_reporting_findings
    set status = ${status}, notes = ${notes}, decided_by = ${decided_by}, decided_at = now()
    where id = ${id}
  `);

/** Marks all findings of a record that is withheld. */
export const withholdFindings = (
  tx: Transaction,
  recordId: string,
  { notes, decided_by }: Omit<Decision, 'status'>,
) =>
  tx.query(sql.typeAlias('void')`
    update credit_reporting_findings
    set status = 'withheld', notes = ${notes}, decided_by = ${decided_by}, decided_at = now()
    where record_id = ${recordId} and status <> 'withheld'
  `);
