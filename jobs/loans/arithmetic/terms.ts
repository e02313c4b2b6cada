import type { Rounding } from '../../money.ts';

/** The allowed values of products and loans. The API's schemas and documentation use these lists. */
export const LOAN_TYPES = ['installment', 'line_of_credit'] as const;
export const INTEREST_METHODS = ['simple_daily', 'scheduled', 'flat', 'interest_only'] as const;
export const DAY_COUNTS = [
  'actual_365',
  'actual_360',
  'actual_actual',
  '30_360',
  'actual_364',
] as const;
export const PAYMENT_FREQUENCIES = [
  'monthly',
  'biweekly',
  'semi_monthly',
  'weekly',
  'quarterly',
  'single',
] as const;
export const AMORTIZATIONS = [
  'level_payment',
  'level_principal',
  'balloon',
  'interest_only',
] as const;
export const FIRST_PAYMENT_RULES = [
  'next_month_on_payment_day',
  '30_days_after',
  'custom',
] as const;
export const EXTRA_PAYMENT_TARGETS = ['principal', 'next_installment'] as const;
export const INSTALLMENT_CALCULATIONS = ['periodic_rate', 'actual_days'] as const;
export const INTEREST_ROUNDINGS = [
  'half_up',
  'half_even',
  'down',
] as const satisfies readonly Rounding[];
export const DUE_STATES = ['past_due', 'due', 'in_advance'] as const;
export const COMPONENTS = ['fee', 'interest', 'principal'] as const;

type LoanType = (typeof LOAN_TYPES)[number];
export type InterestMethod = (typeof INTEREST_METHODS)[number];
export type DayCount = (typeof DAY_COUNTS)[number];
export type PaymentFrequency = (typeof PAYMENT_FREQUENCIES)[number];
export type Amortization = (typeof AMORTIZATIONS)[number];
export type FirstPaymentRule = (typeof FIRST_PAYMENT_RULES)[number];
type ExtraPaymentTarget = (typeof EXTRA_PAYMENT_TARGETS)[number];
export type InstallmentCalculation = (typeof INSTALLMENT_CALCULATIONS)[number];
export type DueState = (typeof DUE_STATES)[number];
export type Component = (typeof COMPONENTS)[number];

/** One step of a waterfall: a component and its due state. */
export type AllocationStep = { due_state: DueState; component: Component };

/**
 * The minimum payment of a credit line: a share of the balance at the end of the cycle, at least the floor.
 */
export type MinimumPayment = {
  percentage: string;
  floor_amount: string;
  /** Adds the cycle's interest and fees to the share. */
  plus_interest_and_fees: boolean;
};

/** The agreed terms of a loan that affect arithmetic. */
export type Terms = {
  loan_type: LoanType;
  interest_rate: string;
  day_count: DayCount;
  interest_method: InterestMethod;
  payment_frequency: PaymentFrequency;
  amortization: Amortization;
  installment_rounding: Rounding;
  installment_calculation: InstallmentCalculation;
  term_months: number;
  payment_day: number | null;
  balloon_amount: string | null;
  extra_payment_to: ExtraPaymentTarget;
  installment_tolerance: string;
  /** How accrued interest is rounded to cents. */
  rounding_mode: (typeof INTEREST_ROUNDINGS)[number];
  /** Days after a due date that do not count as past due. */
  delinquency_grace_days: number;
  /** The product's own waterfall. Null: the standard one. */
  allocation_order: readonly AllocationStep[] | null;
  /** Set: the line is billed by cycle. Null: draws are repaid in installments. */
  minimum_payment: MinimumPayment | null;
  /** The day of the month that ends a cycle. Null: the day on which the line was funded. */
  cycle_day: number | null;
  /** Days from the statement date, the day after a cycle ends, to the due date of the minimum payment. */
  payment_due_days: number | null;
  /** Draws bear no interest if each statement is paid in full by its due date. */
  grace_on_purchases: boolean;
};

/** Monthly level payments, simple daily interest, actual/365. */
const DEFAULT_TERMS: Terms = {
  loan_type: 'installment',
  interest_rate: '0',
  day_count: 'actual_365',
  interest_method: 'simple_daily',
  payment_frequency: 'monthly',
  amortization: 'level_payment',
  installment_rounding: 'half_up',
  installment_calculation: 'periodic_rate',
  term_months: 12,
  payment_day: null,
  balloon_amount: null,
  extra_payment_to: 'principal',
  installment_tolerance: '0.00',
  rounding_mode: 'half_up',
  delinquency_grace_days: 0,
  allocation_order: null,
  minimum_payment: null,
  cycle_day: null,
  payment_due_days: null,
  grace_on_purchases: false,
};

export function completeTerms(partialTerms: Partial<Terms>): Terms {
  return { ...DEFAULT_TERMS, ...partialTerms };
}

/** Below this limit, lifetime interest and sums over thousands of loans fit the database columns. */
export const MAX_BALANCE = '9999999999.99';

/** True if a line asks for a minimum payment after each cycle instead of following a schedule. */
export const isBilledByCycle = ({
  loan_type,
  minimum_payment,
}: Pick<Terms, 'loan_type' | 'minimum_payment'>): boolean =>
  loan_type === 'line_of_credit' && minimum_payment !== null;

/** True if the schedule determines the interest of a period. Otherwise interest accrues daily. */
export const accruesBySchedule = ({ interest_method }: Pick<Terms, 'interest_method'>): boolean =>
  interest_method === 'scheduled' || interest_method === 'flat';
