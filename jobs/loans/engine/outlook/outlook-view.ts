import type { Big } from 'big.js';
import { isEqual, isZero, minus, money, plus, sum, ZERO } from '../../../money.ts';
import { sumParts } from '../amount-parts.ts';
import { splitPastDue, type NextBill } from '../bill.ts';
import { billsOn, firstDelinquencyDate, pastDue30 } from '../bills.ts';
import { bucketForDays, type DelinquencyBucket } from '../delinquency.ts';
import { forgivesFeesOn } from '../interest/rate-cap.ts';
import {
  accruedCents,
  chargedOffBalance,
  feesOwed,
  interestOwed,
  interestPrepaid,
  rateOn,
  type Position,
} from '../position.ts';
import type { Future } from '../projection/agreed-steps.ts';
import { payoffPartsOf } from '../projection/payoff-amounts.ts';
import { positionOn, type ReplayRun } from '../run.ts';
import { feeStates, type LoanState } from '../state.ts';

/** Amounts that may change as interest grows. */
export const GROWING = [
  'accrued_interest',
  'unearned_interest',
  'past_due_amount',
  'past_due_principal',
  'past_due_interest',
  'past_due_30_amount',
  'next_payment_amount',
  'fees_due',
  'amount_due',
  'payoff_amount',
  'final_payment_amount',
] as const;
export type GrowingAmount = (typeof GROWING)[number];

/** Cents by which an amount changes for each cent that interest grows. */
export type Growth = -1 | 0 | 1;

export type GrowthOfAmounts = Record<GrowingAmount, Growth>;

/** The fields that never change within a row. */
export type Fixed = {
  current_rate: string;
  interest_free_balance: string;
  oldest_unpaid_due_date: string | null;
  next_payment_date: string | null;
  first_delinquency_date: string | null;
  /** The same for the credit bureaus, to which a loan is late from 30 days past due. */
  first_delinquency_30_date: string | null;
  delinquency_bucket: DelinquencyBucket;
  payments_remaining: number;
  prepayment_penalty: string;
};

/** The facts that a prepayment penalty depends on. */
type PenaltyBasis = Pick<
  LoanState,
  'as_of' | 'principal_balance' | 'charge_off_balance' | 'maturity_date' | 'fees' | 'forgives_fees'
>;

export type PenaltyRule = (basis: PenaltyBasis) => Big;

/** A late fee if the borrower does not pay, and the last day to avoid it. */
type LateFeeAhead = { amount: string; last_day_on_time: string };

/** The late fees after a day if nothing is paid. */
export type LateFees = {
  /** The fee of the next installment, and the first fee of the past-due installments. */
  late_fee: LateFeeAhead | null;
  cure_fee: LateFeeAhead | null;
  /** The day whose close decides whether the first undecided fee is charged. */
  decision_on: string | null;
  /** The last day of `cure_fee`, if another past-due installment has a fee after it. */
  until: string | null;
};

export type LateFeesOn = (loan: {
  day: string;
  bills: Bills['bills'];
  positionOn: (day: string) => Position;
}) => LateFees;

/** A run on the first day of a row. */
export type Outlook = ReplayRun & {
  penaltyOn: PenaltyRule | null;
  lateFeesOn: LateFeesOn | null;
  final: Big | null;
  /** The steps agreed for later days. */
  future: Future | null;
  /** The next bill, if an agreed change comes before its due date. */
  billAsAgreed: NextBill | null;
};

type Bills = Pick<ReturnType<typeof billsOn>, 'bills' | 'next'>;

/** Everything a loan shows on a day. */
export type View = {
  earned: Big;
  days: number;
  amounts: Record<GrowingAmount, Big | null>;
  fixed: Fixed;
  /** Counts that differ if the bills change, even if no amount changes. */
  counts: string;
  bills: Bills['bills'];
};

export function viewOn(outlook: Outlook, day: string): View {
  const position = positionOn(outlook, day);
  const { bills, pastDue, days, ...shown } = billsOn(position, day);
  const { billAsAgreed } = outlook;
  const next = billAsAgreed ?? shown.next;
  const parts = isZero(pastDue)
    ? NOTHING_DUE
    : splitPastDue(position, day, { rows: bills.late, amount: pastDue });
  const old = days < 30 ? NOTHING_OLD : pastDue30(position, bills);
  const fees = sumParts(next.fees);
  const penalty = outlook.penaltyOn ? penaltyAt(outlook.penaltyOn, position, bills) : ZERO;
  return {
    bills,
    earned: accruedCents(position, day),
    days,
    counts: `${bills.late.length} ${old.installments} ${bills.isMatured}`,
    amounts: {
      accrued_interest: interestOwed(position, day),
      unearned_interest: interestPrepaid(position, day),
      past_due_amount: pastDue,
      past_due_principal: parts.principal,
      past_due_interest: parts.interest,
      past_due_30_amount: old.amount,
      next_payment_amount: billAsAgreed?.amount ?? shown.next_payment_amount,
      fees_due: fees,
      amount_due: sum([pastDue, next.amount, fees]),
      payoff_amount: payoffOn(position, day, penalty),
      final_payment_amount: finalOn(outlook, bills, next),
    },
    fixed: {
      current_rate: rateOn(position, day).toFixed(),
      interest_free_balance: money(position.cycle.interest_free),
      oldest_unpaid_due_date: shown.oldest_unpaid_due_date,
      next_payment_date: billAsAgreed ? next.date : shown.next_payment_date,
      first_delinquency_date: days > 0 ? firstDelinquencyDate(position, day, 1, bills) : null,
      first_delinquency_30_date: days >= 30 ? firstDelinquencyDate(position, day, 30, bills) : null,
      delinquency_bucket: bucketForDays(days),
      payments_remaining: bills.unpaid.length,
      prepayment_penalty: money(penalty),
    },
  };
}

const NOTHING_DUE = { principal: ZERO, interest: ZERO };
const NOTHING_OLD = { amount: ZERO, installments: 0 };

function penaltyAt(
  penaltyOn: PenaltyRule,
  position: Position,
  { asOf, maturity }: Bills['bills'],
): Big {
  if (position.charged_off_on !== null) return ZERO;
  return penaltyOn({
    as_of: asOf,
    principal_balance: money(position.principal),
    charge_off_balance: money(chargedOffBalance(position)),
    maturity_date: maturity,
    fees: feeStates(position),
    forgives_fees: forgivesFeesOn(position, asOf),
  });
}

/** The payoff amount on a day, without what is agreed for later. */
export const payoffOn = (position: Position, day: string, penalty: Big): Big =>
  sumParts(
    payoffPartsOf(
      {
        principal: position.principal,
        interest: interestOwed(position, day),
        fees: feesOwed(position),
        is_charged_off: position.charged_off_on !== null,
        charge_off_balance: chargedOffBalance(position),
        unearned_interest: interestPrepaid(position, day),
        suspense: position.suspense,
      },
      penalty,
    ),
  );

/** The final payment as of the last event, until it is the next payment itself. */
function finalOn(
  { final, billAsAgreed }: Outlook,
  bills: Bills['bills'],
  next: Bills['next'],
): Big | null {
  if (bills.isMatured) return bills.owed;
  if (next.date === null) return null;
  // Agreed changes can add installments after the current maturity date.
  if (billAsAgreed !== null) return final;
  return next.date === bills.maturity ? next.amount : final;
}

/** The growth of each amount between two views. Null if an amount does not follow a straight line. */
export function compare(first: View, last: View, days: number) {
  const counted = last.days - first.days;
  if (counted !== 0 && counted !== days) return null;
  if (first.counts !== last.counts || !isSameFixed(first.fixed, last.fixed)) return null;
  const grown = minus(last.earned, first.earned);
  const growth: Partial<GrowthOfAmounts> = {};
  for (const name of GROWING) {
    const found = growthOf(first.amounts[name], last.amounts[name], grown);
    if (found === null) return null;
    growth[name] = found;
  }
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the loop has set every name.
  return { growth: growth as GrowthOfAmounts, counts_days: counted > 0 };
}

export function growthOf(first: Big | null, last: Big | null, grown: Big): Growth | null {
  if (first === null || last === null) return first === last ? 0 : null;
  if (isEqual(first, last)) return 0;
  if (isEqual(last, plus(first, grown))) return 1;
  return isEqual(first, plus(last, grown)) ? -1 : null;
}

const isSameFixed = (one: Record<string, unknown>, other: Record<string, unknown>) =>
  Object.keys(one).every((name) => one[name] === other[name]);
