import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';

export const NOTICE_KINDS = ['denial', 'counteroffer', 'incomplete_application'] as const;
export type NoticeKind = (typeof NOTICE_KINDS)[number];

export const adverseActionNotices = table({
  name: 'adverse_action_notices',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, record.borrower_id, record.kind, record.status,
           record.reasons, record.other_reasons, record.has_right_to_reasons, record.counteroffer,
           record.information_needed, record.respond_by, record.decided_on, record.notify_by,
           record.sent_on, record.document_id, record.reasons_requested_on, record.reasons_due_on,
           record.reasons_stated_on, record.statement_document_id, record.created_by,
           record.created_at, record.updated_at
    from adverse_action_notices as record
  `,
});

const Notice = z.object({
  id: z.string(),
  borrower_id: z.string(),
  kind: z.enum(NOTICE_KINDS),
  status: z.enum(['draft', 'sent']),
  reasons: z.array(z.string()),
  other_reasons: z.array(z.string()),
  has_right_to_reasons: z.boolean(),
  counteroffer: z.string().nullable(),
  information_needed: z.array(z.string()),
  respond_by: z.string().nullable(),
  credit_report: z.record(z.string(), z.unknown()).nullable(),
  decided_on: z.string(),
  notify_by: z.string(),
  sent_on: z.string().nullable(),
  reasons_requested_on: z.string().nullable(),
  reasons_due_on: z.string().nullable(),
  reasons_stated_on: z.string().nullable(),
});
export type Notice = z.output<typeof Notice>;

/** Locks the notice. The caller has locked its loan. */
export const lockNotice = (tx: Transaction, id: string) =>
  tx.one(sql.type(Notice)`
    select id, borrower_id, kind, status, reasons, other_reasons, has_right_to_reasons,
           counteroffer, information_needed, respond_by, credit_report, decided_on, notify_by,
           sent_on, reasons_requested_on, reasons_due_on, reasons_stated_on
    from adverse_action_notices where id = ${id} for update
  `);

export const findLoanOfNotice = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(sql.type(z.object({ loan_id: z.string() }))`
    select loan_id from adverse_action_notices where id = ${id}
  `);

export const hasDenialNotice = (tx: Transaction, loanId: string, borrowerId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from adverse_action_notices
    where loan_id = ${loanId} and borrower_id = ${borrowerId} and kind = 'denial'
  `);

/** Completes the open tasks about sending the notice or stating its reasons. */
export const completeNoticeTasks = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update tasks set status = 'completed', completed_at = now()
    where related_type = 'adverse_action_notice' and related_id = ${id}
      and source = 'system' and status in ('open', 'in_progress')
  `);
