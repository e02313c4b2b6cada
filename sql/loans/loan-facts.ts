import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from '../database/db.ts';

/** Columns of a loan that come from other tables. Needs the aliases `record` (the loan) and `today`. */

/** Limits a query to certain loans, by the column with their id. */
export type LoanIdCondition = (id: SqlFragment) => SqlFragment;

const ownerOf = sql.fragment`(
  select owner.investor_id from loan_assignments as owner
  where owner.loan_id = record.id and owner.status = 'active'
  order by owner.ownership_percentage desc, owner.id limit 1
)`;

/** The investor with the largest share of the loan, or the investor of its portfolio. */
export const investorColumn = sql.fragment`coalesce(
  ${ownerOf},
  (select portfolio.investor_id from portfolios as portfolio where portfolio.id = record.portfolio_id)
)`;

/** The same for many loans, joined with `ownersJoin`. */
export const investorColumnOfMany = sql.fragment`coalesce(
  case when owned.is_any then ${ownerOf} end, portfolio.investor_id
)`;

/**
 * Joins the loans' portfolios (`portfolio`), and whether any of the loans has an owner (`owned`). If none
 * has, owners are not looked up per loan.
 */
export const ownersJoin = (among: LoanIdCondition) => sql.fragment`
  left join portfolios as portfolio on portfolio.id = record.portfolio_id
  cross join (
    select exists (
      select from loan_assignments as owner
      where ${among(sql.fragment`owner.loan_id`)} and owner.status = 'active'
    ) as is_any
  ) as owned
`;

const promotion = (wanted: SqlFragment) => sql.fragment`(
  select ${wanted} from loan_promotions as promotion
  where promotion.loan_id = record.id and promotion.broken_on is null
    and today.day between promotion.start_date and promotion.end_date and record.status = 'active'
  order by promotion.id desc limit 1
)`;
export const promoRateColumn = promotion(sql.fragment`trim_scale(promotion.promo_rate)`);
export const promoEndDateColumn = promotion(sql.fragment`promotion.end_date`);

export const netChargeOffColumn = sql.fragment`
  greatest(coalesce(record.charge_off_amount, 0.00) - record.recovered_amount, 0.00)`;

/**
 * The business date of the charge-off in force. A loan that was boarded as charged off only has the
 * midnight of its day. `loan` is the alias of the loan's row.
 */
export const chargeOffDateColumn = (loan: string) => sql.fragment`
  case when ${sql.identifier([loan, 'charged_off_at'])} is not null then coalesce(
    (
      select max(effective_date) from loan_events
      where loan_id = ${sql.identifier([loan, 'id'])} and kind = 'charge_off' and reversed_by is null
    ),
    (${sql.identifier([loan, 'charged_off_at'])} at time zone 'UTC')::date
  ) end`;
