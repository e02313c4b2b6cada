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
const loanColumn = (name: string, kind: ColumnKind = 'text'): Column => ({
  kind,
  from: sql.fragment`${sql.identifier(['loan', name])}`,
});

/** Columns that change are read from the day's snapshot, or from what its close would write now. */
const snapshotColumn = (name: string, kind: ColumnKind = 'text'): Column => ({
  kind,
  from: sql.fragment`${sql.identifier(['row', name])}`,
  ...(isAttribute(name) && { needs: name }),
});

const trimmedRateColumn = (name: string): Column => {
  const column = snapshotColumn(name, 'rate');
  return { ...column, from: sql.fragment`trim_scale(${column.from})` };
};

/**
 * All tape columns with their kind and source. Names are the buyers' terms; a client's text never reaches
 * the query.
 */
export const COLUMN_DEFINITIONS = {
  loan_id: { kind: 'code', from: sql.fragment`row.loan_id` },
  loan_number: loanColumn('loan_number'),
  external_id: snapshotColumn('external_id'),
  borrower_id: loanColumn('borrower_id', 'code'),
  borrower_name: snapshotColumn('borrower_name'),
  borrower_state: snapshotColumn('borrower_state'),
  borrower_zip: snapshotColumn('borrower_zip'),
  program: snapshotColumn('program'),
  product: snapshotColumn('product'),
  loan_type: loanColumn('loan_type'),
  status: snapshotColumn('status', 'code'),
  origination_date: snapshotColumn('origination_date', 'day'),
  first_payment_date: snapshotColumn('first_payment_date', 'day'),
  maturity_date: snapshotColumn('maturity_date', 'day'),
  original_principal: loanColumn('principal_amount', 'money'),
  principal_amount: loanColumn('principal_amount', 'money'),
  principal_balance: snapshotColumn('principal_balance', 'money'),
  accrued_interest: snapshotColumn('accrued_interest', 'money'),
  outstanding_fees: snapshotColumn('outstanding_fees', 'money'),
  total_balance: snapshotColumn('total_balance', 'money'),
  interest_rate: trimmedRateColumn('interest_rate'),
  apr: trimmedRateColumn('apr'),
  term_months: snapshotColumn('term_months', 'count'),
  remaining_term: snapshotColumn('remaining_term', 'count'),
  payment_amount: snapshotColumn('payment_amount', 'money'),
  payment_frequency: snapshotColumn('payment_frequency'),
  next_payment_date: snapshotColumn('next_payment_date', 'day'),
  next_payment_amount: snapshotColumn('next_payment_amount', 'money'),
  last_payment_date: snapshotColumn('last_payment_date', 'day'),
  last_payment_amount: snapshotColumn('last_payment_amount', 'money'),
  total_paid: {
    kind: 'money',
    from: sql.fragment`row.total_paid_principal + row.total_paid_interest + row.total_paid_fees`,
  },
  days_past_due: snapshotColumn('days_past_due', 'count'),
  delinquency_bucket: snapshotColumn('delinquency_bucket', 'code'),
  past_due_amount: snapshotColumn('past_due_amount', 'money'),
  times_30: snapshotColumn('times_delinquent_30', 'count'),
  times_60: snapshotColumn('times_delinquent_60', 'count'),
  times_90: snapshotColumn('times_delinquent_90', 'count'),
  modification_count: snapshotColumn('modification_count', 'count'),
  is_modified: {
    kind: 'flag',
    from: sql.fragment`row.modification_count > 0`,
    needs: 'modification_count',
  },
  is_frozen: snapshotColumn('is_frozen', 'flag'),
  is_accelerated: snapshotColumn('is_accelerated', 'flag'),
  is_non_accrual: snapshotColumn('is_non_accrual', 'flag'),
  charge_off_date: snapshotColumn('charge_off_date', 'day'),
  charge_off_amount: snapshotColumn('charge_off_amount', 'money'),
  recovery_amount: snapshotColumn('recovery_amount', 'money'),
  collateral_type: snapshotColumn('collateral_type'),
  collateral_value: snapshotColumn('collateral_value', 'money'),
  ltv: {
    kind: 'rate',
    from: sql.fragment`round(row.principal_balance / nullif(row.collateral_value, 0), 6)`,
    needs: 'collateral_value',
  },
  lien_position: snapshotColumn('lien_position', 'count'),
  investor: snapshotColumn('investor'),
  portfolio: snapshotColumn('portfolio'),
  credit_score_origination: snapshotColumn('credit_score_origination'),
  as_of_date: snapshotColumn('snapshot_date', 'day'),
} as const satisfies Record<string, Column>;

export type TapeColumn = keyof typeof COLUMN_DEFINITIONS;
export const TAPE_COLUMNS = Object.keys(COLUMN_DEFINITIONS) as [TapeColumn, ...TapeColumn[]];

/** The columns that days before the attribute history do not have. */
export const attributeColumnsAmong = (columns: readonly TapeColumn[]) =>
  columns.filter((name) => (COLUMN_DEFINITIONS[name] as Column).needs !== undefined);
