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
           record.is_visible_to_borrower, record.opened_in_error, record.document_ids,
           (
             select facts from case_facts where case_id = record.id order by version desc limit 1
           ) as facts,
           (
             select reason from case_facts where case_id = record.id order by version desc limit 1
           ) as facts_reason,
           coalesce((
             select jsonb_agg(jsonb_build_object(
                 'condition', condition.condition, 'borrower_id', condition.borrower_id,
                 'loan_id', condition.loan_id, 'from_date', condition.from_date,
                 'until_date', condition.until_date
               ) order by condition.from_date, condition.condition, condition.borrower_id,
                 condition.loan_id nulls first)
             from legal_conditions as condition where condition.case_id = record.id
           ), '[]') as conditions,
           record.opened_at, record.first_response_at,
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
export const THREAD_MAX = 500;

/** The thread as staff see it, oldest first. */
export const listThread = (tx: Transaction, caseId: string) =>
  tx.any(sql.unsafe`
    select * from (
      select * from (${messages.rows}) as row where row.case_id = ${caseId}
      order by row.created_at desc, row.id desc limit ${THREAD_MAX}
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

const Numbered = z.object({ id: z.string(), case_number: z.string() });

/** Another case of this type of the borrower that is not over. */
export const findOpenCaseOfType = (
  tx: Transaction,
  borrowerId: string,
  type: string,
  except: string | null,
) =>
  tx.maybeOne(sql.type(Numbered)`
    select id, case_number from support_cases
    where case_type = ${type} and status not in ('resolved', 'closed') and id is distinct from ${except}::uuid
      and (borrower_id = ${borrowerId} or id in (
        select case_id from legal_conditions where borrower_id = ${borrowerId}
      ))
    order by created_at limit 1
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
