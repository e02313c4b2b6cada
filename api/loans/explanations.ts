import { z } from 'zod';
import type { FactName } from '../../jobs/facts.ts';
import { DAY_COUNTS } from '../../jobs/loans/arithmetic/terms.ts';
import {
  explainFigure,
  type Question,
  notFunded,
} from '../../jobs/loans/explanations/explain-figure.ts';
import { FIGURES, STEP_RULES, type Figure } from '../../jobs/loans/explanations/explanation.ts';
import { FEE_CALCULATIONS, LATE_FEE_RULES } from '../../jobs/loans/products/fee-rules.ts';
import { LATE_FEE_EXEMPTIONS } from '../../sql/loans/fees/late-fee-exemptions.ts';
import { date, integer, money, rate, signedMoney, uuid } from '../../sql/types.ts';
import { LANGUAGES } from '../../templates/portal/words.ts';
import type { Route } from '../endpoints/route.ts';

const figure = z.enum(FIGURES);
const tenDecimals = z.string().regex(/^-?\d+\.\d{10}$/);

const interestFacts = z.object({
  balance: money.describe('The balance that earns interest.'),
  rate: rate.describe('The annual rate as a fraction.'),
  agreed_rate: rate
    .nullable()
    .describe('The agreed rate, if a law caps it at `rate` (`rate-caps`). Otherwise null.'),
  day_count: z.enum(DAY_COUNTS).describe('How days are counted.'),
  exact_amount: tenDecimals.describe(
    'The interest with ten decimals. `amount` is the number of cents by which it raises the rounded total. For ' +
      '`suspended` days: the interest that does not count.',
  ),
  period_interest: tenDecimals
    .nullable()
    .describe('The interest of the whole period, if it is spread evenly over `period_days`.'),
  period_days: integer
    .nullable()
    .describe(
      'The days over which the interest of the period is spread. Null if interest follows the calendar.',
    ),
  stops: z.array(z.string()).nullable().describe('Why interest is paused.'),
});

const installmentFacts = z.object({
  number: integer.describe('The number of the installment, from 1.'),
  due_date: date.describe('The day on which it is due.'),
  payment_amount: money.describe('The amount that is due.'),
  paid_amount: money.describe('The amount that was paid on it.'),
});

const feeShape = z.object({
  fee_id: uuid.nullable().describe('Null for an agreed fee that has not been charged.'),
  fee_type: z.string().describe('The kind of fee.'),
  assessed_date: date.describe('The day on which the fee was or will be charged.'),
  amount: money.describe('The amount of the fee.'),
});

const lateFeeFacts = z.object({
  fee_rule_id: uuid.nullable().describe('The fee rule of the product. Null if the loan has none.'),
  calculation: z.enum(FEE_CALCULATIONS).describe('How the rule calculates the fee.'),
  condition: z
    .enum(LATE_FEE_RULES)
    .describe(
      '`standard_fee`: no fee if the past-due amount is at most the fee. `current`: no fee if something was ' +
        'paid since the previous due date.',
    ),
  grace_days: integer.describe('The days after the due date on which a payment is still on time.'),
  last_day_on_time: date.nullable().describe('The last day on which a payment avoids the fee.'),
  base_amount: money.nullable().describe('The amount to which a percentage applies.'),
  fee_amount: money.nullable().describe('The fee that a late payment would cost.'),
  exemption: z
    .enum(LATE_FEE_EXEMPTIONS)
    .nullable()
    .describe('Why no late fee is charged. Null if nothing prevents it.'),
});

const step = z.object({
  rule: z.enum(STEP_RULES).describe('The rule that the step applies.'),
  text: z.string().describe('The step as a sentence for the borrower.'),
  amount: signedMoney
    .nullable()
    .describe('The amounts of all steps add up to the figure. Null for `days_past_due`.'),
  days: integer
    .nullable()
    .describe(
      'For `days_past_due`, the days of all steps add up to the figure. For interest, the days of the step.',
    ),
  from: date.nullable().describe('The first day of the step.'),
  to: date
    .nullable()
    .describe(
      'For interest, the day after the last one that counts. Otherwise the last day of the step.',
    ),
  interest: interestFacts
    .nullable()
    .describe('The figures of a step about interest. Null for other steps.'),
  installment: installmentFacts
    .nullable()
    .describe('The installment of a step about one. Null for other steps.'),
  fee: feeShape.nullable().describe('The fee of a step about one. Null for other steps.'),
  late_fee: lateFeeFacts
    .nullable()
    .describe('The rule of a step about a possible late fee. Null for other steps.'),
  explained_by: figure.nullable().describe('The figure that explains the amount of this step.'),
});

const EXAMPLE = {
  loan_id: '0197a3c0-1111-7abc-8def-0123456789ab',
  loan_number: 'LN-2026-000001',
  figure: 'accrued_interest',
  as_of_date: '2026-02-04',
  amount: '46.58',
  days: null,
  summary:
    'As of February 4, 2026, $46.58 in interest is owed. This includes every day through February 3, 2026.',
  steps: [
    {
      rule: 'accrued',
      text: 'January 15, 2026 through February 3, 2026: 20 days on a balance of $10,000.00 at 8.50% a year ($10,000.00 × 8.50% × 20 ÷ 365).',
      amount: '46.58',
      days: 20,
      from: '2026-01-15',
      to: '2026-02-04',
      interest: {
        balance: '10000.00',
        rate: '0.085',
        agreed_rate: null,
        day_count: 'actual_365',
        exact_amount: '46.5753424658',
        period_interest: null,
        period_days: null,
        stops: null,
      },
      installment: null,
      fee: null,
      late_fee: null,
      explained_by: null,
    },
  ],
};

export const explanation = z
  .object({
    loan_id: uuid,
    loan_number: z.string(),
    figure: figure.describe('The figure that is explained.'),
    as_of_date: date.describe('The day for which it is explained.'),
    amount: money.nullable().describe('The figure. Null for `days_past_due`.'),
    days: integer.nullable().describe('The figure `days_past_due`. Null for amounts.'),
    summary: z.string().describe('The explanation in one or two sentences for the borrower.'),
    steps: z.array(step).describe('The steps that lead to the figure, in order.'),
  })
  .meta({ id: 'Explanation', examples: [EXAMPLE] });

export const explanationQuery = z.object({
  figure: figure.describe('The figure to explain.'),
  as_of_date: date
    .optional()
    .describe('Today or a past day since the loan was funded. Default: today.'),
  language: z.enum(LANGUAGES).default('en').describe('The language of the sentences.'),
});

/**
 * The facts that an explanation of the figure can show in a field, in a sentence or by the presence of a step.
 * No part of a sentence can be removed, so a user who is denied one of the facts gets no explanation.
 */
const FACTS: Record<Figure, readonly FactName[]> = {
  accrued_interest: [
    ...fieldsOf(interestFacts),
    ...facts('loans', 'amount', 'days', 'from', 'to'),
    ...facts('payoff-quotes', 'explanation', 'accrued_interest', 'amount', 'balance', 'rate'),
    ...facts('payoff-quotes', 'from', 'to', 'days'),
    ...facts('loans', 'accrued_interest', 'past_due_interest', 'paid_interest', 'interest'),
    // The balances, and the events that change them.
    ...facts('loans', 'principal_balance', 'principal_amount', 'disbursed_amount'),
    ...facts('loans', 'past_due_principal', 'principal', 'beginning_balance', 'ending_balance'),
    ...facts('loans', 'charge_off_amount', 'disbursement_date', 'interest_free_balance'),
    ...facts('loans', 'due_date', 'first_payment_date', 'first_delinquency_date'),
    ...facts('loans', 'last_payment_date'),
    ...facts('payments', 'effective_date', 'principal_applied', 'interest_applied'),
    ...facts('payments', 'remaining_balance', 'balance_before', 'balance_after'),
    ...facts('service-credits', 'effective_date', 'principal_applied', 'interest_applied'),
    ...facts('disbursements', 'amount', 'net_amount'),
    ...facts('draws', 'amount', 'draw_date', 'outstanding_principal'),
    'products.grace_on_purchases',
    // A cap of the rate follows from military service.
    'cases.facts',
    // The rates and how they count.
    ...facts('loans', 'interest_rate', 'current_rate', 'day_count', 'interest_method'),
    ...facts('loans', 'payment_amount', 'interest_amount', 'days_in_period'),
    ...facts('modifications', 'new_interest_rate', 'effective_date', 'principal_forgiven'),
    // Pauses and promotions, which are records of the loan.
    ...facts('loans', 'promo_rate', 'promo_end_date', 'promo_type', 'start_date', 'end_date'),
    ...facts('loans', 'deferred_interest', 'conditions', 'is_frozen', 'frozen_at', 'freeze_until'),
    ...facts('loans', 'is_non_accrual', 'non_accrual_since'),
    ...reliefs(),
    'forbearances.interest_accrues',
    'deferments.interest_treatment',
  ],
  past_due_amount: bill(),
  amount_due: bill(),
  days_past_due: [
    ...facts('loans', 'days', 'from', 'to'),
    ...facts('loans', 'days_past_due', 'delinquency_bucket', 'past_due_amount', 'due_date'),
    ...facts('loans', 'first_payment_date', 'first_delinquency_date', 'payment_day'),
    ...facts('loans', 'next_payment_date', 'maturity_date'),
    ...facts('loans', 'is_accelerated', 'accelerated_at'),
    'products.delinquency_grace_days',
    ...reliefs(),
    'forbearances.suspend_delinquency',
  ],
  payoff_amount: [
    'loans.amount',
    ...debt(),
    ...facts('loans', 'suspense_balance', 'charge_off_balance'),
    ...facts('payoff-quotes', 'payoff_amount', 'prepayment_penalty', 'credits_amount'),
    ...facts('products', 'prepayment_penalty', 'calculation', 'percentage', 'within_months'),
  ],
  late_fee: [
    ...bill(),
    ...fieldsOf(lateFeeFacts),
    ...facts('products', 'id', 'trigger', 'calculation', 'percentage', 'late_fee_rule'),
    ...facts('products', 'grace_days', 'late_fee_grace_days'),
    'fees.fee_rule_id',
    // Exemptions, also by a legal condition.
    'cases.facts',
    ...facts('loans', 'is_frozen', 'freeze_until'),
    ...facts('payments', 'effective_date', 'payment_type', 'fees_applied'),
    ...reliefs(),
    'forbearances.suspend_late_fees',
    ...facts('payment-plans', 'agreed_on', 'status'),
  ],
};

function facts(resource: string, ...fields: readonly string[]): FactName[] {
  return fields.map((field): FactName => `${resource}.${field}`);
}

/** The answer's own fields. Without them, their sentences would still show the values. */
function fieldsOf({ shape }: z.ZodObject): FactName[] {
  return facts('loans', ...Object.keys(shape));
}

/** The periods in which a relief pauses interest, days past due or late fees. */
function reliefs(): FactName[] {
  return ['forbearances', 'deferments'].flatMap((resource) =>
    facts(resource, 'start_date', 'end_date', 'status'),
  );
}

/** The whole debt and its parts. After maturity, all of it is due. */
function debt(): FactName[] {
  return [
    ...facts('loans', 'principal_balance', 'accrued_interest', 'outstanding_fees', 'total_balance'),
    ...facts('loans', 'payoff_amount', 'amount_due', 'past_due_amount', 'fees_due'),
    ...facts('loans', 'past_due_principal', 'past_due_interest', 'past_due_fees'),
    ...facts('loans', 'next_payment_amount', 'open_amount'),
    ...facts('loans', 'principal', 'interest', 'fees', 'interest_amount', 'final_payment_amount'),
    ...facts('payoff-quotes', 'principal_amount', 'accrued_interest', 'fees_amount', 'balance'),
    ...facts('loans', 'beginning_balance', 'ending_balance'),
    ...facts('payments', 'remaining_balance', 'balance_before', 'balance_after'),
    'draws.outstanding_principal',
    ...facts('fees', 'amount', 'outstanding_amount'),
    'deferments.fee_amount',
    // A fee can be the amount of its rule.
    ...facts('products', 'fee_rules', 'amount', 'min_amount', 'max_amount'),
  ];
}

/** The installments and fees that are due. */
function bill(): FactName[] {
  return [
    ...fieldsOf(installmentFacts),
    ...fieldsOf(feeShape),
    ...facts('fees', 'id', 'fee_type', 'assessed_date', 'effective_date', 'due_date', 'status'),
    ...facts('fees', 'amount_paid', 'amount_waived'),
    ...debt(),
    ...facts('loans', 'past_due_30_amount', 'days_past_due', 'next_payment_date'),
    ...facts('loans', 'first_payment_date', 'first_delinquency_date', 'payment_day'),
    ...facts('loans', 'maturity_date', 'is_accelerated', 'accelerated_at'),
    // Agreed changes of the next installment.
    ...facts('modifications', 'new_payment_amount', 'new_payment_day', 'new_maturity_date'),
    'forbearances.reduced_payment_amount',
    'deferments.start_date',
    'products.minimum_payment',
  ];
}

export const explainLoan: Route = {
  tag: 'loans',
  resource: 'loans',
  method: 'GET',
  path: '/loans/{id}/explain',
  allow: 'viewer',
  action: 'explain',
  status: 200,
  summary: 'Explain how a figure of the loan is calculated',
  description:
    'Returns the steps that lead to a figure, as facts and as sentences for the borrower: interest by days, balance and ' +
    'rate, amounts due by installment, days past due with pauses and grace, the parts of the payoff amount, or the late ' +
    'fees with their rules. The steps add up to the figure that `get-balances` shows for that day. A future date or a date ' +
    'before funding gets 422, and a loan that was never funded 409 `loan_not_funded`. A user who is denied a field of the ' +
    'explanation gets 403.',
  conflicts: () => [notFunded()],
  query: explanationQuery.extend({
    known: z
      .enum(['now', 'then'])
      .default('now')
      .describe(
        '`then` leaves out events that were recorded after `as_of_date`, but includes reliefs and late fee exemptions ' +
          'that were recorded later.',
      ),
  }),
  example: () => ({ figure: 'payoff_amount' }),
  reply: explanation,
  transaction: 'read',
  carries: ({ query }) => Promise.resolve(FACTS[query['figure'] as Figure]),
  run: ({ work, params, query }) => explainFigure(work, params['id'] ?? '', query as Question),
};
