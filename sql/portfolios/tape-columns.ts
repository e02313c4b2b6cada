import { sql } from '../database/db.ts';

/**
 * What a tape may hold, each column as it is read of `row` (the loan as everybody sees it, today) and
 * `tape` (the day). Names are the buyers' words; no name of a client ever reaches the query.
 */
export const LIVE = {
  loan_id: sql.fragment`row.id`,
  loan_number: sql.fragment`row.loan_number`,
  external_id: sql.fragment`row.external_id`,
  borrower_id: sql.fragment`row.borrower_id`,
  borrower_name: sql.fragment`row.borrower_name`,
  borrower_state: home(sql.fragment`state`),
  borrower_zip: home(sql.fragment`postal_code`),
  program: sql.fragment`(select name from programs where id = row.program_id)`,
  product: sql.fragment`(select name from products where id = row.product_id)`,
  loan_type: sql.fragment`row.loan_type`,
  status: sql.fragment`row.status`,
  origination_date: sql.fragment`coalesce(row.origination_date, row.disbursement_date)`,
  first_payment_date: sql.fragment`row.first_payment_date`,
  maturity_date: sql.fragment`row.maturity_date`,
  original_principal: sql.fragment`row.principal_amount`,
  principal_amount: sql.fragment`row.principal_amount`,
  principal_balance: sql.fragment`row.principal_balance`,
  accrued_interest: sql.fragment`row.accrued_interest`,
  outstanding_fees: sql.fragment`row.outstanding_fees`,
  total_balance: sql.fragment`row.total_balance`,
  interest_rate: sql.fragment`row.interest_rate`,
  apr: sql.fragment`row.apr`,
  term_months: sql.fragment`row.term_months`,
  remaining_term: sql.fragment`row.remaining_term`,
  payment_amount: sql.fragment`row.payment_amount`,
  payment_frequency: sql.fragment`row.payment_frequency`,
  next_payment_date: sql.fragment`row.next_payment_date`,
  next_payment_amount: sql.fragment`row.next_payment_amount`,
  last_payment_date: sql.fragment`row.last_payment_date`,
  last_payment_amount: sql.fragment`row.last_payment_amount`,
  total_paid: sql.fragment`row.paid_principal + row.paid_interest + row.paid_fees`,
  days_past_due: sql.fragment`row.days_past_due`,
  delinquency_bucket: sql.fragment`row.delinquency_bucket`,
  past_due_amount: sql.fragment`row.past_due_amount`,
  times_30: sql.fragment`row.times_delinquent_30`,
  times_60: sql.fragment`row.times_delinquent_60`,
  times_90: sql.fragment`row.times_delinquent_90`,
  modification_count: modifications(),
  is_modified: sql.fragment`${modifications()} > 0`,
  is_frozen: sql.fragment`row.is_frozen`,
  is_accelerated: sql.fragment`row.is_accelerated`,
  is_non_accrual: sql.fragment`row.is_non_accrual`,
  charge_off_date: sql.fragment`row.charged_off_at::date`,
  charge_off_amount: sql.fragment`row.charge_off_amount`,
  recovery_amount: sql.fragment`
    case when row.charge_off_amount is not null then row.recovered_amount end`,
  collateral_type: ofCollateral(
    sql.fragment`(array_agg(item.collateral_type order by item.created_at))[1]`,
  ),
  collateral_value: ofCollateral(collateralValue()),
  ltv: ofCollateral(
    sql.fragment`round(row.principal_balance / nullif(${collateralValue()}, 0), 6)`,
  ),
  lien_position: sql.fragment`(
    select min(lien.lien_position)
    from liens as lien join collateral_items as item on item.id = lien.collateral_id
    where item.loan_id = row.id and lien.status = 'active'
  )`,
  investor: sql.fragment`(select name from investors where id = row.investor_id)`,
  portfolio: sql.fragment`(select name from portfolios where id = row.portfolio_id)`,
  credit_score_origination: sql.fragment`row.metadata ->> 'credit_score'`,
  as_of_date: sql.fragment`tape.day`,
} as const;

export type TapeColumn = keyof typeof LIVE;
export const TAPE_COLUMNS = Object.keys(LIVE) as [TapeColumn, ...TapeColumn[]];

/** On a day that is closed, these are what the close wrote down, as alias `kept`. */
export const RECORDED: Partial<Record<TapeColumn, ReturnType<typeof sql.fragment>>> = {
  status: sql.fragment`kept.status`,
  principal_balance: sql.fragment`kept.principal_balance`,
  accrued_interest: sql.fragment`kept.accrued_interest`,
  outstanding_fees: sql.fragment`kept.outstanding_fees`,
  total_balance: sql.fragment`kept.total_balance`,
  interest_rate: sql.fragment`trim_scale(kept.interest_rate)`,
  remaining_term: sql.fragment`kept.remaining_term`,
  next_payment_date: sql.fragment`kept.next_payment_date`,
  next_payment_amount: sql.fragment`kept.next_payment_amount`,
  last_payment_date: sql.fragment`kept.last_payment_date`,
  last_payment_amount: sql.fragment`kept.last_payment_amount`,
  total_paid: sql.fragment`
    kept.total_paid_principal + kept.total_paid_interest + kept.total_paid_fees`,
  days_past_due: sql.fragment`kept.days_past_due`,
  delinquency_bucket: sql.fragment`kept.delinquency_bucket`,
  past_due_amount: sql.fragment`kept.past_due_amount`,
  times_30: sql.fragment`kept.times_delinquent_30`,
  times_60: sql.fragment`kept.times_delinquent_60`,
  times_90: sql.fragment`kept.times_delinquent_90`,
  is_frozen: sql.fragment`kept.is_frozen`,
  is_accelerated: sql.fragment`kept.is_accelerated`,
  is_non_accrual: sql.fragment`kept.is_non_accrual`,
  maturity_date: sql.fragment`kept.maturity_date`,
  investor: sql.fragment`(select name from investors where id = kept.investor_id)`,
  portfolio: sql.fragment`(select name from portfolios where id = kept.portfolio_id)`,
};

function home(column: ReturnType<typeof sql.fragment>) {
  return sql.fragment`(
    select ${column} from addresses
    where borrower_id = row.borrower_id and is_primary and not is_archived
    order by array_position(array['residential', 'mailing'], address_type), created_at limit 1
  )`;
}

/** Days on which the terms were changed. */
function modifications() {
  return sql.fragment`(
    select count(distinct effective_date)::integer from loan_events
    where loan_id = row.id and effective_date <= tape.day
      and kind in ('rate_change', 'capitalization', 'forgiveness', 'plan_agreed')
  )`;
}

function collateralValue() {
  return sql.fragment`
    sum(coalesce((app.current_valuation(item.id)).appraised_value, item.estimated_value))`;
}

function ofCollateral(value: ReturnType<typeof sql.fragment>) {
  return sql.fragment`(
    select ${value} from collateral_items as item
    where item.loan_id = row.id and not item.is_archived and item.status in ('active', 'repossessed')
  )`;
}
