import { z } from 'zod';
import { sql, type Transaction } from '../../database/db.ts';

const SealedNumber = z.object({ borrower_id: z.string(), sealed: z.string() });

/** Everyone whom a record of the file names. */
const peopleOfFile = (fileId: string) => sql.fragment`
  select coalesce((record.consumer ->> 'borrower_id')::uuid, loan.borrower_id) as borrower_id
  from credit_reporting_records as record join loans as loan on loan.id = record.loan_id
  where record.file_id = ${fileId}
  union
  select (other ->> 'borrower_id')::uuid
  from credit_reporting_records as record
  cross join jsonb_array_elements(record.co_consumers) as other
  where record.file_id = ${fileId}
`;

/**
 * The social security number that may be reported for each person in the file, sealed. A verified number
 * goes first, then the newest one. Numbers that failed their verification, and numbers that differ from the
 * last four digits on the borrower's record, are left out: a wrong number merges two people's files.
 */
export const listSealedNumbers = (tx: Transaction, fileId: string) =>
  tx.any(sql.type(SealedNumber)`
    select distinct on (identity.borrower_id) identity.borrower_id,
           identity.identifier_sealed as sealed
    from (${peopleOfFile(fileId)}) as person
    join borrowers as borrower on borrower.id = person.borrower_id
    join borrower_identities as identity on identity.borrower_id = borrower.id
    where ${isReportable} and identity.identifier_last_four
      = coalesce(borrower.ssn_last_four, identity.identifier_last_four)
    order by identity.borrower_id, identity.verification_status = 'verified' desc,
             identity.created_at desc, identity.id desc
  `);

/** An ITIN must not be reported as a social security number (Credit Reporting Resource Guide, field 34). */
const isReportable = sql.fragment`
  identity.identity_type = 'ssn' and identity.identifier_sealed is not null
  and not identity.is_archived and identity.verification_status <> 'failed'
`;

/** Opens a task for each person in the file whose full numbers all differ from the last four digits. */
export const openTasksForDifferingNumbers = (
  tx: Transaction,
  fileId: string,
  { title, due_date }: { title: string; due_date: string },
) =>
  tx.query(sql.typeAlias('void')`
    insert into tasks (borrower_id, title, task_type, due_date, related_type, related_id, source)
    select borrower.id, ${title}, 'review', ${due_date}, 'borrower', borrower.id, 'system'
    from (${peopleOfFile(fileId)}) as person
    join borrowers as borrower on borrower.id = person.borrower_id
    join borrower_identities as identity on identity.borrower_id = borrower.id
    where ${isReportable}
    group by borrower.id
    having bool_and(identity.identifier_last_four <> borrower.ssn_last_four)
      and not exists (
        select from tasks
        where related_id = borrower.id and title = ${title} and status in ('open', 'in_progress')
      )
  `);
