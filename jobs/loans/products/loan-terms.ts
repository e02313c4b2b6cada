import type { RawLoan } from '../../../sql/loans/loans.ts';
import { completeTerms, type Terms } from '../arithmetic/terms.ts';
import { WATERFALL_NAMES, WATERFALLS } from '../arithmetic/waterfalls.ts';

export const PENALTY_CALCULATIONS = ['flat', 'percent_of_principal'] as const;

/**
 * What a loan takes over from its product and its tenant when it is created: the terms of its
 * arithmetic, the rules by which it is serviced, and how it is booked. A later change of the product
 * or the tenant's settings leaves them as they are.
 */
export type LoanTerms = Partial<Terms> & {
  first_payment_rule: 'next_month_on_payment_day' | '30_days_after' | 'custom';
  min_days_to_first_payment: number;
  fee_rules: unknown;
  late_fee_grace_days: number;
  default_dpd_threshold: number;
  charge_off_dpd_threshold: number;
  non_accrual_dpd_threshold: number;
  small_balance_tolerance: string;
  payoff_quote_valid_days: number;
  /** Loans that were made long ago have none. */
  rescission_days?: number;
  /** What early repayment costs; most products ask for nothing. */
  prepayment_penalty?: {
    calculation: (typeof PENALTY_CALCULATIONS)[number];
    amount?: string | null;
    percentage?: string | null;
    within_months?: number | null;
  } | null;
  /** Whether a payment relieves the receivable of what it pays; it does where nothing is said. */
  accrual_relief?: boolean;
  /** What the history begins with, once a modification has put another rate in the loan's row. */
  original_rate?: string;
};

const COPIED = [
  'interest_method',
  'day_count',
  'payment_frequency',
  'amortization',
  'balloon_amount',
  'extra_payment_to',
  'installment_rounding',
  'installment_calculation',
  'first_payment_rule',
  'min_days_to_first_payment',
  'fee_rules',
  'late_fee_grace_days',
  'delinquency_grace_days',
  'default_dpd_threshold',
  'charge_off_dpd_threshold',
  'non_accrual_dpd_threshold',
  'small_balance_tolerance',
  'payoff_quote_valid_days',
  'prepayment_penalty',
  'gl_map',
  'rescission_days',
  'rounding_mode',
  ...(['minimum_payment', 'cycle_day', 'payment_due_days', 'grace_on_purchases'] as const),
] as const;

export function copyTerms(
  product: Record<string, unknown>,
  settings: { satisfied_tolerance: string; accrual_relief: boolean },
): Record<string, unknown> {
  const copied = Object.fromEntries(COPIED.map((name) => [name, product[name]]));
  return {
    ...copied,
    allocation_order: stepsOf(product['allocation_order']),
    ...settings,
  };
}

/** A waterfall is kept step by step, even one that the product calls by its name. */
function stepsOf(order: unknown): unknown {
  const name = WATERFALL_NAMES.find((known) => known === order && known !== 'standard');
  if (name) return WATERFALLS[name].steps;
  return Array.isArray(order) ? order : null;
}

/** What a loan says of its terms. */
export type TermsSource = Pick<
  RawLoan,
  'loan_type' | 'interest_rate' | 'term_months' | 'payment_day' | 'terms'
> & { original_term_months?: number | null };

/** The terms as the engine wants them. */
export function readTerms(loan: TermsSource): Terms & LoanTerms {
  const kept = loan.terms as Partial<Terms> & LoanTerms;
  const own = {
    loan_type: loan.loan_type as Terms['loan_type'],
    interest_rate: kept.original_rate ?? loan.interest_rate,
    term_months: loan.original_term_months ?? loan.term_months,
    payment_day: loan.payment_day,
  };
  return { ...kept, ...completeTerms({ ...kept, ...own }) };
}
