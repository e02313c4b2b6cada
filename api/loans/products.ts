import { z } from 'zod';
import { CHART, type AccountRole } from '../../jobs/ledger/chart.ts';
import * as terms from '../../jobs/loans/arithmetic/terms.ts';
import { FeeRules } from '../../jobs/loans/products/fee-rules.ts';
import { addProduct, changeProduct } from '../../jobs/loans/products/product.ts';
import { PENALTY_CALCULATIONS } from '../../jobs/loans/products/loan-terms.ts';
import { ROUNDINGS } from '../../jobs/money.ts';
import { products as table } from '../../sql/loans/products.ts';
import {
  flag,
  integer,
  jsonObject,
  money,
  positiveMoney,
  rate,
  timestamps,
  uuid,
  requiredText,
} from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

const days = integer.min(0).max(3650);

const allocationStep = z.strictObject({
  due_state: z.enum(terms.DUE_STATES),
  component: z.enum(terms.COMPONENTS),
});

/**
 * The payment waterfall of a performing loan, by name or as a list of steps. State rules determine the
 * other waterfalls.
 */
const allocationOrder = z.union([
  z.enum(['standard', 'delinquency_first', 'interest_first']),
  z
    .array(allocationStep)
    .min(1)
    .max(9)
    .refine(
      (steps) =>
        new Set(steps.map((step) => `${step.due_state} ${step.component}`)).size === steps.length,
      'Must not name a step twice.',
    ),
]);

const prepaymentPenalty = z.strictObject({
  calculation: z.enum(PENALTY_CALCULATIONS),
  amount: positiveMoney.nullish(),
  percentage: rate.nullish(),
  /** No penalty after this many months. */
  within_months: integer.min(1).max(480).nullish(),
});

const minimumPayment = z.strictObject({
  percentage: rate.describe('A share of the total balance at the end of the cycle.'),
  floor_amount: money.describe('The lowest minimum payment, unless the balance is lower.'),
  plus_interest_and_fees: flag
    .default(true)
    .describe('Adds the interest and fees of the cycle to the percentage.'),
});

const roles = CHART.map(({ role }) => role) as [AccountRole, ...AccountRole[]];

export const products = resource({
  name: 'Product',
  path: 'products',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,

  fields: {
    id: uuid.readonly(),
    program_id: uuid.nullish(),
    name: requiredText,
    public_name: requiredText.nullish().describe('The name that borrowers see. Default: the name.'),
    code: requiredText.max(50),
    is_active: flag.default(true),
    loan_type: z.enum(terms.LOAN_TYPES).default('installment'),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'Must be a currency code like USD.')
      .default('USD'),
    min_amount: money.nullish(),
    max_amount: positiveMoney.nullish(),
    min_rate: rate.nullish(),
    max_rate: rate.nullish(),
    min_term_months: integer.min(1).max(600).nullish(),
    max_term_months: integer.min(1).max(600).nullish(),
    interest_method: z.enum(terms.INTEREST_METHODS).default('simple_daily'),
    day_count: z.enum(terms.DAY_COUNTS).default('actual_365'),
    payment_frequency: z.enum(terms.PAYMENT_FREQUENCIES).default('monthly'),
    amortization: z.enum(terms.AMORTIZATIONS).default('level_payment'),
    balloon_amount: positiveMoney.nullish(),
    first_payment_rule: z.enum(terms.FIRST_PAYMENT_RULES).default('next_month_on_payment_day'),
    min_days_to_first_payment: days.max(120).default(15),
    allocation_order: allocationOrder.default('standard'),
    extra_payment_to: z.enum(terms.EXTRA_PAYMENT_TARGETS).default('principal'),
    rounding_mode: z
      .enum(terms.INTEREST_ROUNDINGS)
      .default('half_up')
      .describe('How accrued interest is rounded to whole cents.'),
    installment_rounding: z.enum(ROUNDINGS).default('half_up'),
    installment_calculation: z.enum(terms.INSTALLMENT_CALCULATIONS).default('periodic_rate'),
    fee_rules: FeeRules.default([]),
    late_fee_grace_days: days.max(365).default(10),
    delinquency_grace_days: days
      .max(365)
      .default(0)
      .describe('Days after a due date that do not count as past due.'),
    default_dpd_threshold: days.min(1).default(90),
    charge_off_dpd_threshold: days.min(1).optional(),
    non_accrual_dpd_threshold: days.min(1).default(90),
    small_balance_tolerance: money.default('1.00'),
    payoff_quote_valid_days: days
      .min(1)
      .max(60)
      .optional()
      .describe('Default for a new product: payoff.quote_valid_days from the settings.'),
    prepayment_penalty: prepaymentPenalty.nullish(),
    minimum_payment: minimumPayment
      .nullish()
      .describe(
        'The minimum payment of each billing cycle, plus past-due amounts. Without it, draws on a line of credit are repaid in installments.',
      ),
    cycle_day: integer
      .min(1)
      .max(28)
      .nullish()
      .describe(
        'The day of the month on which cycles end. Default: the day on which the line was opened.',
      ),
    payment_due_days: integer
      .min(1)
      .max(27)
      .nullish()
      .describe(
        'Days from the statement date to the due date. Minimum: 21 (12 CFR 1026.5(b)(2)(ii)), except in small_business programs.',
      ),
    grace_on_purchases: flag
      .default(false)
      .describe(
        'Draws accrue no interest while each statement balance is paid in full by its due date. Requires minimum_payment.',
      ),
    max_deferments_per_12m: days.max(12).default(2),
    max_modifications: days.max(100).default(5),
    rescission_days: days
      .max(30)
      .default(0)
      .describe(
        'Business days (12 CFR 1026.2(a)(6)) after the approval during which the loan cannot be disbursed.',
      ),
    metro2_portfolio_type: z.enum(['C', 'I', 'M', 'O', 'R']).default('I'),
    metro2_account_type: z
      .string()
      .regex(/^[0-9A-Z]{2}$/, 'Must be a Metro 2 account type like 01.')
      .default('01'),
    gl_map: z
      .partialRecord(z.enum(roles), uuid)
      .default({})
      .describe(
        'Maps account roles to accounts. Loans of this product post to these accounts instead of the default ones. A change affects only new loans.',
      ),
    metadata: jsonObject.default({}),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  filters: ['program_id', 'name', 'code', 'loan_type', 'is_active', 'payment_frequency'],

  // Only a line of credit with billing cycles may have a grace period.
  example: () => ({ grace_on_purchases: false }),
  create: addProduct,
  update: changeProduct,
});
