import { z } from 'zod';
import { COMPLIANCE_CHECKS } from './compliance-checks.ts';
import { settingGroup, tolerance } from './setting-types.ts';

/** Tenant settings for originating and servicing loans. */

const CheckLevel = z.enum(['off', 'warn', 'hard']);

const checkLevels = z.partialRecord(z.enum(COMPLIANCE_CHECKS), CheckLevel, {
  error: ({ code }) => (code === 'invalid_key' ? 'There is no such check.' : undefined),
});

export const compliance = settingGroup('Checks of a loan before it is approved and funded.', {
  hard_enforcement: z
    .boolean()
    .default(false)
    .describe(
      'Whether a failed check blocks the approval of a loan, and a disclosed rate that is no longer accurate blocks its disbursement. If false, problems are only reported.',
    ),
  run_on_approve: z
    .boolean()
    .default(true)
    .describe(
      'Whether approving a loan runs its checks. If false, run them with POST /loans/{id}/run-compliance-checks.',
    ),
  sanctions_screening: z
    .enum(['off', 'sdn_list'])
    .default('off')
    .describe(
      'Whom the check ofac_screening compares with which list. `sdn_list`: everyone who owes an open loan, with the imported list of Specially Designated Nationals, when a check runs and at each close of business. `off`: nobody.',
    ),
  checks: checkLevels
    .default({})
    .describe(
      'The level of single checks, by name: `off` skips the check, `warn` reports a problem, `hard` counts it as a failure. Default: `hard` with hard_enforcement, otherwise `warn`; usury_rate_cap is always `warn`. A check that cannot be made fails at `hard`, and is skipped with the reason at `warn`.',
    ),
});

export const accounting = settingGroup('How loans are posted to the ledger.', {
  accrual_relief: z
    .boolean()
    .default(true)
    .describe(
      'Whether a payment of interest reduces the receivable that the daily accrual booked. If false, payments credit income a second time, and you correct income yourself. Applies to loans created after a change.',
    ),
  reverse_interest_on_non_accrual: z
    .boolean()
    .default(true)
    .describe(
      'Whether a loan that stops accruing also reverses its unpaid interest that was booked as income. The borrower still owes it.',
    ),
  ach_cash: z
    .enum(['effective_date', 'payment_date'])
    .default('effective_date')
    .describe(
      'When an ACH order counts as cash. `effective_date`: on the effective entry date of its Nacha file, and until then on the account ACH Clearing. `payment_date`: when it is ordered.',
    ),
});

export const delinquency = settingGroup('When a loan counts as past due.', {
  satisfied_tolerance: tolerance
    .default('0.00')
    .describe(
      'An installment counts as paid if at most this amount of it is open. At most 100.00. Does not apply to the last installment. Applies to loans created after a change.',
    ),
  pause_in_forbearance: z
    .boolean()
    .default(true)
    .describe(
      'Whether the days past due stop counting during a forbearance that suspends delinquency. If false, they continue in every forbearance.',
    ),
});

export const suspense = settingGroup('Money received but not applied to a loan.', {
  pays_bills: z
    .boolean()
    .default(false)
    .describe('Whether close of business pays each due installment that suspense covers in full.'),
});

export const non_accrual = settingGroup('Loans on which no interest is booked.', {
  auto: z
    .boolean()
    .default(false)
    .describe(
      "Whether close of business puts a loan on non-accrual when it reaches its product's non_accrual_dpd_threshold.",
    ),
});

export const charge_off = settingGroup('Charge-offs.', {
  auto_enabled: z
    .boolean()
    .default(false)
    .describe(
      "Whether close of business charges off a loan when it reaches its product's charge_off_dpd_threshold.",
    ),
  require_default: z
    .boolean()
    .default(false)
    .describe(
      "Whether staff may charge off for delinquency only a loan in default: accelerated, or at least its product's default_dpd_threshold days past due. `force` in the request overrides this.",
    ),
});

export const payoff = settingGroup('Payoffs and payoff quotes.', {
  quote_valid_days: z
    .int()
    .min(1)
    .max(60)
    .default(10)
    .describe('How many days a payoff quote is valid. Copied to new products that do not set it.'),
  tolerance: tolerance
    .default('1.00')
    .describe('A payoff may be short by up to this amount, which is written off. At most 100.00.'),
});

export const servicing_transfers = settingGroup(
  'Servicing that moves to or from another servicer (12 CFR 1024.33).',
  {
    covers: z
      .enum(['all', 'mortgages'])
      .default('all')
      .describe(
        'Which borrowers get letters and protection. The law covers `mortgages`: Metro 2 portfolio type M, or secured by real estate. `all`: every loan.',
      ),
    goodbye_days: z
      .int()
      .min(15)
      .max(90)
      .default(15)
      .describe('Days before the transfer by which goodbye letters must be sent.'),
    hello_days: z
      .int()
      .min(1)
      .max(15)
      .default(15)
      .describe('Days after the transfer by which hello letters must be sent.'),
    protected_days: z
      .int()
      .min(60)
      .max(180)
      .default(60)
      .describe(
        'Days from the transfer on which a payment that the old servicer received on time is not late.',
      ),
    waives_late_fees: z
      .boolean()
      .default(true)
      .describe(
        'Whether no late fee is charged on these days, and installments due on them are not reported as late, because the payment may be on its way. If false, a late fee is waived once a payment on time is recorded.',
      ),
  },
);
