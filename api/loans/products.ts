import { z } from 'zod';
import { CHART, type AccountRole } from '../../jobs/ledger/chart.ts';
import * as terms from '../../jobs/loans/arithmetic/terms.ts';
import { FeeRules } from '../../jobs/loans/products/fee-rules.ts';
import { addProduct, changeProduct } from '../../jobs/loans/products/product.ts';
import {
  allocationOrder,
  minimumPayment,
  prepaymentPenalty,
} from '../../jobs/loans/products/product-rules.ts';
import { ROUNDINGS } from '../../jobs/money.ts';
import { products as table } from '../../sql/loans/products/products.ts';
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

const roles = CHART.map(({ role }) => role) as [AccountRole, ...AccountRole[]];

export const products = resource({
  name: 'Product',
  path: 'products',
  about:
    'A product defines the terms of its loans: interest, schedule, order of payments, fees and thresholds.',
  area: 'loans',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,

  fields: {
    id: uuid.readonly(),
    program_id: uuid
      .nullish()
      .describe(
        'The only program whose loans can use this product. Default: every program can use it.',
      ),
    name: requiredText.describe('The name that staff see.'),
    public_name: requiredText.nullish().describe('The name that borrowers see. Default: the name.'),
    code: requiredText.max(50).describe('Your short code for the product. Must be unique.'),
    is_active: flag
      .default(true)
      .describe('Whether new loans can use the product. Existing loans are not affected.'),
    loan_type: z
      .enum(terms.LOAN_TYPES)
      .default('installment')
      .describe(
        '`installment` is repaid by a schedule. `line_of_credit` can be drawn on repeatedly, up to its limit.',
      ),
    currency: z
      .string()
      .regex(/^[A-Z]{3}$/, 'Must be a currency code like USD.')
      .default('USD')
      .describe("ISO 4217 code, for your information. All amounts are in the tenant's currency."),
    min_amount: money.nullish().describe('The smallest principal amount of a loan.'),
    max_amount: positiveMoney.nullish().describe('The largest principal amount of a loan.'),
    min_rate: rate.nullish().describe('The lowest annual rate of a loan.'),
    max_rate: rate.nullish().describe('The highest annual rate of a loan.'),
    min_term_months: integer.min(1).max(600).nullish().describe('The shortest term of a loan.'),
    max_term_months: integer.min(1).max(600).nullish().describe('The longest term of a loan.'),
    interest_method: z
      .enum(terms.INTEREST_METHODS)
      .default('simple_daily')
      .describe(
        "`simple_daily` accrues interest on each day's principal. `scheduled` charges the interest in the schedule, whenever payments arrive. `flat` charges interest on the original principal for the whole term. `interest_only` accrues daily, bills only interest, and bills the principal with the last installment.",
      ),
    day_count: z
      .enum(terms.DAY_COUNTS)
      .default('actual_365')
      .describe(
        'How days become a part of a year: the actual days divided by 365, 360, 364 or the days of the calendar year (`actual_actual`), or months of 30 days in a year of 360 (`30_360`).',
      ),
    payment_frequency: z
      .enum(terms.PAYMENT_FREQUENCIES)
      .default('monthly')
      .describe(
        'How often an installment is due. `semi_monthly` is twice a month, half a month apart. `single` is one payment at the end of the term.',
      ),
    amortization: z
      .enum(terms.AMORTIZATIONS)
      .default('level_payment')
      .describe(
        '`level_payment` bills equal installments. `level_principal` bills equal parts of the principal plus interest. `balloon` bills equal installments and a larger last one. `interest_only` bills interest, and the principal with the last installment.',
      ),
    balloon_amount: positiveMoney
      .nullish()
      .describe(
        'The principal that is left for the last installment, for `balloon`. Default: the whole principal.',
      ),
    first_payment_rule: z
      .enum(terms.FIRST_PAYMENT_RULES)
      .default('next_month_on_payment_day')
      .describe(
        '`next_month_on_payment_day` is the first payment day at least `min_days_to_first_payment` after the disbursement. `30_days_after` is 30 days after the disbursement. `custom` is like `next_month_on_payment_day`, for products whose loans name their own date. A `first_payment_date` of the loan always comes first.',
      ),
    min_days_to_first_payment: days
      .max(120)
      .default(15)
      .describe(
        'Minimum days from the disbursement to the first payment day, for monthly and quarterly loans with a payment day.',
      ),
    allocation_order: allocationOrder
      .default('standard')
      .describe(
        'In which order a payment is applied, by name or as a list of steps. `standard`: overdue, due and future amounts, each in the order fees, interest, principal. `interest_first`: the same with interest before fees. `delinquency_first`: overdue and due interest and principal, then fees, then future amounts. Missing steps follow in standard order. Accelerated, non-accrual and charged-off loans have fixed orders.',
      ),
    extra_payment_to: z
      .enum(terms.EXTRA_PAYMENT_TARGETS)
      .default('principal')
      .describe(
        'What a payment above the amount due does: `principal` shortens the loan and the next installment stays due, `next_installment` also covers the following installments.',
      ),
    rounding_mode: z
      .enum(terms.INTEREST_ROUNDINGS)
      .default('half_up')
      .describe(
        'How accrued interest is rounded to whole cents. `half_even` rounds half a cent to the even cent, `down` omits fractions of a cent.',
      ),
    installment_rounding: z
      .enum(ROUNDINGS)
      .default('half_up')
      .describe(
        'How the installment is rounded to cents. `half_even` rounds half a cent to the even cent, `up` rounds every fraction of a cent up, `down` omits it.',
      ),
    installment_calculation: z
      .enum(terms.INSTALLMENT_CALCULATIONS)
      .default('periodic_rate')
      .describe(
        'How the installment and scheduled interest are calculated: `periodic_rate` divides the annual rate by the number of payments in a year, `actual_days` uses the days of each period and `day_count`.',
      ),
    fee_rules: FeeRules.default([]).describe('The fees that are charged automatically.'),
    late_fee_grace_days: days
      .max(365)
      .default(10)
      .describe(
        'Days after the due date during which no late fee is charged, unless the fee rule has its own `grace_days`.',
      ),
    delinquency_grace_days: days
      .max(365)
      .default(0)
      .describe('Days after a due date that do not count as past due.'),
    default_dpd_threshold: days
      .min(1)
      .default(90)
      .describe('Days past due from which a loan counts as defaulted (`is_defaulted`).'),
    charge_off_dpd_threshold: days
      .min(1)
      .optional()
      .describe(
        'Days past due at which close of business charges off the loan, if `charge_off.auto_enabled` is on in the settings. Default for a new product: 120, or 180 for a line of credit.',
      ),
    non_accrual_dpd_threshold: days
      .min(1)
      .default(90)
      .describe(
        'Days past due at which close of business puts the loan on non-accrual, if `non_accrual.auto` is on in the settings.',
      ),
    small_balance_tolerance: money
      .default('1.00')
      .describe(
        'If a payment leaves at most this amount of an installment loan, the rest is written off and the loan is paid off.',
      ),
    payoff_quote_valid_days: days
      .min(1)
      .max(60)
      .optional()
      .describe('Default for a new product: payoff.quote_valid_days from the settings.'),
    prepayment_penalty: prepaymentPenalty
      .nullish()
      .describe('The charge for paying off the loan early. Default: none.'),
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
    max_deferments_per_12m: days
      .max(12)
      .default(2)
      .describe(
        'How many deferments of a loan can start within 12 months. Applies to existing loans too.',
      ),
    max_modifications: days
      .max(100)
      .default(5)
      .describe(
        'How many modifications a loan can have. Rejected, canceled and reversed ones do not count. Applies to existing loans too.',
      ),
    rescission_days: days
      .max(30)
      .default(0)
      .describe(
        'Business days (12 CFR 1026.2(a)(6)) after the approval during which the loan cannot be disbursed.',
      ),
    metro2_portfolio_type: z
      .enum(['C', 'I', 'M', 'O', 'R'])
      .default('I')
      .describe(
        'Metro 2 portfolio type: C line of credit, I installment, M mortgage, O open account, R revolving. A line of credit with I is reported as C.',
      ),
    metro2_account_type: z
      .string()
      .regex(/^[0-9A-Z]{2}$/, 'Must be a Metro 2 account type like 01.')
      .default('01')
      .describe('Metro 2 account type, two characters, such as 00 (auto) or 01 (unsecured).'),
    gl_map: z
      .partialRecord(z.enum(roles), uuid)
      .default({})
      .describe(
        'Maps account roles to accounts. Loans of this product post to these accounts instead of the default ones. A change affects only new loans.',
      ),
    metadata: jsonObject.default({}).describe('Your own data about the product, up to 16 kB.'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  filters: ['program_id', 'name', 'code', 'loan_type', 'is_active', 'payment_frequency'],

  // Only a line of credit with billing cycles may have a grace period.
  example: () => ({ grace_on_purchases: false }),
  create: addProduct,
  update: changeProduct,
});
