import { sql } from '../database/db.ts';

/** A range of loan ids. The range of a tenant's last loans is open-ended. */
export type LoanIdRange = { first_loan_id: string; before_loan_id: string | null };

/** The loans that one job closes a day for. A close of business divides a tenant's loans into chunks. */
export type LoanChunk = LoanIdRange & { cob_date: string };

/**
 * The loan's id is in the range. Postgres does not derive a range condition through a join, so apply it to
 * the ids of both joined tables.
 */
export const isInChunk = (
  { first_loan_id, before_loan_id }: LoanIdRange,
  id = sql.fragment`loan.id`,
) => sql.fragment`
  ${id} >= ${first_loan_id} and (${before_loan_id}::uuid is null or ${id} < ${before_loan_id}::uuid)
`;
