import { z } from 'zod';
import { date, positiveMoney } from '../../../sql/types.ts';

export const AUTOPAY_AMOUNT_TYPES = [
  'minimum_due',
  'fixed',
  'minimum_due_plus',
  'past_due_and_current',
  'statement_balance',
  'payoff',
] as const;

/** How the amount above the minimum is applied. */
export const EXTRA_TOWARD = ['principal', 'next_payment'] as const;

/** What an autopay plan draws and when it starts and ends. Staff and borrowers set the same fields. */
export const autopayTerms = {
  amount_type: z
    .enum(AUTOPAY_AMOUNT_TYPES)
    .default('minimum_due')
    .describe(
      'How much to draw. `minimum_due`: the installment. `minimum_due_plus`: the same and `extra_amount`. `fixed`: `fixed_amount`. `past_due_and_current`: everything due by then, with fees. `statement_balance`: the last statement of a line with billing cycles, otherwise the same. `payoff`: everything. Never more than the debt.',
    ),
  fixed_amount: positiveMoney
    .nullish()
    .describe("The amount of each draw in the tenant's currency, for `fixed`."),
  extra_amount: positiveMoney
    .nullish()
    .describe("The amount above the installment in the tenant's currency, for `minimum_due_plus`."),
  extra_toward: z
    .enum(EXTRA_TOWARD)
    .default('principal')
    .describe(
      'What an amount above the minimum pays: the principal, or the next installment in advance.',
    ),
  start_date: date
    .nullish()
    .describe(
      'The first due date that can be drawn for, at most ten years ahead. Default: the business date.',
    ),
  end_date: date.nullish().describe('The last due date that can be drawn for. Default: no end.'),
};
