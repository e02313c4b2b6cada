import { z } from 'zod';
import { sql, deferred, type Transaction } from '../../database/db.ts';
import { containsPattern, table } from '../../table.ts';

/** An open dispute after its deadline is shown as overdue. That status is not stored. */
export const creditDisputes = table({
  name: 'credit_disputes',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, record.dispute_number, record.dispute_source, record.bureau,
           record.acdv_control_number, record.subscriber_code, record.received_date,
           record.bureau_received_date, record.response_due_date, record.due_date,
           record.is_extended,
           record.dispute_codes, record.fcra_relevant_information, record.disputed_fields,
           record.consumer_statement, record.document_ids, record.assigned_to,
           record.investigation_notes, record.findings, record.response_code,
           record.corrected_values, record.compliance_condition_code,
           case
             when record.status in ('received', 'investigating')
               and record.due_date < app.business_date() then 'overdue'
             else record.status
           end as status,
           record.responded_at, record.resolved_at, record.resolution_letter_document_id,
           record.is_frivolous, record.frivolous_notice_sent_at, record.import_id,
           record.answer_file_id, record.created_at,
           record.updated_at
    from credit_disputes as record
  `,
  search: (words) => sql.fragment`row.dispute_number ilike ${containsPattern(words)}`,
});

const Dispute = z.object({
  id: z.string(),
  loan_id: z.string(),
  dispute_source: z.string(),
  status: z.string(),
  received_date: z.string(),
  bureau_received_date: z.string().nullable(),
  response_due_date: z.string().nullable(),
  is_extended: z.boolean(),
  response_code: z.string().nullable(),
  corrected_values: z.record(z.string(), z.unknown()),
});

export const lockDispute = (tx: Transaction, id: string) =>
  tx.one(sql.type(Dispute)`
    select id, loan_id, dispute_source, status, received_date, bureau_received_date,
           response_due_date, is_extended, response_code, corrected_values
    from credit_disputes where id = ${id} for update
  `);

export const countDisputes = (tx: Transaction, loanId: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from credit_disputes where loan_id = ${loanId}
  `);

/** An imported request is answered when its answer is in a file for the bureau. */
const isUnanswered = sql.fragment`(
  dispute.status in ('received', 'investigating')
  or dispute.import_id is not null and dispute.answer_file_id is null
    and dispute.response_code is not null and dispute.status in ('responded', 'closed')
)`;

/** `before`: how many days before its deadline an unanswered dispute gets a task, and an urgent one. */
export type Warnings = { days: number; urgent: number };

const deadlineTitle = sql.fragment`format(
  case when dispute.status in ('received', 'investigating')
    then 'Answer dispute %s by %s' else 'Send the answer to dispute %s by %s' end,
  dispute.dispute_number, dispute.due_date
)`;

const needsTask = (today: string, { days, urgent }: Warnings) => sql.fragment`
  ${isUnanswered} and dispute.due_date <= ${today}::date + ${days}::integer
  and not exists (
    select from tasks
    where tasks.related_id = dispute.id and tasks.title = ${deadlineTitle}
      and (dispute.due_date > ${today}::date + ${urgent}::integer or tasks.priority = 'urgent')
  )
`;

/** Unanswered disputes whose deadline is near and that have no task of that urgency. */
export const disputesNearDeadline = (today: string, before: Warnings) =>
  sql.fragment`select from credit_disputes as dispute where ${needsTask(today, before)}`;

/** Creates tasks for unanswered disputes that approach their deadline. Safe to repeat. */
export const createDeadlineTasks = (tx: Transaction, today: string, before: Warnings) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    insert into tasks (borrower_id, loan_id, title, task_type, assignee_id, due_date, priority,
                       source, related_type, related_id)
    select loan.borrower_id, loan.id,
           ${deadlineTitle}, 'compliance', dispute.assigned_to, dispute.due_date,
           case when dispute.due_date <= ${today}::date + ${before.urgent}::integer
             then 'urgent' else 'high' end,
           'system', 'credit_dispute', dispute.id
    from credit_disputes as dispute
    join loans as loan on loan.id = dispute.loan_id
    where ${needsTask(today, before)}
  `),
  );

/** Cancels the open deadline tasks of a dispute that is answered, frivolous or withdrawn. */
export const cancelDeadlineTasks = (tx: Transaction, disputeId: string) =>
  tx.query(sql.typeAlias('void')`
    update tasks set status = 'canceled'
    where related_id = ${disputeId} and task_type = 'compliance' and source = 'system'
      and status in ('open', 'in_progress')
  `);

/** Cancels the open tasks of the disputes whose answers are in the file. */
export const cancelTasksOfAnswers = (tx: Transaction, fileId: string) =>
  tx.query(sql.typeAlias('void')`
    update tasks set status = 'canceled'
    from credit_disputes as dispute
    where dispute.answer_file_id = ${fileId} and tasks.related_id = dispute.id
      and tasks.task_type = 'compliance' and tasks.source = 'system'
      and tasks.status in ('open', 'in_progress')
  `);
