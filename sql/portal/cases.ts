import { z } from 'zod';
import { THREAD_MAX } from '../cases/cases.ts';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

/** The borrower's visible cases, without the description that staff wrote. */
export const casesOfBorrower = (borrowerId: string) =>
  table({
    name: 'support_cases',
    rows: sql.fragment`
      select record.id, record.borrower_id, record.case_number, record.loan_id, record.subject,
             (
               select application.application_number from hardship_applications as application
               where application.case_id = record.id limit 1
             ) as application_number,
             case when record.source = 'portal' then record.description end as description,
             record.case_type, record.status, record.resolution, record.opened_at,
             record.resolved_at, record.closed_at, record.last_message_at, record.created_at,
             record.updated_at
      from support_cases as record
      where record.borrower_id = ${borrowerId} and record.is_visible_to_borrower
    `,
  });

/** The thread as the borrower sees it: without internal notes, and with the authors' public names. */
export const listVisibleThread = (tx: Transaction, caseId: string) =>
  tx.any(sql.unsafe`
    select * from (
      select id, author_type, shown_name as author_name, message, attachments, created_at
      from support_case_messages
      where case_id = ${caseId} and not is_internal
      order by created_at desc, id desc limit ${THREAD_MAX}
    ) as newest
    order by created_at, id
  `);

/** How many open cases the borrower has opened in the portal. */
export const countOpenCases = (tx: Transaction, borrowerId: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from support_cases
    where borrower_id = ${borrowerId} and source = 'portal'
      and status not in ('resolved', 'closed')
  `);
