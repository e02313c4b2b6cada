import { addDays, latest } from '../../dates.ts';
import { min, parseMoney, parseRate } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Agreement } from '../schedule/agreement.ts';
import { buildAgreedSchedule } from '../schedule/build-agreed-schedule.ts';
import { applySuspenseApplication, applyCredit, applyPayment } from './apply-payment.ts';
import { preserveDelinquency } from './bills.ts';
import {
  markDeferred,
  markPaidBeforeBoarding,
  replaceInstallments,
  type PlannedRow,
} from './coverage.ts';
import type { EventKind, EventOf, FinancedFee } from './events.ts';
import { trackMaturityExtension } from './maturity-extension.ts';
import { drawInGrace, graceAfterStatement } from './interest/grace.ts';
import { addAccruedInterest } from './interest/interest.ts';
import { forgivesFeesOn, reducedRows, reduceInstallments } from './interest/rate-cap.ts';
import {
  applyChargeOff,
  forgive,
  applyLiquidation,
  increaseChargedOff,
  transferServicing,
  writeOff,
} from './losses.ts';
import { agreedRateOn, totalOwed, type Position } from './position.ts';
import {
  addToSuspense,
  feesPortion,
  interestPortion,
  portionAmount,
  increasePrincipal,
  reduceFee,
  reduceFees,
  reduceInterest,
} from './reduce.ts';
import { toLoanState, type LoanState } from './state.ts';
import { startAccrual, stopAccrual } from './interest/accrual-stops.ts';

type AgreementRule = Agreement['rule'];

/** The effect of each event kind. Interest up to the event's day is already counted. */
const APPLY: { [Kind in EventKind]: (position: Position, event: EventOf<Kind>) => void } = {
  disbursement: (position, event) => {
    applyFunding(position, event);
    for (const fee of event.fees ?? []) applyFinancedFee(position, event, fee);
  },
  draw: applyFunding,
  boarding: applyBoarding,
  payment: applyPayment,
  fee: applyFee,
  fee_waiver: applyFeeWaiver,
  service_credit: applyCredit,
  rate_change: applyRateChange,
  promo: (position, event) => {
    position.promos.push(rateLimit(event));
    reduceInstallments(position, event.effective_date);
  },
  rate_cap: (position, event) => {
    position.caps.push(rateLimit(event));
    reduceInstallments(position, event.effective_date);
  },
  accrual_stop: stopAccrual,
  accrual_start: startAccrual,
  charge_off: applyChargeOff,
  liquidation: applyLiquidation,
  reimbursement: applyReimbursement,
  write_off: writeOff,
  capitalization: applyCapitalization,
  forgiveness: forgive,
  schedule_agreed: applyAgreedSchedule,
  acceleration: applyAcceleration,
  delinquency_pause: (position, event) => {
    position.pauses.push({ from: event.effective_date, to: event.to });
  },
  suspense_application: applySuspenseApplication,
  servicing_transfer: transferServicing,
  reversal: () => {},
};

function applyRateChange(position: Position, event: EventOf<'rate_change'>): void {
  const { effective_date, interest_rate, forgives_fees = false } = event;
  position.earlier_rates.push({ rate: position.contract_rate, until: effective_date });
  position.contract_rate = parseRate(interest_rate);
  position.fee_reliefs = position.fee_reliefs.map(({ from, to }) => ({
    from,
    to: to ?? addDays(effective_date, -1),
  }));
  if (forgives_fees) position.fee_reliefs.push({ from: effective_date, to: null });
  reduceInstallments(position, effective_date);
}

const rateLimit = ({ effective_date: from, to, interest_rate }: EventOf<'promo' | 'rate_cap'>) => ({
  from,
  to,
  rate: parseRate(interest_rate),
});

function applyFunding(position: Position, event: EventOf<'disbursement'> | EventOf<'draw'>): void {
  position.funded_on ??= event.effective_date;
  position.is_closed = false;
  increasePrincipal(position, parseMoney(event.amount), event.id, event.kind);
  drawInGrace(position, parseMoney(event.amount));
}

/** The fee is deducted from the proceeds or added to principal. In both cases no fee stays owed. */
function applyFinancedFee(
  position: Position,
  event: EventOf<'disbursement'>,
  fee: FinancedFee,
): void {
  const { id: event_id, effective_date: date } = event;
  const amount = parseMoney(fee.amount);
  position.fees.set(fee.fee_id, feeOf({ ...fee, effective_date: date }));
  if (fee.treatment === 'capitalized')
    increasePrincipal(position, amount, event_id, 'capitalized fee');
  const means = fee.treatment === 'deducted' ? 'paid' : 'moved';
  reduceFee(position, fee.fee_id, amount, { event_id, date, rule: fee.treatment, means });
}

/** A boarded loan starts with its balances. Installments due through `paid_through_date` count as paid. */
function applyBoarding(position: Position, event: EventOf<'boarding'>): void {
  const { id, effective_date, accrued_interest, outstanding_fees } = event;
  position.funded_on = effective_date;
  position.closed_through = event.takeover?.closed_through ?? event.takeover?.on ?? effective_date;
  if (event.last_payment_date)
    position.last_payment = { date: event.last_payment_date, amount: null };
  increasePrincipal(position, parseMoney(event.principal_balance), id, 'boarding');
  if (accrued_interest) {
    addAccruedInterest(position.meter, effective_date, parseMoney(accrued_interest), 'boarded');
  }
  if (outstanding_fees && parseMoney(outstanding_fees).gt(0)) {
    const { fees } = position;
    fees.set(
      id,
      feeOf({ fee_id: id, fee_type: 'other', amount: outstanding_fees, effective_date }),
    );
  }
  const paidThrough = event.paid_through_date ?? effective_date;
  for (const installment of position.installments) {
    if (installment.row.due_date > paidThrough) continue;
    markPaidBeforeBoarding(installment);
  }
  if (event.charge_off_balance === undefined) return;
  position.charged_off_on = effective_date;
  increaseChargedOff(position, 'principal', parseMoney(event.charge_off_balance), id);
}

function applyFee(position: Position, event: EventOf<'fee'>): void {
  const fee_id = event.fee_id ?? event.id;
  position.is_closed = false;
  const fee = feeOf({ ...event, fee_id, fee_type: event.fee_type ?? 'other' });
  position.fees.set(fee_id, fee);
  const { id: event_id, effective_date: date } = event;
  // Fees spread over installments belong to money lent during the cap, which the law does not cover.
  if (!fee.is_spread && forgivesFeesOn(position, date))
    reduceFee(position, fee_id, fee.amount, { event_id, date, rule: 'rate_cap', means: 'waived' });
}

function feeOf(details: {
  fee_id: string;
  fee_type: string;
  amount: string;
  effective_date: string;
  installment_number?: number;
  is_spread?: boolean;
}) {
  return {
    fee_id: details.fee_id,
    fee_type: details.fee_type,
    amount: parseMoney(details.amount),
    paid: parseMoney('0'),
    waived: parseMoney('0'),
    moved: parseMoney('0'),
    assessed_date: details.effective_date,
    installment_number: details.installment_number ?? null,
    is_spread: details.is_spread ?? false,
  };
}

function applyFeeWaiver(position: Position, event: EventOf<'fee_waiver'>): void {
  const fee = position.fees.get(event.fee_id);
  if (fee === undefined) return;
  const amount = event.amount === undefined ? fee.amount : parseMoney(event.amount);
  reduceFee(position, event.fee_id, amount, {
    event_id: event.id,
    date: event.effective_date,
    rule: 'waiver',
    means: 'waived',
  });
}

/** Interest and fees become principal, which earns interest from this day on. */
function applyCapitalization(position: Position, event: EventOf<'capitalization'>): void {
  const { id: event_id, effective_date: date } = event;
  const cause = { event_id, date, rule: 'capitalization', means: 'moved' } as const;
  const interest = reduceInterest(position, interestPortion(position, event.interest, date), cause);
  const fees = reduceFees(position, feesPortion(position, event.fees), cause);
  increasePrincipal(position, interest.plus(fees), event_id, 'capitalization');
}

/**
 * Builds the agreed installments from the loan's state on that day. A billing cycle uses the state at the
 * end of the day, including that day's interest.
 */
function applyAgreedSchedule(position: Position, event: EventOf<'schedule_agreed'>): void {
  const { effective_date: date, agreement, defers } = event;
  const rateOf = (day: string) => agreedRateOn(position, latest(day, date));
  const asOf = agreement.rule === 'minimum' ? addDays(date, 1) : date;
  const basis = basisOf(position, agreement.rule, toLoanState(position, asOf));
  const rows = buildAgreedSchedule(agreement, basis, position.terms, rateOf);
  if (agreement.rule === 'minimum') {
    const { number, due_date } = agreement;
    const statement_remainder = totalOwed(position, asOf);
    const grace = graceAfterStatement(position, statement_remainder, asOf);
    position.cycle = {
      ...position.cycle,
      ...grace,
      number,
      ended_on: date,
      statement_remainder,
      due_date,
    };
  }
  if (rows.length === 0) return;
  preserveDelinquency(position, date, () => {
    position.installments = replaceInstallments(position.installments, withCap(position, rows));
  });
  trackMaturityExtension(position, event);
  if (defers) markDeferred(position.installments, defers);
  if (position.accelerated_on !== null) cancelInstallmentsAfter(position, position.accelerated_on);
}

/** These rules change installments as agreed. A legal cap then reduces the result. */
const CHANGES_AGREED_ROWS: readonly AgreementRule[] = ['moved', 'named', 'lowered'];

function basisOf({ installments }: Position, rule: AgreementRule, state: LoanState): LoanState {
  if (!CHANGES_AGREED_ROWS.includes(rule) || installments.every(({ agreed }) => agreed === null))
    return state;
  const rows = state.installments.map((row, index) => ({ ...row, ...installments[index]?.agreed }));
  return { ...state, installments: rows };
}

/** The new rows, reduced by a legal cap. Interest moved from earlier rows counts. */
function withCap(position: Position, rows: readonly ScheduleRow[]): PlannedRow[] {
  const first = Math.min(...rows.map(({ period_number }) => period_number));
  const before = position.installments
    .filter(({ row }) => row.period_number < first)
    .map(({ row, agreed }) => agreed ?? row);
  return reducedRows(position, [...before, ...rows]).slice(before.length);
}

/**
 * The whole debt becomes due immediately. Future installments are canceled; past-due installments stay past
 * due.
 */
function applyAcceleration(position: Position, event: EventOf<'acceleration'>): void {
  position.accelerated_on ??= event.effective_date;
  cancelInstallmentsAfter(position, event.effective_date);
}

function cancelInstallmentsAfter(position: Position, date: string): void {
  for (const installment of position.installments) {
    if (installment.row.due_date > date) installment.is_canceled = true;
  }
}

/**
 * Returns money to the borrower in reverse order of application: first from suspense, then from recoveries.
 * The rest becomes owed principal again.
 */
function applyReimbursement(position: Position, event: EventOf<'reimbursement'>): void {
  const { id, amount } = event;
  const { paid } = position;
  const fromSuspense = portionAmount(amount, position.suspense);
  addToSuspense(position, fromSuspense.neg(), id, 'reimbursement');
  const reopened = parseMoney(amount).minus(fromSuspense);
  const reclaimed = min(reopened, paid.recovery);
  increaseChargedOff(position, 'principal', reclaimed, id, 'reimbursement');
  paid.recovery = paid.recovery.minus(reclaimed);
  const repaid = reopened.minus(reclaimed);
  if (repaid.gt(0)) position.is_closed = false;
  increasePrincipal(position, repaid, id, 'reimbursement');
  paid.principal = paid.principal.minus(repaid);
}

export function applyEvent<Kind extends EventKind>(position: Position, event: EventOf<Kind>): void {
  const apply = APPLY[event.kind];
  apply(position, event);
}
