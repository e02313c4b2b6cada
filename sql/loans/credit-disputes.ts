import { z } from 'zod';
import { sql, deferred, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';

/** An open dispute after its deadline is shown as overdue. That status is not stored. */
export const creditDisputes = table({
  name: 'credit_disputes',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, record.dispute_number, record.dispute_source, record.bureau,
           record.acdv_control_number, record.received_date, record.due_date, record.is_extended,
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
           record.is_frivolous, record.frivolous_notice_sent_at, record.created_at,
           record.updated_at
    from credit_disputes as record
  `,
  search: (words) => sql.fragment`row.dispute_number ilike ${containsPattern(words)}`,
});

const Dispute = z.object({
  id: z.string(),
  loan_id: z.string(),
  status: z.string(),
  received_date: z.string(),
  is_extended: z.boolean(),
  response_code: z.string().nullable(),
  corrected_values: z.record(z.string(), z.unknown()),
});

export const lockDispute = (tx: Transaction, id: string) =>
  tx.one(sql.type(Dispute)`
    select id, loan_id, status, received_date, is_extended, response_code, corrected_values
    from credit_disputes where id = ${id} for update
  `);

export const countDisputes = (tx: Transaction, loanId: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from credit_disputes where loan_id = ${loanId}
  `);

const isOpenFor = (today: string, days: readonly number[]) => sql.fragment`
  dispute.status in ('received', 'investigating')
  and ${today}::date - dispute.received_date = any(${sql.array([...days], 'int4')})
`;

/** Disputes that, on this day, have been open for one of these numbers of days. */
export const disputesOpenForDays = (today: string, days: readonly number[]) =>
  sql.fragment`select from credit_disputes as dispute where ${isOpenFor(today, days)}`;

/** Creates tasks for disputes that approach their deadline. */
export const createDeadlineTasks = (tx: Transaction, today: string, days: readonly number[]) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    insert into tasks (borrower_id, loan_id, title, task_type, assignee_id, due_date, priority,
                       source, related_type, related_id)
    select loan.borrower_id, loan.id,
           format('Answer dispute %s by %s', dispute.dispute_number, dispute.due_date),
           'compliance', dispute.assigned_to, dispute.due_date,
           case when ${today}::date - dispute.received_date >= ${Math.max(...days)}::integer then 'urgent' else 'high' end, 'system', 'credit_dispute',
           dispute.id
    from credit_disputes as dispute
    join loans as loan on loan.id = dispute.loan_id
    where ${isOpenFor(today, days)}
  `),
  );
