import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';

export const cases = table({
  name: 'support_cases',
  owner: 'borrowers',
  rows: sql.fragment`
    select record.id, record.case_number, record.borrower_id,
           borrower.first_name || ' ' || borrower.last_name as borrower_name, record.loan_id,
           record.subject, record.description, record.case_type, record.status, record.priority,
           record.source, record.assigned_to, record.resolution, record.awaits_answer,
           record.is_visible_to_borrower, record.opened_at, record.first_response_at,
           record.resolved_at, record.closed_at, record.last_message_at, record.created_at,
           record.updated_at
    from support_cases as record
    join borrowers as borrower on borrower.id = record.borrower_id
  `,
  search: (words) => sql.fragment`
    row.case_number ilike ${containsPattern(words)} or row.subject ilike ${containsPattern(words)}
    or row.borrower_name ilike ${containsPattern(words)}
  `,
});

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

export const messages = table({
  name: 'support_case_messages',
  rows: sql.fragment`
    select record.id, record.case_id, own.borrower_id, own.loan_id, record.author_type,
           record.author_id, record.author_name, record.message, record.is_internal,
           record.attachments, record.created_at
    from support_case_messages as record
    join support_cases as own on own.id = record.case_id
  `,
});

/** Maximum number of messages shown. Longer threads show the newest. */
const THREAD_MAX = 500;

/** The thread as staff see it, oldest first. */
export const listThread = (tx: Transaction, caseId: string) =>
  tx.any(sql.unsafe`
    select * from (
      select * from (${messages.rows}) as row where row.case_id = ${caseId}
      order by row.created_at desc, row.id desc limit ${THREAD_MAX}
    ) as newest
    order by created_at, id
  `);

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

/** The next case number of the year, such as C-2026-000001. A failed creation may leave a gap. */
export async function nextCaseNumber(tx: Transaction, year: string): Promise<string> {
  const number = await tx.oneFirst(sql.type(z.object({ last_number: z.string() }))`
    insert into case_number_sequences (year, last_number) values (${year}::integer, 1)
    on conflict (tenant_id, year)
      do update set last_number = case_number_sequences.last_number + 1
    returning last_number
  `);
  return `${year}-${number.padStart(6, '0')}`;
}

/** How many open cases the borrower has opened in the portal. */
export const countOpenCases = (tx: Transaction, borrowerId: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer as count from support_cases
    where borrower_id = ${borrowerId} and source = 'portal'
      and status not in ('resolved', 'closed')
  `);

export const isReportedToBureaus = (tx: Transaction, loanId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from credit_reporting_records where loan_id = ${loanId} and status = 'reported'
  `);

/** Whether a case may be assigned to the user: an active member of staff who works on cases. */
export const canWorkOnCases = (tx: Transaction, userId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from users where id = ${userId} and is_active and tenant_role <> 'viewer'
  `);

const Person = z.object({ first_name: z.string(), last_name: z.string() });

export const findUserName = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Person)`select first_name, last_name from users where id = ${id}`);

export const completeReminders = (tx: Transaction, caseId: string, by: string | null) =>
  tx.query(sql.typeAlias('void')`
    update tasks
    set status = 'completed', completed_at = now(), completed_by = ${by}
    where related_id = ${caseId} and related_type = 'support_case' and task_type = 'review'
      and source = 'system' and status in ('open', 'in_progress')
  `);
