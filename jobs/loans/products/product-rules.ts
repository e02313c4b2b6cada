import { z } from 'zod';
import { flag, integer, money, positiveMoney, rate } from '../../../sql/types.ts';
import { COMPONENTS, DUE_STATES } from '../arithmetic/terms.ts';
import { PENALTY_CALCULATIONS } from './loan-terms.ts';

const allocationStep = z.strictObject({
  due_state: z.enum(DUE_STATES).describe('Whether the amount is overdue, due now, or not due yet.'),
  component: z.enum(COMPONENTS).describe('Which part of the debt the step pays.'),
});

/** In which order a payment is applied: a name, or steps. */
export const allocationOrder = z.union([
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

/** The charge for early repayment. */
export const prepaymentPenalty = z.strictObject({
  calculation: z
    .enum(PENALTY_CALCULATIONS)
    .describe(
      '`flat` charges `amount`. `percent_of_principal` charges `percentage` of the principal that is repaid early.',
    ),
  amount: positiveMoney.nullish().describe('The charge, for `flat`.'),
  percentage: rate
    .nullish()
    .describe('The share of the principal balance, for `percent_of_principal`.'),
  within_months: integer
    .min(1)
    .max(480)
    .nullish()
    .describe(
      'Months after the disbursement during which the penalty applies. Default: until maturity.',
    ),
});

/** The minimum payment of a billing cycle. */
export const minimumPayment = z.strictObject({
  percentage: rate.describe('A share of the total balance at the end of the cycle.'),
  floor_amount: money.describe('The lowest minimum payment, unless the balance is lower.'),
  plus_interest_and_fees: flag
    .default(true)
    .describe('Adds the interest and fees of the cycle to the percentage.'),
});
