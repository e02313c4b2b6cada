import type { Rounding } from '../../money.ts';

/** The words of a product and a loan; the API's schemas and documentation read these lists. */
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
export const INTEREST_ROUNDINGS = ['half_up', 'half_even'] as const satisfies readonly Rounding[];
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

/** One step of a waterfall: which component, and how far due, is served next. */
export type AllocationStep = { due_state: DueState; component: Component };

/** What a loan was agreed to be, as far as arithmetic is concerned. */
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
  satisfied_tolerance: string;
  /** How interest accrued comes to whole cents. */
  rounding_mode: (typeof INTEREST_ROUNDINGS)[number];
  /** Days after a due date that do not count as past due. */
  delinquency_grace_days: number;
  /** The product's own waterfall; null means the standard one. */
  allocation_order: readonly AllocationStep[] | null;
};

/** The terms of the default product: monthly level payments, simple daily interest, actual/365. */
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
  satisfied_tolerance: '0.00',
  rounding_mode: 'half_up',
  delinquency_grace_days: 0,
  allocation_order: null,
};

export function completeTerms(given: Partial<Terms>): Terms {
  return { ...DEFAULT_TERMS, ...given };
}

/** Up to here all that a loan can ever earn, and what thousands come to, fit the books' columns. */
export const MOST = '9999999999.99';

/** Whether the schedule says what interest a period earns; else it accrues day by day. */
export const isFollowingPlan = ({ interest_method }: Pick<Terms, 'interest_method'>): boolean =>
  interest_method === 'scheduled' || interest_method === 'flat';
