import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const changeNotices = table({
  name: 'change_notices',
  rows: sql.fragment`
    select record.id, record.nacha_entry_id, record.payment_instrument_id, record.borrower_id,
           record.loan_id, record.code, record.trace_number, record.received_on, record.due_date,
           record.corrected_routing_number, record.corrected_account_number_last_four,
           record.corrected_account_type, record.status, record.decided_at, record.decided_by,
           record.created_at, record.updated_at
    from change_notices as record
  `,
});

/** Whether a notice of the bank with this trace number was recorded before. */
export const isNoticeRecorded = (
  tx: Transaction,
  entryId: string,
  code: string,
  traceNumber: string,
) =>
  tx.exists(sql.typeAlias('void')`
    select from change_notices
    where nacha_entry_id = ${entryId} and code = ${code} and trace_number = ${traceNumber}
  `);

const ChangeNotice = z.object({
  id: z.string(),
  status: z.string(),
  code: z.string(),
  payment_instrument_id: z.string(),
  corrected_routing_number: z.string().nullable(),
  corrected_account_number_sealed: z.string().nullable(),
  corrected_account_type: z.string().nullable(),
  sent_routing_number: z.string(),
  sent_account_number_sealed: z.string(),
  sent_transaction_code: z.string(),
});
export type ChangeNotice = z.output<typeof ChangeNotice>;

/** The notice, locked, with the account details that were sent. */
export const lockChangeNotice = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(ChangeNotice)`
    select notice.id, notice.status, notice.code, notice.payment_instrument_id,
           notice.corrected_routing_number, notice.corrected_account_number_sealed,
           notice.corrected_account_type, entry.routing_number as sent_routing_number,
           entry.account_number_sealed as sent_account_number_sealed,
           entry.transaction_code as sent_transaction_code
    from change_notices as notice join nacha_entries as entry on entry.id = notice.nacha_entry_id
    where notice.id = ${id} for update of notice
  `);

const Account = z.object({
  routing_number: z.string().nullable(),
  account_number_sealed: z.string().nullable(),
  account_type: z.string().nullable(),
});

export const currentAccount = (tx: Transaction, instrumentId: string) =>
  tx.one(sql.type(Account)`
    select routing_number, account_number_sealed, account_type
    from payment_instruments where id = ${instrumentId}
  `);

export const completeTasks = (tx: Transaction, noticeId: string, userId: string | null) =>
  tx.query(sql.typeAlias('void')`
    update tasks set status = 'completed', completed_at = now(), completed_by = ${userId}::uuid
    where related_id = ${noticeId} and related_type = 'change_notice'
      and status in ('open', 'in_progress')
  `);
