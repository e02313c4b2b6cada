import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from '../database/db.ts';
import { isAttribute } from './loan-attribute-history.ts';

/** The kind of a tape column. A text may contain anything; a code is an id or one of our own words. */
export type ColumnKind = 'text' | 'code' | 'count' | 'flag' | 'money' | 'rate' | 'day';

/**
 * `needs` names the attribute that the column reads. Days before attributes were recorded do not have it.
 */
type Column = { kind: ColumnKind; from: SqlFragment; needs?: string };

/** Columns that never change after funding are read from the loan. */
const fixed = (name: string, kind: ColumnKind = 'text'): Column => ({
  kind,
  from: sql.fragment`${sql.identifier(['loan', name])}`,
});

/** Columns that change are read from the day's snapshot, or from what its close would write now. */
const kept = (name: string, kind: ColumnKind = 'text'): Column => ({
  kind,
  from: sql.fragment`${sql.identifier(['row', name])}`,
  ...(isAttribute(name) && { needs: name }),
});

const trimmed = (name: string): Column => {
  const column = kept(name, 'rate');
  return { ...column, from: sql.fragment`trim_scale(${column.from})` };
};

/**
 * All tape columns with their kind and source. Names are the buyers' terms; a client's text never reaches
 * the query.
 */
export const COLUMN_DEFINITIONS = {
  loan_id: { kind: 'code', from: sql.fragment`row.loan_id` },
  loan_number: fixed('loan_number'),
  external_id: kept('external_id'),
  borrower_id: fixed('borrower_id', 'code'),
  borrower_name: kept('borrower_name'),
  borrower_state: kept('borrower_state'),
  borrower_zip: kept('borrower_zip'),
  program: kept('program'),
  product: kept('product'),
  loan_type: fixed('loan_type'),
  status: kept('status', 'code'),
  origination_date: kept('origination_date', 'day'),
  first_payment_date: kept('first_payment_date', 'day'),
  maturity_date: kept('maturity_date', 'day'),
  original_principal: fixed('principal_amount', 'money'),
  principal_amount: fixed('principal_amount', 'money'),
  principal_balance: kept('principal_balance', 'money'),
  accrued_interest: kept('accrued_interest', 'money'),
  outstanding_fees: kept('outstanding_fees', 'money'),
  total_balance: kept('total_balance', 'money'),
  interest_rate: trimmed('interest_rate'),
  apr: trimmed('apr'),
  term_months: kept('term_months', 'count'),
  remaining_term: kept('remaining_term', 'count'),
  payment_amount: kept('payment_amount', 'money'),
  payment_frequency: kept('payment_frequency'),
  next_payment_date: kept('next_payment_date', 'day'),
  next_payment_amount: kept('next_payment_amount', 'money'),
  last_payment_date: kept('last_payment_date', 'day'),
  last_payment_amount: kept('last_payment_amount', 'money'),
  total_paid: {
    kind: 'money',
    from: sql.fragment`row.total_paid_principal + row.total_paid_interest + row.total_paid_fees`,
  },
  days_past_due: kept('days_past_due', 'count'),
  delinquency_bucket: kept('delinquency_bucket', 'code'),
  past_due_amount: kept('past_due_amount', 'money'),
  times_30: kept('times_delinquent_30', 'count'),
  times_60: kept('times_delinquent_60', 'count'),
  times_90: kept('times_delinquent_90', 'count'),
  modification_count: kept('modification_count', 'count'),
  is_modified: {
    kind: 'flag',
    from: sql.fragment`row.modification_count > 0`,
    needs: 'modification_count',
  },
  is_frozen: kept('is_frozen', 'flag'),
  is_accelerated: kept('is_accelerated', 'flag'),
  is_non_accrual: kept('is_non_accrual', 'flag'),
  charge_off_date: kept('charge_off_date', 'day'),
  charge_off_amount: kept('charge_off_amount', 'money'),
  recovery_amount: kept('recovery_amount', 'money'),
  collateral_type: kept('collateral_type'),
  collateral_value: kept('collateral_value', 'money'),
  ltv: {
    kind: 'rate',
    from: sql.fragment`round(row.principal_balance / nullif(row.collateral_value, 0), 6)`,
    needs: 'collateral_value',
  },
  lien_position: kept('lien_position', 'count'),
  investor: kept('investor'),
  portfolio: kept('portfolio'),
  credit_score_origination: kept('credit_score_origination'),
  as_of_date: kept('snapshot_date', 'day'),
} as const satisfies Record<string, Column>;

export type TapeColumn = keyof typeof COLUMN_DEFINITIONS;
export const TAPE_COLUMNS = Object.keys(COLUMN_DEFINITIONS) as [TapeColumn, ...TapeColumn[]];

/** The columns that days before the attribute history do not have. */
export const attributeColumnsAmong = (columns: readonly TapeColumn[]) =>
  columns.filter((name) => (COLUMN_DEFINITIONS[name] as Column).needs !== undefined);
