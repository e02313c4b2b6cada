import type { Big } from 'big.js';
import type { LateFeeFacts } from '../../../sql/loans/fees/late-fee-facts.ts';
import type {
  ExemptInstallment,
  LateFeeExemption,
} from '../../../sql/loans/fees/late-fee-exemptions.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { periodsWithout } from '../../cases/rules/loan-effects.ts';
import { addDays } from '../../dates.ts';
import { isAboveZero, money, ZERO } from '../../money.ts';
import { pastDueAmountOn } from '../engine/bills.ts';
import { forgivesFeesOn } from '../engine/interest/rate-cap.ts';
import { isSatisfied, type Installment } from '../engine/coverage.ts';
import type { LateFees, LateFeesOn } from '../engine/outlook/outlook-view.ts';
import type { Replay } from '../engine/fold.ts';
import type { Position } from '../engine/position.ts';
import {
  feeAmount,
  isReadableRule,
  lateFeeGraceDays,
  loanFeeRules,
  type FeeRule,
} from '../products/fee-amounts.ts';

/** The rules and facts that decide about a loan's late fees, in addition to its position. */
type LateFeePolicy = {
  rules: readonly { rule: FeeRule; grace_days: number }[];
  /** Rules and installments for which an exemption is recorded. */
  exempt: ReadonlySet<string>;
  facts: LateFeeFacts;
  /** Periods in which the law forbids late fees. */
  forbidden: readonly { from: string; to: string | null }[];
  /** The effective dates of all payments. */
  payment_days: readonly string[];
};

/** An unpaid installment without a late fee, and a rule that may charge one. */
export type LateFeeCase = {
  rule: FeeRule;
  installment: Installment;
  /** The last day to pay the installment without the fee. The close of the next day decides. */
  last_day: string;
  /** Null if the rule cannot be read. */
  amount: Big | null;
};

type Loan = RawLoan & { late_fee_facts: LateFeeFacts | null };

/** Null if the loan has no late fees. */
export function lateFeePolicy(row: Loan, { events }: Pick<Replay, 'events'>): LateFeePolicy | null {
  const facts = row.late_fee_facts;
  if (facts === null) return null;
  const rules = loanFeeRules(row).filter(({ trigger }) => trigger === 'past_due');
  return {
    rules: rules.map((rule) => ({ rule, grace_days: lateFeeGraceDays(rule, row) })),
    exempt: new Set(facts.exemptions.map(keyOf)),
    facts,
    forbidden: periodsWithout(facts.legal, 'late_fees'),
    payment_days: events.flatMap(({ kind, effective_date }) =>
      kind === 'payment' ? [effective_date] : [],
    ),
  };
}

/**
 * The late fees that are still undecided for these installments. An installment has at most one late fee. The
 * previous servicer decided about them on the days that it closed.
 */
export function openLateFeeCases(
  { rules, exempt }: LateFeePolicy,
  position: Position,
  installments: readonly Installment[],
): LateFeeCase[] {
  const charged = new Set<number | null>();
  for (const fee of position.fees.values())
    if (fee.fee_type === 'late') charged.add(fee.installment_number);
  const unpaid = installments.filter(
    (installment) =>
      !installment.is_canceled &&
      !charged.has(installment.row.period_number) &&
      !isSatisfied(installment, position.tolerance),
  );
  const begun = position.closed_through ?? position.funded_on;
  return rules.flatMap(({ rule, grace_days }) =>
    unpaid.flatMap((installment) => {
      const last_day = addDays(installment.row.due_date, grace_days);
      if (begun !== null && last_day < begun) return [];
      // A cap that is withdrawn because it was recorded in error leaves no exemption behind.
      if (forgivesFeesOn(position, addDays(last_day, 1))) return [];
      const amount = isReadableRule(rule) ? lateFeeFor(rule, installment).amount : null;
      const open = { rule, installment, last_day, amount };
      const isFree = amount !== null && !isAboveZero(amount);
      return isFree || exempt.has(keyOf(exemptInstallment(open))) ? [] : [open];
    }),
  );
}

/**
 * A rule's fee for an installment, zero if the installment is paid, and the amount to which its percentage
 * applies. Throws if the rule cannot be read.
 */
export function lateFeeFor(
  rule: FeeRule,
  { amount, covered }: Pick<Installment, 'amount' | 'covered'>,
) {
  const rest = amount.minus(covered);
  const base = money(rule.calculation === 'percent_of_past_due' ? rest : amount);
  return { base, amount: isAboveZero(rest) ? feeAmount(rule, base) : ZERO };
}

export const exemptInstallment = ({
  rule,
  installment: { row },
}: Pick<LateFeeCase, 'rule' | 'installment'>): ExemptInstallment => ({
  installment_number: row.period_number,
  due_date: row.due_date,
  fee_rule_id: rule.id ?? null,
});

const keyOf = ({ installment_number, due_date, fee_rule_id }: ExemptInstallment) =>
  `${installment_number} ${due_date} ${fee_rule_id}`;

/**
 * The reason for exempting an installment at the close of a day, or null. `position` is the loan on that day.
 * Frozen loans are exempt. `standard_fee` exempts borrowers whose past-due amount is at most the fee. `current`
 * exempts borrowers who have paid anything since the previous due date.
 */
export function lateFeeExemption(
  { facts, forbidden, payment_days }: LateFeePolicy,
  { rule, installment, last_day, amount }: LateFeeCase,
  position: Position,
  day: string,
): LateFeeExemption | null {
  const isIn = (on: string) => (period: { from: string; to: string | null }) =>
    period.from <= on && (period.to === null || on <= period.to);
  if (forbidden.some(isIn(day))) return 'legal_condition';
  const isAgreed = [last_day, day].some((on) => facts.exempt_periods.some(isIn(on)));
  if (isAgreed) return 'agreement';
  if (facts.transfer_periods.some(isIn(last_day))) return 'servicing_transfer';
  const { freeze_until } = facts;
  if (position.stops.has('freeze') && !(freeze_until && freeze_until <= day)) return 'frozen';
  if (rule.late_fee_rule === 'standard_fee')
    return amount?.gte(pastDueAmountOn(position, day)) ? 'small_remainder' : null;
  if (rule.late_fee_rule !== 'current') return null;
  const { period_number } = installment.row;
  const before = position.installments.findLast(({ row }) => row.period_number < period_number);
  const since = before?.row.due_date ?? '';
  return payment_days.some((paid) => paid > since && paid <= day) ? 'partly_paid' : null;
}

/**
 * The late fees of the past-due installments and the next one if nothing is paid, and the last days to avoid
 * them. The close uses the same functions.
 */
export const lateFeesAhead =
  (policy: LateFeePolicy): LateFeesOn =>
  ({ day, bills: { unpaid, late }, positionOn }) => {
    const next = unpaid.find(({ row }) => row.due_date >= day);
    const cases = openLateFeeCases(policy, positionOn(day), next ? [...late, next] : late);
    cases.sort(inOrder);
    const charged = new Map<Installment, LateFeeCase>();
    for (const open of cases) {
      const decided = addDays(open.last_day, 1);
      if (open.amount === null || charged.has(open.installment)) continue;
      if (lateFeeExemption(policy, open, positionOn(decided), decided) === null)
        charged.set(open.installment, open);
    }
    // A payment today can no longer avoid a fee that tonight's close charges.
    const avoidable = [...charged.values()].filter(({ last_day }) => last_day >= day);
    const upcoming = avoidable.find(({ installment }) => installment === next);
    const [first, second] = avoidable.filter(({ installment }) => installment !== next);
    return {
      late_fee: upcoming ? warning(upcoming) : null,
      cure_fee: first ? warning(first) : null,
      decision_on: cases[0] ? addDays(cases[0].last_day, 1) : null,
      until: second && first ? first.last_day : null,
    };
  };

const warning = ({ amount, last_day }: LateFeeCase): LateFees['late_fee'] => ({
  amount: money(amount ?? ZERO),
  last_day_on_time: last_day,
});

const inOrder = (one: LateFeeCase, other: LateFeeCase) =>
  orderOf(one) < orderOf(other) ? -1 : orderOf(one) > orderOf(other) ? 1 : 0;
const orderOf = ({ last_day, installment }: LateFeeCase) =>
  `${last_day} ${installment.row.due_date}`;
