import type { Big } from 'big.js';
import {
  excessOver,
  min,
  minus,
  money,
  parseMoney,
  parseRate,
  plus,
  sum,
  ZERO,
} from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Terms } from '../arithmetic/terms.ts';
import { newInstallment, type Coverage, type Installment } from './coverage.ts';
import type { Pause } from './delinquency.ts';
import { interestCentsAt, newInterestMeter, type InterestMeter } from './interest.ts';

export type Fee = {
  fee_id: string;
  fee_type: string;
  amount: Big;
  paid: Big;
  waived: Big;
  /** Neither paid nor waived: capitalized, charged off or written off. */
  moved: Big;
  assessed_date: string;
  installment_number: number | null;
  /** The instalments ask for it, each for its part. */
  is_spread: boolean;
};

/** Why a balance changed: one line for each component and target that an event touched. */
export type AllocationLine = {
  event_id: string;
  component:
    | 'principal'
    | 'interest'
    | 'fee'
    | 'suspense'
    | 'charge_off'
    | 'surplus'
    | 'off_books'
    | 'unapplied';
  installment_number: number | null;
  fee_id: string | null;
  /** Interest that the books no longer count on, because the loan is on non-accrual. */
  is_off_books?: true;
  /** Positive where the balance falls; for suspense and surplus, where it grows. */
  amount: string;
  rule: string;
  balance_before: string;
  balance_after: string;
};

/** Where a line is in its billing: how many cycles are over, when the last one ended, and its balance. */
type Cycle = {
  number: number;
  ended_on: string | null;
  /** What the last statement's balance still lacks. */
  statement_remainder: Big;
  /** When its minimum payment is due. */
  due_date: string | null;
  /** What is drawn bears no interest now, and so much of the principal was drawn so. */
  has_grace: boolean;
  interest_free: Big;
  /** The grace is over on this day, since the statement before was not paid in time. */
  grace_ends: string | null;
};

/** A loan while its events are being applied. Only the fold and its parts change it. */
export type Position = {
  terms: Terms;
  /** What a payment may leave of an instalment without its being asked for. */
  tolerance: Big;
  installments: Installment[];
  meter: InterestMeter;
  principal: Big;
  settled: Big;
  /** The part of the interest owed that the books no longer count on. */
  off_books: Big;
  fees: Map<string, Fee>;
  suspense: Big;
  surplus: Big;
  /** What the last sale of collateral left owed; null before one. */
  deficiency: Big | null;
  charged_off: { principal: Big; interest: Big; fee: Big };
  contract_rate: Big;
  promos: { from: string; to: string; rate: Big }[];
  stops: Set<string>;
  pauses: Pause[];
  funded_on: string | null;
  charged_off_on: string | null;
  accelerated_on: string | null;
  /** Where the schedule ends that the loan was funded with, and by how many months agreements moved that. */
  funded_maturity: string | null;
  extension_months: number;
  /** It was late since that day when a plan was replaced, and is so since this due date by the new one. */
  replanned_late: { since: string; due_date: string } | null;
  cycle: Cycle;
  /** A line of credit that was paid off on purpose; owing nothing alone does not close it. */
  is_closed: boolean;
  paid: { principal: Big; interest: Big; fees: Big; recovery: Big };
  /** The amount is not known of one that came before the loan did. */
  last_payment: { date: string; amount: Big | null } | null;
  allocations: AllocationLine[];
  coverage: Coverage[];
};

export function newPosition(terms: Terms, schedule: readonly ScheduleRow[]): Position {
  return {
    terms,
    tolerance: parseMoney(terms.satisfied_tolerance),
    installments: schedule.map(newInstallment),
    meter: newInterestMeter(terms),
    principal: ZERO,
    settled: ZERO,
    off_books: ZERO,
    fees: new Map(),
    suspense: ZERO,
    surplus: ZERO,
    deficiency: null,
    charged_off: { principal: ZERO, interest: ZERO, fee: ZERO },
    contract_rate: parseRate(terms.interest_rate),
    promos: [],
    stops: new Set(),
    pauses: [],
    funded_on: null,
    charged_off_on: null,
    accelerated_on: null,
    funded_maturity: schedule.at(-1)?.due_date ?? null,
    extension_months: 0,
    replanned_late: null,
    cycle: {
      number: 0,
      ended_on: null,
      statement_remainder: ZERO,
      due_date: null,
      has_grace: terms.grace_on_purchases,
      interest_free: ZERO,
      grace_ends: null,
    },
    is_closed: false,
    paid: { principal: ZERO, interest: ZERO, fees: ZERO, recovery: ZERO },
    last_payment: null,
    allocations: [],
    coverage: [],
  };
}

/** The position to try something on; why it came to be what it is stays behind. */
export const copyPosition = (position: Position): Position => ({
  ...position,
  installments: position.installments.map((installment) => ({ ...installment })),
  meter: { ...position.meter, segments: [] },
  fees: new Map([...position.fees].map(([id, fee]) => [id, { ...fee }])),
  charged_off: { ...position.charged_off },
  cycle: { ...position.cycle },
  paid: { ...position.paid },
  allocations: [],
  coverage: [],
});

/** All interest accrued up to a day, in cents. */
export const accruedCents = ({ meter }: Position, date: string): Big =>
  interestCentsAt(meter, date);

/** Interest owed in cents: what has accrued, rounded, less what was settled; never below zero. */
export function interestOwed(position: Position, date: string): Big {
  return excessOver(accruedCents(position, date), position.settled);
}

/** Interest that was paid with an instalment before its days earned it, as plans allow. */
export function interestPrepaid(position: Position, date: string): Big {
  return excessOver(position.settled, accruedCents(position, date));
}

/** What has left the books and is still owed. */
export function chargedOffBalance({ charged_off }: Position): Big {
  return sum([charged_off.principal, charged_off.interest, charged_off.fee]);
}

/** What it takes to repay a loan on a day: unearned interest comes back. */
export function repaymentOwed(position: Position, date: string): Big {
  return excessOver(totalOwed(position, date), interestPrepaid(position, date));
}

export function outstandingFeeAmount(fee: Fee): Big {
  return minus(minus(minus(fee.amount, fee.paid), fee.waived), fee.moved);
}

export function feesOwed(position: Position): Big {
  return position.fees.size === 0
    ? ZERO
    : sum([...position.fees.values()].map(outstandingFeeAmount));
}

export function totalOwed(position: Position, date: string): Big {
  return plus(plus(position.principal, interestOwed(position, date)), feesOwed(position));
}

/** The lowest of the contract's rate and the promotions and caps in force on a day. */
export function rateOn(position: Position, date: string): Big {
  if (position.promos.length === 0) return position.contract_rate;
  const limits = position.promos.filter((promo) => promo.from <= date && date <= promo.to);
  return min(position.contract_rate, ...limits.map((promo) => promo.rate));
}

export function addAllocationLine(
  position: Position,
  line: Pick<AllocationLine, 'event_id' | 'component' | 'rule'> &
    Partial<Pick<AllocationLine, 'installment_number' | 'fee_id' | 'is_off_books'>>,
  amount: Big,
  balances: { before: Big; after: Big },
): void {
  const explained: AllocationLine = {
    event_id: line.event_id,
    component: line.component,
    installment_number: line.installment_number ?? null,
    fee_id: line.fee_id ?? null,
    amount: money(amount),
    rule: line.rule,
    balance_before: money(balances.before),
    balance_after: money(balances.after),
  };
  if (line.is_off_books) explained.is_off_books = true;
  position.allocations.push(explained);
}

/** Whether the loan was funded and owes nothing more; a line of credit, also that it was closed on purpose. */
export function isPaidOff(position: Position, asOf: string): boolean {
  if (position.funded_on === null || position.charged_off_on !== null) return false;
  if (position.terms.loan_type === 'line_of_credit' && !position.is_closed) return false;
  return totalOwed(position, asOf).plus(chargedOffBalance(position)).eq(0);
}
