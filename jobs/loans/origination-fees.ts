import type { RawLoan } from '../../sql/loans/loans.ts';
import { insert } from '../../sql/write.ts';
import { max, min, money, parseMoney, parseRate, toCents, ZERO } from '../money.ts';
import { emit } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';
import type { LoanEvent } from './events.ts';
import { newEvent } from './happen.ts';
import { termsOf } from './terms-of.ts';
import type { Big } from 'big.js';

export type FeeRule = {
  fee_type: string;
  calculation: string;
  trigger: string;
  amount?: string | null;
  percentage?: string | null;
  min_amount?: string | null;
  max_amount?: string | null;
  grace_days?: number | null;
  late_fee_rule?: string;
};

export const feeRulesOf = (loan: RawLoan): FeeRule[] => {
  const { fee_rules } = termsOf(loan);
  return Array.isArray(fee_rules) ? (fee_rules as FeeRule[]) : [];
};

/** What a rule comes to on a base, in cents: flat, a percentage, or the greater or lesser of both. */
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

/**
 * Assesses the product's fees of a disbursement; they are owed from that day. Those that are a share of
 * the disbursement are asked of every one, the others of the first, for the whole loan.
 */
export async function assessOriginationFees(
  work: Work,
  loan: RawLoan,
  { on, amount: disbursed, isFirst }: { on: string; amount: string; isFirst: boolean },
): Promise<LoanEvent[]> {
  const events: LoanEvent[] = [];
  for (const rule of feeRulesOf(loan).filter(({ trigger }) => trigger === 'disbursement')) {
    const isShare = rule.calculation === 'percent_of_disbursement';
    if (!isFirst && !isShare) continue;
    const amount = feeAmount(rule, isShare ? disbursed : loan.principal_amount);
    if (amount.lte(ZERO)) continue;
    events.push(
      await assessFee(work, loan, {
        fee_type: rule.fee_type,
        amount: money(amount),
        on,
        description: 'Origination fee',
      }),
    );
  }
  return events;
}

type NewFee = {
  fee_type: string;
  amount: string;
  on: string;
  description: string | null;
  installment_number?: number;
  due_date?: string;
  /** The payment that is the cause. */
  payment_id?: string;
};

/** Writes a fee and tells of it; the event it answers still has to happen to the loan. */
export async function assessFee(
  work: Work,
  loan: Pick<RawLoan, 'id'>,
  fee: NewFee,
): Promise<LoanEvent> {
  const { on, ...rest } = fee;
  const fee_id = await insert(work.tx, 'fees', {
    ...rest,
    loan_id: loan.id,
    assessed_date: work.today,
    effective_date: on,
  });
  await emit(work, 'fee.assessed', {
    fee_id,
    loan_id: loan.id,
    fee_type: fee.fee_type,
    amount: fee.amount,
    assessed_date: work.today,
  });
  const { fee_type, amount, installment_number } = fee;
  return newEvent({
    kind: 'fee',
    effective_date: on,
    fee_id,
    fee_type,
    amount,
    ...(installment_number !== undefined && { installment_number }),
  });
}
