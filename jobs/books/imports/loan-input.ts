import type { z } from 'zod';
import type { Boarding } from '../../loans/boarding/boarding-input.ts';
import type { BookRow } from '../format/book-files.ts';
import type { FoundParents } from './loan-parents.ts';
import type { LoanRow } from './book-rows.ts';

type ParentIds = Pick<Boarding, 'borrower_id'> & FoundParents['ids'];

/** A row of `loans.csv` as the input of `boardLoan`. */
export const boardingInput = (row: LoanRow, borrower_id: string, { ids }: FoundParents): Boarding =>
  toBoarding(row, { borrower_id, ...ids });

function toBoarding(row: LoanRow, parents: ParentIds): Boarding {
  return {
    ...parents,
    loan_number: row.loan_number,
    principal_amount: row.principal_amount,
    current_principal_balance: row.current_principal_balance,
    interest_rate: row.interest_rate,
    term_months: row.term_months,
    origination_date: row.origination_date,
    first_payment_date: row.first_payment_date,
    status: row.status,
    accrued_interest: row.accrued_interest,
    outstanding_fees: row.outstanding_fees,
    paid_through_date: row.paid_through_date,
    next_due_date: row.next_due_date,
    payment_amount: row.payment_amount,
    // The check has warned of these, and a person has confirmed the import.
    has_balloon: true,
    has_capitalization: true,
    charge_off_date: row.charge_off_date,
    charge_off_amount: row.charge_off_amount,
    first_delinquency_date: row.first_delinquency_date,
    external_id: row.external_id,
    payment_day: row.payment_day,
    last_payment_date: row.last_payment_date,
    payment_history_profile: row.payment_history_profile,
    times_delinquent: isNew(row) ? undefined : timesDelinquent(row),
    metadata: metadataOf(row),
  };
}

/**
 * The history of a loan: replayed from `history_from` on, or only displayed without it. A replay from a day after the
 * origination starts with the balances of that day.
 */
export function historyOf(
  row: LoanRow,
  rows: readonly { values: BookRow<'history'> }[],
): Pick<Boarding, 'history' | 'suspense_balance'> {
  const transactions = rows.map(({ values: { loan_number: _, ...transaction } }) => transaction);
  const { history_from: from, suspense_balance } = row;
  // A complete history without transactions says that nothing was paid.
  if (rows.length === 0 && from === undefined) return {};
  if (from === undefined) return { history: { depth: 'displayed', transactions } };
  return {
    history: { depth: 'replayed', from, opening: openingOf(row), transactions },
    suspense_balance,
  };
}

const openingOf = (row: LoanRow) =>
  row.history_opening_principal === undefined
    ? undefined
    : {
        principal_balance: row.history_opening_principal,
        accrued_interest: row.history_opening_interest,
        outstanding_fees: row.history_opening_fees,
        paid_through_date: row.history_opening_paid_through_date,
      };

/** A loan that is not funded was never late. */
const isNew = ({ status }: LoanRow) => status === 'pending' || status === 'approved';

const timesDelinquent = (row: LoanRow) => ({
  30: row.times_delinquent_30 ?? 0,
  60: row.times_delinquent_60 ?? 0,
  90: row.times_delinquent_90 ?? 0,
});

/** Columns that are kept with the loan for information. */
const INFORMATION = [
  ...([
    'source_status',
    'paid_total',
    'paid_principal',
    'paid_interest',
    'paid_late_fees',
  ] as const),
  ...(['credit_last_reported_date', 'credit_account_status', 'credit_payment_rating'] as const),
  ...(['credit_special_comment', 'credit_compliance_condition'] as const),
  ...(['credit_consumer_information', 'recovered_amount'] as const),
] as const;

function metadataOf(row: LoanRow): Record<string, z.core.util.JSONType> {
  const kept = INFORMATION.flatMap((name): [string, string][] => {
    const value = row[name];
    return value === undefined ? [] : [[name, value]];
  });
  return {
    ...row.metadata,
    ...(row.purpose && { purpose: row.purpose }),
    ...(kept.length > 0 && { tape: Object.fromEntries(kept) }),
  };
}
