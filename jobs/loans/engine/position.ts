import type { Big } from 'big.js';
import { addDays } from '../../dates.ts';
import {
  excessOver,
  isZero,
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
import { reducedBy, sumParts, type AmountPart } from './amount-parts.ts';
import { newInstallment, type Coverage, type Installment } from './coverage.ts';
import type { DelinquencyDays, DelinquencyPause } from './delinquency.ts';
import type { Fee } from './fee.ts';
import { interestCentsAt, newInterestMeter, type InterestMeter } from './interest/interest.ts';

/** Explains a change of balance. Each event adds one line per component and target. */
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
  /** Interest that is off the books because the loan is on non-accrual. */
  is_off_books?: true;
  /** Positive if the balance falls. For suspense and surplus: positive if it grows. */
  amount: string;
  rule: string;
  balance_before: string;
  balance_after: string;
};

/** Billing of a credit line: the number of closed cycles, the end of the last one, and its statement. */
type Cycle = {
  number: number;
  ended_on: string | null;
  /** The unpaid part of the last statement's balance. */
  statement_remainder: Big;
  /** The due date of the minimum payment. */
  due_date: string | null;
  /** Draws currently bear no interest. `interest_free` is the principal drawn this way. */
  has_grace: boolean;
  interest_free: Big;
  /** The grace period ends on this day because the previous statement was not paid in time. */
  grace_ends: string | null;
};

/** The days through `to`. Null: no end is known. */
type Days = { from: string; to: string | null };
/** A limit of the rate. */
export type RateLimit = Days & { rate: Big };

/** A loan while the fold applies its events. Only code of the engine changes it. */
export type Position = {
  terms: Terms;
  /** A payment may leave this amount of an installment unpaid, and the installment still counts as paid. */
  tolerance: Big;
  installments: Installment[];
  meter: InterestMeter;
  principal: Big;
  interest_settled: Big;
  /** The part of owed interest that is off the books. */
  off_books: Big;
  fees: Map<string, Fee>;
  suspense: Big;
  surplus: Big;
  /** The debt left after the last sale of collateral. Null before a sale. */
  deficiency: Big | null;
  charged_off: { principal: Big; interest: Big; fee: Big };
  contract_rate: Big;
  /** The agreed rates before `contract_rate`, each with the first day on which the next one applied. */
  earlier_rates: { rate: Big; until: string }[];
  promos: RateLimit[];
  /** Legal limits of the rate. */
  caps: RateLimit[];
  /** The days whose contract rate follows from a law that counts fees as interest. */
  fee_reliefs: Days[];
  stops: Set<string>;
  pauses: DelinquencyPause[];
  funded_on: string | null;
  /** The last day of a boarded loan that the previous servicer closed. Null if the loan began here. */
  closed_through: string | null;
  charged_off_on: string | null;
  accelerated_on: string | null;
  /** The maturity of the schedule at funding, and the months by which workouts have moved it. */
  funded_maturity: string | null;
  extension_months: number;
  /**
   * A delinquency of at least 1 or 30 days that began on `since`, before a schedule change. Under the new
   * schedule it counts from `due_date`.
   */
  replanned_late: Readonly<Record<DelinquencyDays, { since: string; due_date: string } | null>>;
  cycle: Cycle;
  /** A credit line that a payoff or write-off has closed. A zero balance alone does not close a line. */
  is_closed: boolean;
  paid: { principal: Big; interest: Big; fees: Big; recovery: Big };
  /** The amount is null if the payment was made before boarding. */
  last_payment: { date: string; amount: Big | null } | null;
  allocations: AllocationLine[];
  coverage: Coverage[];
};

export function newPosition(terms: Terms, schedule: readonly ScheduleRow[]): Position {
  return {
    terms,
    tolerance: parseMoney(terms.installment_tolerance),
    installments: schedule.map(newInstallment),
    meter: newInterestMeter(terms),
    principal: ZERO,
    interest_settled: ZERO,
    off_books: ZERO,
    fees: new Map(),
    suspense: ZERO,
    surplus: ZERO,
    deficiency: null,
    charged_off: { principal: ZERO, interest: ZERO, fee: ZERO },
    contract_rate: parseRate(terms.interest_rate),
    earlier_rates: [],
    promos: [],
    caps: [],
    fee_reliefs: [],
    stops: new Set(),
    pauses: [],
    funded_on: null,
    closed_through: null,
    charged_off_on: null,
    accelerated_on: null,
    funded_maturity: schedule.at(-1)?.due_date ?? null,
    extension_months: 0,
    replanned_late: { 1: null, 30: null },
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

/** A copy for trial calculations, without the explanations. */
export const copyPosition = (position: Position): Position => ({
  ...position,
  installments: position.installments.map((installment) => ({ ...installment })),
  meter: { ...position.meter, segments: [] },
  fees: new Map([...position.fees].map(([id, fee]) => [id, { ...fee }])),
  charged_off: { ...position.charged_off },
  earlier_rates: [...position.earlier_rates],
  promos: [...position.promos],
  caps: [...position.caps],
  fee_reliefs: [...position.fee_reliefs],
  stops: new Set(position.stops),
  pauses: [...position.pauses],
  cycle: { ...position.cycle },
  paid: { ...position.paid },
  allocations: [],
  coverage: [],
});

export const accruedCents = ({ meter }: Position, date: string): Big =>
  interestCentsAt(meter, date);

/** Interest owed in cents: rounded accrued interest minus settled interest, never below zero. */
export function interestOwed(position: Position, date: string): Big {
  return excessOver(accruedCents(position, date), position.interest_settled);
}

/** Interest paid with an installment before it was earned. */
export function interestPrepaid(position: Position, date: string): Big {
  return excessOver(position.interest_settled, accruedCents(position, date));
}

/** The charged-off amount that is still owed. */
export function chargedOffBalance({ charged_off }: Position): Big {
  return sum([charged_off.principal, charged_off.interest, charged_off.fee]);
}

/** The amount that repays the loan on a day. Unearned interest counts towards it. */
export const repaymentOwed = (position: Position, date: string): Big =>
  sumParts(repaymentParts(position, date));

/** The parts of the amount that repays the loan. */
export function repaymentParts(position: Position, date: string): readonly AmountPart[] {
  const debt: readonly AmountPart[] = [
    { rule: 'principal', amount: position.principal },
    { rule: 'interest', amount: interestOwed(position, date) },
    { rule: 'fees', amount: feesOwed(position) },
  ];
  const prepaid = interestPrepaid(position, date);
  if (isZero(prepaid)) return debt;
  return [...debt, ...reducedBy('prepaid_interest', min(prepaid, sumParts(debt)))];
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

/** The lowest of the contract rate and the promotions and legal caps in force on a day. */
export function rateOn(position: Position, date: string): Big {
  const agreed = agreedRateOn(position, date);
  const cap = capOn(position, date);
  return cap === null ? agreed : min(agreed, cap);
}

/** The rate of a day without legal caps: the lowest of the contract rate and the promotions. */
export function agreedRateOn(position: Position, date: string): Big {
  const { promos, earlier_rates, contract_rate } = position;
  const contract =
    earlier_rates.length === 0
      ? contract_rate
      : (earlier_rates.find(({ until }) => date < until)?.rate ?? contract_rate);
  if (promos.length === 0) return contract;
  return min(contract, ...promos.filter(isInForce(date)).map(({ rate }) => rate));
}

/** The lowest legal cap of a day. Null if there is none. */
export function capOn({ caps }: Position, date: string): Big | null {
  if (caps.length === 0) return null;
  const [first, ...others] = caps.filter(isInForce(date)).map(({ rate }) => rate);
  return first === undefined ? null : min(first, ...others);
}

export const isInForce =
  (date: string) =>
  ({ from, to }: Days): boolean =>
    from <= date && (to === null || date <= to);

/** The days on which a promotion or cap has just ended. */
export const endsOfRateLimits = ({ promos, caps }: Position): string[] =>
  [...promos, ...caps].flatMap(({ to }) => (to === null ? [] : [addDays(to, 1)]));

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

/** True if the loan was funded and owes nothing. A credit line must also have been closed. */
export function isPaidOff(position: Position, asOf: string): boolean {
  if (position.funded_on === null || position.charged_off_on !== null) return false;
  if (position.terms.loan_type === 'line_of_credit' && !position.is_closed) return false;
  return totalOwed(position, asOf).plus(chargedOffBalance(position)).eq(0);
}
