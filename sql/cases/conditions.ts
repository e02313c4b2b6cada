import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { BANKRUPTCY_STATUS } from './bankruptcy-statuses.ts';

/** Whether a condition applies on a day. */
export const isInForce = (condition: SqlFragment, day: SqlFragment) => sql.fragment`(
  ${condition}.from_date <= ${day}
  and (${condition}.until_date is null or ${condition}.until_date > ${day})
)`;

const Condition = z.object({
  condition: z.string(),
  borrower_id: z.string(),
  loan_id: z.string().nullable(),
  from_date: z.string(),
  until_date: z.string().nullable(),
});
export type StoredCondition = z.output<typeof Condition>;

export const listConditionsOfCase = (tx: Transaction, caseId: string) =>
  tx.any(
    prepared(sql.type(Condition)`
      select condition, borrower_id, loan_id, from_date, until_date from legal_conditions
      where case_id = ${caseId}
      order by from_date, condition, borrower_id, loan_id nulls first
    `),
  );

export type NewCondition = StoredCondition & {
  case_id: string;
  except_loan_ids: readonly string[];
  incurred_through: string | null;
};

/** Replaces the conditions of a case. */
export async function replaceConditions(
  tx: Transaction,
  caseId: string,
  conditions: readonly NewCondition[],
) {
  await tx.query(sql.typeAlias('void')`delete from legal_conditions where case_id = ${caseId}`);
  for (const { except_loan_ids, ...condition } of conditions)
    await tx.query(sql.typeAlias('void')`
      insert into legal_conditions (
        case_id, borrower_id, condition, loan_id, except_loan_ids, incurred_through, from_date, until_date
      ) values (
        ${caseId}, ${condition.borrower_id}, ${condition.condition}, ${condition.loan_id},
        ${sql.array([...except_loan_ids], 'uuid')}, ${condition.incurred_through},
        ${condition.from_date}, ${condition.until_date}
      )
    `);
}

const statusByCondition = JSON.stringify(BANKRUPTCY_STATUS);
const bankruptcyStatus = sql.fragment`(${statusByCondition}::jsonb ->> condition.condition)`;

/**
 * A borrower's legal status on a day, one row: the newest bankruptcy, active duty, death and the demand to stop
 * communication. Conditions of single loans do not count.
 */
export const borrowerStatus = (borrowerId: SqlFragment, day: SqlFragment) => sql.fragment`(
  select coalesce(bool_or(condition.condition = 'deceased'), false) as is_deceased,
         min(condition.from_date) filter (where condition.condition = 'cease_and_desist')
           as cease_and_desist_date,
         min(condition.condition) filter (where condition.condition = 'active_duty')
           as military_status,
         (array_agg(${bankruptcyStatus} order by condition.from_date desc, condition.condition desc)
           filter (where ${bankruptcyStatus} is not null))[1] as bankruptcy_status
  from legal_conditions as condition
  where condition.borrower_id = ${borrowerId} and condition.loan_id is null
    and ${isInForce(sql.fragment`condition`, day)}
)`;

/** The borrowers, with their legal status on a day as columns. */
export const borrowersWithStatus = (day: SqlFragment) => sql.fragment`(
  select record.*, legal.is_deceased, legal.bankruptcy_status, legal.military_status
  from borrowers as record
  cross join lateral ${borrowerStatus(sql.fragment`record.id`, day)} as legal
)`;
