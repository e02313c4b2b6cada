import { z } from 'zod';
import { CHART, type AccountRole } from '../../ledger/chart.ts';
import * as terms from '../../loans/arithmetic/terms.ts';
import { JURISDICTIONS, PROGRAM_TYPES } from '../../loans/products/program-types.ts';
import { ROUNDINGS } from '../../money.ts';
import { COMPLIANCE_CHECKS } from '../../users/settings/compliance-checks.ts';
import { furnisherNumber } from '../../users/settings/setting-types.ts';
import { lastFourDigits } from '../../../sql/formatted-text.ts';
import { emailAddress, externalId, jsonObject, uuid } from '../../../sql/types.ts';
import {
  INVESTOR_TYPES,
  REMITTANCE_FREQUENCIES,
  REMITTANCE_TYPES,
} from '../../portfolios/investor-types.ts';
import { bookFile, optional, required } from './columns.ts';
import * as kinds from './kinds.ts';

const code = kinds.line(50);
const days = (max = 3650) => kinds.wholeNumber(0, max);
const flag = kinds.flag;
const metadata = kinds.json(jsonObject);
const roles = CHART.map(({ role }) => role) as [AccountRole, ...AccountRole[]];

/** A rule of a product. The operation that adds the product checks its parts. */
const rules = kinds.json(
  z.union([z.record(z.string(), z.unknown()), z.array(z.unknown()).max(50)]),
);

export const programs = bookFile(
  'A program: a line of lending with its states and products.',
  {
    code: required(code, 'Your short code for the program.'),
    name: required(kinds.line(), 'The name of the program.'),
    description: optional(kinds.prose, 'What the program is for.'),
    program_type: optional(
      kinds.choice(PROGRAM_TYPES),
      'What the program lends for. Default: `personal`.',
    ),
    is_active: optional(flag, 'Whether new loans can use the program. Default: true.'),
    default_product_code: optional(code, 'The product that an application may preselect.'),
    funding_source: optional(kinds.words, 'Where the money comes from.'),
    credit_identification_number: optional(
      kinds.textOf(furnisherNumber),
      'The identification number under which its loans are reported. Default: that of the tenant.',
    ),
    jurisdictions: optional(
      kinds.list(z.enum(JURISDICTIONS, 'Must be state codes like NY.'), 60),
      'Codes of the states in which you may lend. Empty: not checked.',
    ),
    compliance_checks: optional(
      kinds.list(z.enum(COMPLIANCE_CHECKS), 50),
      "The checks that run on the program's loans. Empty: all checks.",
    ),
    template_overrides: optional(metadata, 'Stored for your own use.'),
    metadata: optional(metadata, 'Your own data about the program.'),
  },
  { key: ['code'] },
);

export const products = bookFile(
  'A product: the rules that its loans copy when they are boarded.',
  {
    code: required(code, 'Your short code for the product.'),
    name: required(kinds.line(), 'The name that staff see.'),
    public_name: optional(kinds.line(), 'The name that borrowers see. Default: the name.'),
    program_code: optional(code, 'The only program that can use it. Default: every program.', {
      refers_to: 'programs',
    }),
    is_active: optional(flag, 'Whether new loans can use the product. Default: true.'),
    loan_type: optional(kinds.choice(terms.LOAN_TYPES), 'Default: `installment`.'),
    currency: optional(
      kinds.textOf(z.string().regex(/^[A-Z]{3}$/, 'Must be a currency code like USD.')),
      'Default: `USD`.',
    ),
    min_amount: optional(kinds.money, 'The smallest principal amount of a loan.'),
    max_amount: optional(kinds.positiveMoney, 'The largest principal amount of a loan.'),
    min_rate: optional(kinds.rate, 'The lowest annual rate, as a fraction.'),
    max_rate: optional(kinds.rate, 'The highest annual rate, as a fraction.'),
    min_term_months: optional(kinds.wholeNumber(1, 600), 'The shortest term in months.'),
    max_term_months: optional(kinds.wholeNumber(1, 600), 'The longest term in months.'),
    interest_method: optional(
      kinds.choice(terms.INTEREST_METHODS),
      'How interest accrues. Default: `simple_daily`.',
    ),
    day_count: optional(
      kinds.choice(terms.DAY_COUNTS),
      'How days become a part of a year. Default: `actual_365`.',
    ),
    payment_frequency: optional(
      kinds.choice(terms.PAYMENT_FREQUENCIES),
      'How often an installment is due. Default: `monthly`.',
    ),
    amortization: optional(
      kinds.choice(terms.AMORTIZATIONS),
      'Which installments repay the loan. Default: `level_payment`.',
    ),
    balloon_amount: optional(
      kinds.positiveMoney,
      'The principal left for the last installment, for `balloon`.',
    ),
    first_payment_rule: optional(
      kinds.choice(terms.FIRST_PAYMENT_RULES),
      'Default: `next_month_on_payment_day`.',
    ),
    min_days_to_first_payment: optional(
      days(120),
      'Days from disbursement to the first payment day. Default: 15.',
    ),
    allocation_order: optional(
      kinds.json(z.union([z.string(), z.array(z.unknown()).max(9)])),
      'In which order a payment is applied: a JSON text such as `"interest_first"`, or a list of steps.',
    ),
    extra_payment_to: optional(
      kinds.choice(terms.EXTRA_PAYMENT_TARGETS),
      'What a payment above the amount due does. Default: `principal`.',
    ),
    rounding_mode: optional(
      kinds.choice(terms.INTEREST_ROUNDINGS),
      'How accrued interest is rounded to cents. Default: `half_up`.',
    ),
    installment_rounding: optional(
      kinds.choice(ROUNDINGS),
      'How the installment is rounded to cents. Default: `half_up`.',
    ),
    installment_calculation: optional(
      kinds.choice(terms.INSTALLMENT_CALCULATIONS),
      'Default: `periodic_rate`.',
    ),
    fee_rules: optional(rules, 'The fees that are charged automatically, as a JSON list.'),
    late_fee_grace_days: optional(days(365), 'Days before a late fee. Default: 10.'),
    delinquency_grace_days: optional(days(365), 'Days that do not count as past due. Default: 0.'),
    default_dpd_threshold: optional(days(), 'Days past due of a loan in default. Default: 90.'),
    charge_off_dpd_threshold: optional(
      days(),
      'Days past due at which a loan is charged off. Default: 120, or 180 for a line of credit.',
    ),
    non_accrual_dpd_threshold: optional(days(), 'Days past due of non-accrual. Default: 90.'),
    small_balance_tolerance: optional(
      kinds.money,
      'A rest that is written off with the last payment. Default: 1.00.',
    ),
    payoff_quote_valid_days: optional(days(60), "Default: the tenant's setting."),
    prepayment_penalty: optional(rules, 'The charge for early repayment, as JSON. Default: none.'),
    minimum_payment: optional(rules, 'The minimum payment of a billing cycle, as JSON.'),
    cycle_day: optional(kinds.wholeNumber(1, 28), 'The day on which billing cycles end.'),
    payment_due_days: optional(
      kinds.wholeNumber(1, 27),
      'Days from the statement of a line of credit to its due date.',
    ),
    grace_on_purchases: optional(
      flag,
      'Whether draws bear no interest while statements are paid in full. Default: false.',
    ),
    max_deferments_per_12m: optional(days(12), 'Deferments within 12 months. Default: 2.'),
    max_modifications: optional(days(100), 'Modifications of a loan. Default: 5.'),
    rescission_days: optional(days(30), 'Business days in which to rescind. Default: 0.'),
    metro2_portfolio_type: optional(kinds.choice(['C', 'I', 'M', 'O', 'R']), 'Default: `I`.'),
    metro2_account_type: optional(
      kinds.textOf(z.string().regex(/^[0-9A-Z]{2}$/, 'Must be a Metro 2 account type like 01.')),
      'Default: `01`.',
    ),
    gl_map: optional(
      kinds.json(z.partialRecord(z.enum(roles), z.string().max(50))),
      'Account roles and the codes of the accounts to which its loans post, as JSON.',
    ),
    metadata: optional(metadata, 'Your own data about the product.'),
  },
  { key: ['code'] },
);

export const settings = bookFile(
  'A setting of the tenant on which figures depend.',
  {
    name: required(kinds.line(), 'Its name, such as `delinquency.satisfied_tolerance`.'),
    value: required(kinds.json(z.unknown()), 'Its value as JSON.'),
  },
  { key: ['name'], is_own_export: true },
);

export const investors = bookFile(
  'An investor who owns loans or shares of loans.',
  {
    name: required(kinds.line(), 'The name, which is unique.'),
    external_id: optional(kinds.textOf(externalId), 'Your id of the investor.'),
    investor_id: optional(
      kinds.textOf(uuid),
      'The id in our own export, by which `records.csv` names the investor.',
    ),
    investor_type: optional(kinds.choice(INVESTOR_TYPES), 'Default: `institutional`.'),
    legal_name: optional(kinds.line(), 'The legal name, if it is another one.'),
    tax_id_last_four: optional(
      kinds.textOf(lastFourDigits),
      'The last four digits of the taxpayer identification number.',
    ),
    contact_name: optional(kinds.line(), 'Whom to contact.'),
    contact_email: optional(kinds.textOf(emailAddress), 'The email address of the contact.'),
    contact_phone: optional(kinds.line(), 'The telephone number of the contact.'),
    address: optional(metadata, 'The postal address as JSON.'),
    remittance_type: optional(
      kinds.choice(REMITTANCE_TYPES),
      'How collections are remitted. Default: `actual_actual`.',
    ),
    remittance_frequency: optional(
      kinds.choice(REMITTANCE_FREQUENCIES),
      'How often collections are remitted. Default: `monthly`.',
    ),
    remittance_day: optional(kinds.wholeNumber(1, 31), 'The day of the month of a remittance.'),
    servicing_fee_rate: optional(kinds.rate, 'The annual servicing fee. Default: `0.005`.'),
    is_active: optional(flag, 'Whether the investor can take loans. Default: true.'),
    notes: optional(kinds.prose, 'Your notes.'),
  },
  { key: ['name'] },
);

export const portfolios = bookFile(
  'A static portfolio, whose loans `loans.csv` names.',
  {
    name: required(kinds.line(), 'The name, which is unique.'),
    description: optional(kinds.prose, 'What the portfolio is for.'),
    investor_name: optional(kinds.line(), 'The investor who owns it, as in `investors.csv`.'),
  },
  { key: ['name'] },
);

export const ledger = bookFile(
  'The balance of a ledger account.',
  {
    account_code: required(code, 'The code of the account.'),
    name: optional(kinds.line(), 'The name of the account.'),
    account_type: optional(
      kinds.choice(['asset', 'liability', 'equity', 'revenue', 'expense']),
      'The type of the account. With it, the import adds an account that the tenant does not have.',
    ),
    role: optional(
      kinds.choice(roles),
      'The purpose of the account in system entries. The import uses the account with this role, whatever its code.',
    ),
    as_of_date: required(kinds.date, 'The balance is the one at the end of this day.'),
    balance: required(kinds.signedMoney, 'Debits minus credits. Negative for a credit balance.'),
  },
  { key: ['account_code', 'as_of_date'], is_own_export: true },
);
