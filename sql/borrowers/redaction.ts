import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { isOpenRequest } from '../users/approval-subjects.ts';

const RedactionFactsRow = z.object({
  is_on_legal_hold: z.boolean(),
  legal_hold_reason: z.string().nullable(),
  is_redacted: z.boolean(),
  last_name: z.string(),
  loan_numbers: z.array(z.string()),
  /** Loans that are open or hold the borrower's money. */
  open_loan_ids: z.array(z.string()),
  /** Loans that the borrower owes, or owed, together with a person who is not redacted. */
  shared_loan_ids: z.array(z.string()),
  /** The borrower's loans that a person on legal hold also owes, or owed. */
  held_loan_ids: z.array(z.string()),
  /** The day of the last activity on a loan, or of the borrower's creation. */
  last_day: z.string(),
  is_staff: z.boolean(),
  /** Other requests about the borrower that wait for an approval. */
  waiting_approval_ids: z.array(z.string()),
});

/** A loan that is open or holds its borrower's money. */
export const isOpenOrHoldsMoney = sql.fragment`
  (loan.status in ('pending', 'approved', 'active') or loan.charge_off_balance > 0 or loan.suspense_balance > 0)
`;

export const redactionFacts = (tx: Transaction, id: string) =>
  tx.one(sql.type(RedactionFactsRow)`
    select record.is_on_legal_hold, record.legal_hold_reason,
           record.redacted_at is not null as is_redacted, record.last_name,
           array(select loan_number from loans where borrower_id = record.id) as loan_numbers,
           array(
             select loan.id::text from loans as loan
             where loan.borrower_id = record.id
               and ${isOpenOrHoldsMoney}
             order by loan.id limit 100
           ) as open_loan_ids,
           array(
             select distinct loan.id::text from co_borrowers as party
             join loans as loan on loan.id = party.loan_id
             join borrowers as person on person.id = loan.borrower_id
             where party.borrower_id = record.id and person.redacted_at is null
             order by 1 limit 100
           ) as shared_loan_ids,
           array(
             select distinct loan.id::text from loans as loan
             join co_borrowers as party on party.loan_id = loan.id
             join borrowers as person on person.id = party.borrower_id
             where loan.borrower_id = record.id and person.is_on_legal_hold
             order by 1 limit 100
           ) as held_loan_ids,
           (
             select max(day) from (
               select record.created_at::date
               union all
               select loan.created_at::date from loans as loan where loan.borrower_id = record.id
               union all
               select greatest(event.effective_date, event.recorded_on)
               from loan_events as event
               join loans as loan on loan.id = event.loan_id
               where loan.borrower_id = record.id
             ) as happened (day)
           ) as last_day,
           exists (
             select from users as account
             where account.borrower_id = record.id and account.tenant_role is not null
           ) as is_staff,
           array(
             select waiting.id::text from (
               select record.* from approvals as record
               where ${isOpenRequest} and record.kind <> 'redactions'
             ) as waiting
             where exists (
                 select from jsonb_each(ids) as known
                 where known.value ?| array[waiting.params ->> 'id',
                   waiting.body ->> 'borrower_id', waiting.body ->> 'loan_id']
               )
             order by waiting.id limit 100
           ) as waiting_approval_ids
    from borrowers as record cross join app.borrower_ids(record.id) as ids
    where record.id = ${id}
  `);

/** Removes the borrower's personal data. app.borrower_columns defines what happens to each column. */
export const redact = (tx: Transaction, id: string, by: string) =>
  tx.query(sql.typeAlias('void')`select app.redact_borrower(${id}, ${by})`);
