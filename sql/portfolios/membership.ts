import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { isSettlingBy } from './sales.ts';

/** Criteria for comparison. A list matches any of its values; limits are inclusive. */
export type MatchCriteria = {
  any: Partial<Record<'program_id' | 'product_id' | 'status' | 'delinquency_bucket', string[]>>;
  states?: string[];
  labels?: string[];
  limits: { column: LimitedColumn; operator: 'least' | 'most'; value: string }[];
};
export type LimitedColumn =
  'principal_amount' | 'interest_rate' | 'term_months' | 'origination_date';

/** Who moves the loans and why, for each loan's history. */
export type MoveAudit = {
  action: string;
  reason: string | null;
  actor_type: string;
  actor_id: string | null;
  actor_email: string | null;
  request_id: string | null;
  ip_address: string | null;
};

const Id = z.object({ id: z.string() });

/** Loans that are approved or funded, visible, in no portfolio, and meet all criteria. */
function isEligible({ any, states, labels, limits }: MatchCriteria): SqlFragment {
  const clauses = [
    sql.fragment`loan.portfolio_id is null and loan.status in ('active', 'approved')
      and not loan.is_archived`,
    ...Object.entries(any).map(
      ([column, values]) =>
        sql.fragment`${sql.identifier(['loan', column])}::text = any(${sql.array(values, 'text')})`,
    ),
    ...limits.map(({ column, operator, value }) =>
      operator === 'least'
        ? sql.fragment`${limitedColumn(column)} >= ${value}::${castOf(column)}`
        : sql.fragment`${limitedColumn(column)} <= ${value}::${castOf(column)}`,
    ),
  ];
  if (labels) clauses.push(sql.fragment`loan.labels ?| ${sql.array(labels, 'text')}`);
  if (states) {
    clauses.push(sql.fragment`exists (
      select from addresses as address
      where address.tenant_id = loan.tenant_id and address.borrower_id = loan.borrower_id
        and address.is_primary and not address.is_archived
        and address.state = any(${sql.array(states, 'text')})
    )`);
  }
  return sql.fragment`${sql.join(clauses, sql.fragment` and `)}`;
}

const limitedColumn = (column: LimitedColumn) =>
  column === 'origination_date'
    ? sql.fragment`coalesce(loan.origination_date, loan.disbursement_date)`
    : sql.identifier(['loan', column]);

const castOf = (column: LimitedColumn) =>
  column === 'origination_date' ? sql.fragment`date` : sql.fragment`numeric`;

export const findMatching = (tx: Transaction, criteria: MatchCriteria) =>
  tx.anyFirst(sql.type(Id)`select id from loans as loan where ${isEligible(criteria)} order by id`);

export const assignMatching = (
  tx: Transaction,
  to: string,
  criteria: MatchCriteria,
  mover: MoveAudit,
) => moveLoans(tx, to, isEligible(criteria), mover);

/** Assigns those of the given loans that are in no portfolio. */
export const assignUnassigned = (
  tx: Transaction,
  to: string,
  ids: readonly string[],
  mover: MoveAudit,
) => moveLoans(tx, to, sql.fragment`loan.portfolio_id is null and ${isNamedLoan(ids)}`, mover);

/** Transfers those of the given loans (or all loans) that are in the portfolio. */
export const transferLoans = (
  tx: Transaction,
  { from, to }: { from: string; to: string },
  ids: readonly string[] | null,
  mover: MoveAudit,
) => {
  const member = sql.fragment`loan.portfolio_id = ${from}`;
  return moveLoans(
    tx,
    to,
    ids === null ? member : sql.fragment`${member} and ${isNamedLoan(ids)}`,
    mover,
  );
};

export const unassignLoans = (tx: Transaction, ids: readonly string[], mover: MoveAudit) =>
  moveLoans(tx, null, sql.fragment`loan.portfolio_id is not null and ${isNamedLoan(ids)}`, mover);

/**
 * Removes loans that are not part of the sale, or no longer, from portfolios whose sale settles by the day.
 */
export const unassignUnsold = (tx: Transaction, day: string, mover: MoveAudit) =>
  moveLoans(
    tx,
    null,
    sql.fragment`exists (
      select from portfolios as portfolio
      where portfolio.id = loan.portfolio_id and ${isSettlingBy(day)}
    ) and not exists (
      select from loan_assignments as sale
      where sale.loan_id = loan.id and sale.portfolio_id = loan.portfolio_id
        and sale.status in ('pending', 'active')
    )`,
    mover,
  );

const isNamedLoan = (ids: readonly string[]) =>
  sql.fragment`loan.id = any(${sql.array([...ids], 'uuid')})`;

/**
 * Moves the loans that meet the condition and writes each loan's history. Loans are locked in the order of
 * their ids and checked again under the lock, so no loan is moved twice.
 */
const moveLoans = (tx: Transaction, to: string | null, condition: SqlFragment, mover: MoveAudit) =>
  tx.anyFirst(
    prepared(sql.type(Id)`
    with chosen as materialized (
      select loan.id, loan.borrower_id, loan.portfolio_id from loans as loan
      where ${condition}
      order by loan.id
      for no key update of loan
    ), moved as (
      update loans set portfolio_id = ${to}::uuid from chosen where loans.id = chosen.id
      returning loans.id
    ), history as (
      insert into audit_log
        (entity_type, entity_id, borrower_id, loan_id, action, actor_type, actor_id, actor_email,
         changes, reason, request_id, ip_address)
      select 'loans', chosen.id, chosen.borrower_id, chosen.id, ${mover.action},
             ${mover.actor_type}, ${mover.actor_id}::uuid, ${mover.actor_email}::text,
             jsonb_build_object('portfolio_id',
               jsonb_build_object('old', chosen.portfolio_id, 'new', ${to}::uuid)),
             ${mover.reason}::text, ${mover.request_id}::text, ${mover.ip_address}::text
      from chosen
    )
    select id from moved order by id
  `),
  );

const Membership = z.object({ id: z.string(), portfolio_id: z.string().nullable() });

/** The current portfolios of the given loans. Unknown loans are left out. */
export const findPortfolios = (tx: Transaction, ids: readonly string[]) =>
  tx.any(sql.type(Membership)`
    select id, portfolio_id from loans where id = any(${sql.array([...ids], 'uuid')}) order by id
  `);
