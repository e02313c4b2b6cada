import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { sql } from '../database/db.ts';
import { isParticular } from './particulars.ts';

const text = z.string().nullable();
const count = z.int().nullable();
const flag = z.boolean();

/** `needs` names the particular that it is read from, which days of before it was kept do not have. */
type Column = { type: z.ZodType; from: SqlFragment; needs?: string };

/** What never changes once a loan is funded is read of the loan itself. */
const fixed = (name: string): Column => ({
  type: text,
  from: sql.fragment`${sql.identifier(['loan', name])}`,
});

/** What changes is read of the day's row: what its close kept, or would keep now. */
const kept = (name: string, type: z.ZodType = text): Column => ({
  type,
  from: sql.fragment`${sql.identifier(['row', name])}`,
  ...(isParticular(name) && { needs: name }),
});

const trimmed = (name: string): Column => {
  const column = kept(name);
  return { ...column, from: sql.fragment`trim_scale(${column.from})` };
};

/**
 * What a tape may hold: each column with its type and where it is read, the same for every day. Names
 * are the buyers' words; no name of a client ever reaches the query.
 */
export const COLUMNS = {
  loan_id: { type: z.string(), from: sql.fragment`row.loan_id` },
  loan_number: fixed('loan_number'),
  external_id: kept('external_id'),
  borrower_id: fixed('borrower_id'),
  borrower_name: kept('borrower_name'),
  borrower_state: kept('borrower_state'),
  borrower_zip: kept('borrower_zip'),
  program: kept('program'),
  product: kept('product'),
  loan_type: fixed('loan_type'),
  status: kept('status'),
  origination_date: kept('origination_date'),
  first_payment_date: kept('first_payment_date'),
  maturity_date: kept('maturity_date'),
  original_principal: fixed('principal_amount'),
  principal_amount: fixed('principal_amount'),
  principal_balance: kept('principal_balance'),
  accrued_interest: kept('accrued_interest'),
  outstanding_fees: kept('outstanding_fees'),
  total_balance: kept('total_balance'),
  interest_rate: trimmed('interest_rate'),
  apr: trimmed('apr'),
  term_months: kept('term_months', count),
  remaining_term: kept('remaining_term', count),
  payment_amount: kept('payment_amount'),
  payment_frequency: kept('payment_frequency'),
  next_payment_date: kept('next_payment_date'),
  next_payment_amount: kept('next_payment_amount'),
  last_payment_date: kept('last_payment_date'),
  last_payment_amount: kept('last_payment_amount'),
  total_paid: {
    type: text,
    from: sql.fragment`row.total_paid_principal + row.total_paid_interest + row.total_paid_fees`,
  },
  days_past_due: kept('days_past_due', count),
  delinquency_bucket: kept('delinquency_bucket'),
  past_due_amount: kept('past_due_amount'),
  times_30: kept('times_delinquent_30', count),
  times_60: kept('times_delinquent_60', count),
  times_90: kept('times_delinquent_90', count),
  modification_count: kept('modification_count', count),
  is_modified: {
    type: flag,
    from: sql.fragment`row.modification_count > 0`,
    needs: 'modification_count',
  },
  is_frozen: kept('is_frozen', flag),
  is_accelerated: kept('is_accelerated', flag),
  is_non_accrual: kept('is_non_accrual', flag),
  charge_off_date: kept('charge_off_date'),
  charge_off_amount: kept('charge_off_amount'),
  recovery_amount: kept('recovery_amount'),
  collateral_type: kept('collateral_type'),
  collateral_value: kept('collateral_value'),
  ltv: {
    type: text,
    from: sql.fragment`round(row.principal_balance / nullif(row.collateral_value, 0), 6)`,
    needs: 'collateral_value',
  },
  lien_position: kept('lien_position', count),
  investor: kept('investor'),
  portfolio: kept('portfolio'),
  credit_score_origination: kept('credit_score_origination'),
  as_of_date: kept('snapshot_date'),
} as const satisfies Record<string, Column>;

export type TapeColumn = keyof typeof COLUMNS;
export const TAPE_COLUMNS = Object.keys(COLUMNS) as [TapeColumn, ...TapeColumn[]];

/** Those of the columns that days of before particulars were kept do not have. */
export const keptLater = (columns: readonly TapeColumn[]) =>
  columns.filter((name) => (COLUMNS[name] as Column).needs !== undefined);
