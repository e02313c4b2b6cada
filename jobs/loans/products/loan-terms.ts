import type { RawLoan } from '../../../sql/loans/loans.ts';
import { parseRate } from '../../money.ts';
import { completeTerms, type Terms } from '../arithmetic/terms.ts';
import { WATERFALL_NAMES, WATERFALLS } from '../arithmetic/waterfalls.ts';

export const PENALTY_CALCULATIONS = ['flat', 'percent_of_principal'] as const;

/**
 * The terms that a loan copies from its product and its tenant's settings when it is created: calculation,
 * servicing and accounting rules. Later changes to the product or the settings do not affect the loan.
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
  /** Missing on older loans. */
  rescission_days?: number;
  /** The charge for early repayment, if any. */
  prepayment_penalty?: {
    calculation: (typeof PENALTY_CALCULATIONS)[number];
    amount?: string | null;
    percentage?: string | null;
    within_months?: number | null;
  } | null;
  /** Whether a payment reduces the interest receivable. Default: true. */
  accrual_relief?: boolean;
  /** The rate at origination. Set once a modification has changed `interest_rate` in the loan's row. */
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
  settings: { installment_tolerance: string; accrual_relief: boolean },
): Record<string, unknown> {
  const copied = Object.fromEntries(COPIED.map((name) => [name, product[name]]));
  return {
    ...copied,
    allocation_order: stepsOf(product['allocation_order']),
    ...settings,
  };
}

/** A loan stores the steps of its waterfall, even if the product names a predefined one. */
function stepsOf(order: unknown): unknown {
  const name = WATERFALL_NAMES.find((known) => known === order && known !== 'standard');
  if (name) return WATERFALLS[name].steps;
  return Array.isArray(order) ? order : null;
}

/** The terms of a loan whose contract rate is `current`. They have the original rate only if it is another one. */
export function termsAtRate(terms: object, original: string, current: string) {
  const { original_rate: _, ...others } = terms as LoanTerms;
  const rate = parseRate(original);
  // Spelled as the database spells rates.
  return rate.eq(parseRate(current)) ? others : { ...others, original_rate: rate.toFixed(8) };
}

export type TermsSource = Pick<
  RawLoan,
  'loan_type' | 'interest_rate' | 'term_months' | 'payment_day' | 'terms'
> & { original_term_months?: number | null };

/** The loan's terms in the form that the engine uses, with defaults filled in. */
export function readTerms(loan: TermsSource): Terms & LoanTerms {
  const storedTerms = loan.terms as Partial<Terms> & LoanTerms;
  const own = {
    loan_type: loan.loan_type as Terms['loan_type'],
    interest_rate: storedTerms.original_rate ?? loan.interest_rate,
    term_months: loan.original_term_months ?? loan.term_months,
    payment_day: loan.payment_day,
  };
  return { ...storedTerms, ...completeTerms({ ...storedTerms, ...own }) };
}
