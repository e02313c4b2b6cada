import { Big } from 'big.js';
import { z } from 'zod';
import { newId } from '../../../sql/new-id.ts';
import { integer, positiveMoney, rate, uuid, freeText } from '../../../sql/types.ts';

/** Fee assessments and product rules share these lists. */
export const FEE_TYPES = [
  'origination',
  'late',
  'nsf',
  'returned_payment',
  'modification',
  'due_date_change',
  'convenience',
  'annual',
  'draw',
  'payoff',
  'legal',
  'recovery',
  'prepayment_penalty',
  'adjustment',
  'other',
] as const;
export const FEE_CALCULATIONS = [
  'flat',
  'percent_of_principal',
  'percent_of_payment',
  'percent_of_past_due',
  'percent_of_disbursement',
  'greater_of',
  'lesser_of',
] as const;
export const FEE_TRIGGERS = [
  'disbursement',
  'past_due',
  'payment_returned',
  'modification',
  'due_date_change',
  'draw',
  'payoff',
  'manual',
] as const;
export const FEE_TREATMENTS = ['upfront', 'deducted', 'capitalized', 'amortized'] as const;
export const LATE_FEE_RULES = ['standard', 'standard_fee', 'current'] as const;

/** `greater_of` and `lesser_of` compare the flat amount with the percentage. */
const needsAmount = (calculation: string) =>
  ['flat', 'greater_of', 'lesser_of'].includes(calculation);
const needsPercentage = (calculation: string) => calculation !== 'flat';

/** A product's rule for one fee: the trigger, the amount and the treatment. */
export const FeeRule = z
  .strictObject({
    id: uuid.nullish().describe('Assigned by the server. Fees refer to it as fee_rule_id.'),
    fee_type: z.enum(FEE_TYPES).describe('The type of the fees that the rule charges.'),
    description: freeText
      .nullish()
      .describe('The text that a disbursement fee shows. Other fees have fixed texts.'),
    calculation: z
      .enum(FEE_CALCULATIONS)
      .describe(
        '`flat` charges `amount`. The `percent_of_…` values charge `percentage` of the amount that the trigger gives. `greater_of` and `lesser_of` compare the two. For `disbursement` the percentage applies to the approved amount, and with `percent_of_disbursement` to each amount disbursed. For `past_due` it applies to the installment, and with `percent_of_past_due` to its unpaid part.',
      ),
    amount: positiveMoney
      .nullish()
      .describe('The flat amount. Required for `flat`, `greater_of` and `lesser_of`.'),
    percentage: rate.nullish().describe('The share. Required for every calculation except `flat`.'),
    min_amount: positiveMoney.nullish().describe('The lowest fee.'),
    max_amount: positiveMoney.nullish().describe('The highest fee.'),
    grace_days: integer
      .min(0)
      .max(365)
      .nullish()
      .describe(
        "For `past_due`: days after the due date before the late fee is charged. Default: the product's `late_fee_grace_days`.",
      ),
    trigger: z
      .enum(FEE_TRIGGERS)
      .describe(
        'What causes the fee. `disbursement`: the first disbursement. `past_due`: an installment that is unpaid after its grace days. `payment_returned`: a return for insufficient funds. `modification`: a modification that is applied. `due_date_change`: a change with `charge_fee`. `draw`: a draw without its own fee. `manual`: nothing; the rule is only disclosed. `payoff` is not supported.',
      ),
    treatment: z
      .enum(FEE_TREATMENTS)
      .default('upfront')
      .describe(
        'How a disbursement fee is charged: due on that day, deducted from the proceeds, ' +
          'added to the principal, or spread over the installments.',
      ),
    late_fee_rule: z
      .enum(LATE_FEE_RULES)
      .default('standard')
      .describe(
        'For `past_due`: `standard` always charges the fee. `standard_fee` does not charge it if the past-due amount is at most the fee. `current` does not charge it if the borrower has paid anything since the previous due date.',
      ),
  })
  .superRefine((rule, context) => {
    const refuse = (field: string, message: string) =>
      context.addIssue({ code: 'custom', path: [field], message });
    if (needsAmount(rule.calculation) && !rule.amount)
      refuse('amount', `Is required for ${rule.calculation}.`);
    if (needsPercentage(rule.calculation) && !rule.percentage)
      refuse('percentage', `Is required for ${rule.calculation}.`);
    if (rule.treatment !== 'upfront' && rule.trigger !== 'disbursement')
      refuse('treatment', 'Must be upfront unless the trigger is disbursement.');
    // The product's prepayment penalty already covers the cost of an early payoff.
    if (rule.trigger === 'payoff')
      refuse('trigger', 'Is not supported. Set the prepayment_penalty of the product.');
    if (rule.min_amount && rule.max_amount && new Big(rule.min_amount).gt(rule.max_amount))
      refuse('max_amount', 'Must not be below min_amount.');
  });
export type FeeRule = z.output<typeof FeeRule>;

export const FeeRules = z
  .array(FeeRule)
  .max(30)
  .refine((rules) => {
    const ids = rules.flatMap(({ id }) => id ?? []);
    return new Set(ids).size === ids.length;
  }, 'Must not name an id twice.');

/**
 * Gives every rule an id: its own, or the id of an identical existing rule. An unchanged rule therefore
 * keeps its id when a client rewrites the product without ids.
 */
export function assignRuleIds(rules: readonly FeeRule[], known: readonly FeeRule[]): FeeRule[] {
  const taken = new Set(rules.flatMap(({ id }) => id ?? []));
  return rules.map((rule) => {
    const same = known.find((old) => old.id && !taken.has(old.id) && isSame(old, rule));
    const id = rule.id ?? same?.id ?? newId();
    taken.add(id);
    return { ...rule, id };
  });
}

const isSame = (one: FeeRule, other: FeeRule) => textOf(one) === textOf(other);
const textOf = ({ id: _, ...rule }: FeeRule) =>
  JSON.stringify(Object.entries(rule).toSorted(([one], [other]) => (one < other ? -1 : 1)));
