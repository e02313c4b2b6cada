import type { Big } from 'big.js';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { addDays } from '../../dates.ts';
import { max, min, parseMoney, parseRate, sum, toCents, ZERO } from '../../money.ts';
import type { FEE_TREATMENTS, FeeRule as Written } from './fee-rules.ts';
import { readTerms } from './loan-terms.ts';

/** A fee rule as stored with a loan. Older loans may lack fields that were added to rules later. */
export type FeeRule = Pick<Written, 'fee_type' | 'calculation' | 'trigger'> & Partial<Written>;

export const loanFeeRules = (loan: RawLoan): FeeRule[] => {
  const { fee_rules } = readTerms(loan);
  return Array.isArray(fee_rules) ? (fee_rules as FeeRule[]) : [];
};

/** The days after a due date during which the rule charges no late fee. */
export const lateFeeGraceDays = (rule: FeeRule, loan: RawLoan): number =>
  rule.grace_days ?? readTerms(loan).late_fee_grace_days;

/** False if the stored amounts of the rule are not numbers. */
export const isReadableRule = ({ amount, percentage, min_amount, max_amount }: FeeRule): boolean =>
  [amount, percentage, min_amount, max_amount].every(
    (figure) => figure === null || figure === undefined || /^\d+(\.\d+)?$/.test(figure),
  );

/** The last day on which an installment with this due date can be paid without a late fee. */
export function lastDayOnTime(loan: RawLoan, dueDate: string): string {
  const rules = loanFeeRules(loan).filter(({ trigger }) => trigger === 'past_due');
  const graces = rules.map((rule) => lateFeeGraceDays(rule, loan));
  return graces.length === 0 ? dueDate : addDays(dueDate, Math.min(...graces));
}

/**
 * The fee, rounded to cents and kept within the rule's minimum and maximum. Percentages apply to
 * `base`.
 */
export function feeAmount(rule: FeeRule, base: string): Big {
  const flat = parseMoney(rule.amount ?? '0.00');
  const share = toCents(parseMoney(base).times(parseRate(rule.percentage ?? '0')));
  const plain =
    rule.calculation === 'flat'
      ? flat
      : rule.calculation === 'greater_of'
        ? max(flat, share)
        : rule.calculation === 'lesser_of'
          ? min(flat, share)
          : share;
  const atLeast = rule.min_amount ? max(plain, parseMoney(rule.min_amount)) : plain;
  return rule.max_amount ? min(atLeast, parseMoney(rule.max_amount)) : atLeast;
}

type Treatment = (typeof FEE_TREATMENTS)[number];
type Funding = { amount: string; isFirst: boolean };
type FundingFee = { rule: FeeRule; amount: Big; treatment: Treatment };

/**
 * The fees that the product charges for a disbursement. Fees that are a percentage of the disbursement
 * apply to every disbursement. All other fees apply once, to the first one.
 */
export const fundingFees = (loan: RawLoan, funding: Funding): FundingFee[] =>
  feesByRules(loanFeeRules(loan), loan.principal_amount, funding);

/**
 * Like `fundingFees`, for a loan that does not exist yet: it uses the product's rules and the planned
 * principal.
 */
export function feesByRules(
  rules: readonly FeeRule[],
  principal: string,
  { amount: disbursed, isFirst }: Funding,
): FundingFee[] {
  return rules
    .filter(({ trigger }) => trigger === 'disbursement')
    .map((rule) => {
      const isShare = rule.calculation === 'percent_of_disbursement';
      const base = isShare ? disbursed : principal;
      const amount = isFirst || isShare ? feeAmount(rule, base) : ZERO;
      return { rule, amount, treatment: rule.treatment ?? 'upfront' };
    })
    .filter(({ amount }) => amount.gt(ZERO));
}

export const sumFeesByTreatment = (
  fees: readonly Pick<FundingFee, 'amount' | 'treatment'>[],
  ...treatments: readonly Treatment[]
): Big =>
  sum(fees.filter(({ treatment }) => treatments.includes(treatment)).map((fee) => fee.amount));
