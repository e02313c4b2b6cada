import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { LIABLE_ROLES, liableParties } from './co-borrowers.ts';

/**
 * The legal conditions of the people who owe a loan, past and future ones included: one row per loan, person, case and
 * condition. A petition of one person also protects the others (`codebtor_stay`): its rows name those others. Filter by
 * `loan_id` or `borrower_id`.
 */
export const conditionsOfLoans = sql.fragment`(
  select party.loan_id, party.borrower_id, party.role, condition.case_id, condition.condition,
         condition.from_date, condition.until_date
  from ${liableParties} as party
  join legal_conditions as condition on condition.borrower_id = party.borrower_id
    and condition.condition <> 'codebtor_stay'
  join loans as loan on loan.id = party.loan_id
  where coalesce(condition.loan_id, party.loan_id) = party.loan_id
    and party.loan_id <> all(condition.except_loan_ids)
    and (condition.incurred_through is null
      or coalesce(loan.origination_date, loan.disbursement_date) <= condition.incurred_through)
  union all
  select party.loan_id, party.borrower_id, party.role, condition.case_id, condition.condition,
         condition.from_date, condition.until_date
  from ${liableParties} as party
  join ${liableParties} as debtor
    on debtor.loan_id = party.loan_id and debtor.borrower_id <> party.borrower_id
  join legal_conditions as condition on condition.borrower_id = debtor.borrower_id
    and condition.condition = 'codebtor_stay'
  join loans as loan on loan.id = party.loan_id
  where coalesce(condition.loan_id, party.loan_id) = party.loan_id
    and party.loan_id <> all(condition.except_loan_ids)
    and (condition.incurred_through is null
      or coalesce(loan.origination_date, loan.disbursement_date) <= condition.incurred_through)
)`;

const OfLoan = z.object({
  loan_id: z.string(),
  borrower_id: z.string(),
  role: z.enum(LIABLE_ROLES),
  case_id: z.string(),
  condition: z.string(),
  from_date: z.string(),
  until_date: z.string().nullable(),
});
export type LoanCondition = z.output<typeof OfLoan>;

/** All conditions of a loan, from the earliest to the latest. */
export const listConditionsOfLoan = (tx: Transaction, loanId: string) =>
  tx.any(
    prepared(sql.type(OfLoan)`
      select loan_id, borrower_id, role, case_id, condition, from_date, until_date
      from ${conditionsOfLoans} as held
      where held.loan_id = ${loanId}
      order by from_date, condition, borrower_id
    `),
  );

const Known = z.object({
  borrower_ids: z.array(z.string()),
  loan_ids: z.array(z.string()),
  representative_ids: z.array(z.string()),
});

/** Which of these people exist, which of these loans they owe, and which of these representatives are theirs. */
export const findKnownRecords = (
  tx: Transaction,
  people: readonly string[],
  { loan_ids, representative_ids }: Record<'loan_ids' | 'representative_ids', readonly string[]>,
) =>
  tx.one(sql.type(Known)`
    select array(
             select id::text from borrowers
             where id = any(${sql.array([...people], 'uuid')}) and redacted_at is null
           ) as borrower_ids,
           array(
             select party.loan_id::text from ${liableParties} as party
             where party.loan_id = any(${sql.array([...loan_ids], 'uuid')})
               and party.borrower_id = any(${sql.array([...people], 'uuid')})
           ) as loan_ids,
           array(
             select id::text from legal_reps
             where id = any(${sql.array([...representative_ids], 'uuid')})
               and borrower_id = any(${sql.array([...people], 'uuid')})
           ) as representative_ids
  `);
