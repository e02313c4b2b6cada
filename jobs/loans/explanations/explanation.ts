import type { ExplanationKey, ExplanationValues } from '../../../templates/explanations.ts';

/** The figures that can be explained. */
export const FIGURES = [
  'accrued_interest',
  'amount_due',
  'past_due_amount',
  'days_past_due',
  'payoff_amount',
  'late_fee',
] as const;
export type Figure = (typeof FIGURES)[number];

export const STEP_RULES = [
  ...(['accrued', 'boarded', 'caught_up', 'suspended', 'already_paid', 'interest_free'] as const),
  ...(['installment', 'past_due', 'fee', 'limited_to_debt'] as const),
  ...(['principal', 'interest', 'fees', 'charge_off_balance', 'prepayment_penalty'] as const),
  ...(['prepaid_interest', 'suspense', 'limited_to_zero'] as const),
  ...(['since_due_date', 'paused', 'grace'] as const),
  ...(['late_fee_charged', 'late_fee_settled', 'late_fee_rule'] as const),
  ...(['late_fee_pending', 'late_fee_exempt', 'no_late_fee'] as const),
] as const;

/**
 * A step of a calculation. The amounts (for `days_past_due`: the days) of all steps add up to the figure.
 * Facts that a step does not have are null.
 */
export type Step = {
  rule: (typeof STEP_RULES)[number];
  /** In cents. Negative if the step reduces the figure. Null if the figure is a number of days. */
  amount: string | null;
  days: number | null;
  from: string | null;
  to: string | null;
  interest: InterestFacts | null;
  installment: InstallmentFacts | null;
  fee: FeeFacts | null;
  late_fee: LateFeeFacts | null;
  /** The figure that explains this step's amount. */
  explained_by: Figure | null;
};

type InterestFacts = {
  balance: string;
  rate: string;
  /** The agreed rate, if a law caps it. */
  agreed_rate: string | null;
  day_count: string;
  /** Ten decimal places. `amount` is the cents by which the step raises the rounded total. */
  exact_amount: string;
  /** The interest and days of the period whose interest is spread evenly. Null if interest is daily. */
  period_interest: string | null;
  period_days: number | null;
  /** Why interest is paused. */
  stops: readonly string[] | null;
};

type InstallmentFacts = {
  number: number;
  due_date: string;
  payment_amount: string;
  paid_amount: string;
};

type FeeFacts = {
  /** Null for an agreed fee that has not been charged. */
  fee_id: string | null;
  fee_type: string;
  assessed_date: string;
  amount: string;
};

type LateFeeFacts = {
  fee_rule_id: string | null;
  calculation: string;
  condition: string;
  grace_days: number;
  /** The last day on which a payment avoids the fee. */
  last_day_on_time: string | null;
  /** The amount to which a percentage applies. */
  base_amount: string | null;
  fee_amount: string | null;
  exemption: string | null;
};

/** A step, and its sentence: a key and the values in it. */
export type WordedStep = Step & { sentence: Sentence };
export type Sentence = { key: ExplanationKey; values: ExplanationValues };

/** A figure, the steps that lead to it, and the sentence that sums them up. */
export type Calculation = {
  /** Null for `days_past_due`. */
  amount: string | null;
  /** Null for amounts. */
  days: number | null;
  steps: readonly WordedStep[];
  summary: Sentence;
};

const EMPTY = {
  amount: null,
  days: null,
  from: null,
  to: null,
  interest: null,
  installment: null,
  fee: null,
  late_fee: null,
  explained_by: null,
} as const;

/** Creates a step. Facts that are not given are null. */
export const newStep = (
  rule: Step['rule'],
  facts: Partial<Omit<Step, 'rule'>>,
  key: ExplanationKey,
  values: ExplanationValues = {},
): WordedStep => ({ ...EMPTY, ...facts, rule, sentence: { key, values } });
