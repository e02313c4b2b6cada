import type { Big } from 'big.js';
import { excessOver, min, minus, ZERO } from '../../money.ts';
import { isBilledByCycle, accruesBySchedule } from '../arithmetic/terms.ts';
import { customWaterfall, WATERFALLS, type Waterfall } from '../arithmetic/waterfalls.ts';
import { openAmountByComponent } from '../schedule/minimum-payment.ts';
import type { Due } from './allocate.ts';
import {
  payableAmount,
  payableInstallments,
  remainingInterest,
  remainingPrincipal,
  remainingAmount,
} from './coverage.ts';
import type { PaymentType } from './events.ts';
import type { Fee } from './fee.ts';
import { interestOwed, outstandingFeeAmount, type Position } from './position.ts';
import { openFees } from './reduce.ts';
import { spreadFeesDue } from './spread-due.ts';

/** The payment type selects the waterfall first, then the state of the loan. */
export function waterfallFor(position: Position, type: PaymentType): Waterfall {
  if (type === 'extra_principal') return WATERFALLS.extra_principal;
  if (type === 'fee_only') return WATERFALLS.fee_only;
  if (type === 'settlement') return WATERFALLS.settlement;
  if (position.stops.has('non_accrual')) return WATERFALLS.non_accrual;
  if (position.accelerated_on !== null) return WATERFALLS.accelerated;
  const customOrder = position.terms.allocation_order;
  return customOrder === null ? WATERFALLS.standard : customWaterfall(customOrder);
}

/** A curtailment pays interest accrued to date, then principal, and leaves the installments unchanged. */
type DuePurpose = { may_prepay: boolean; is_curtailment?: boolean };

/**
 * All dues that money of a day can pay. If the schedule fixes the interest of an installment, a payment may
 * bring it before it is earned, unless the payment repays the whole loan.
 */
export function listDues(position: Position, date: string, purpose: DuePurpose): Due[] {
  const isScheduled = accruesBySchedule(position.terms);
  const rest = isScheduled
    ? scheduledDues(position, date, purpose)
    : isBilledByCycle(position.terms)
      ? cycleDues(position, date)
      : dailyDues(position, date);
  return position.fees.size === 0 ? rest : [...feeDues(position, date), ...rest];
}

/**
 * All open fees. A fee spread over installments is due only as far as the installments so far include it.
 * Its rest may be prepaid, but only after principal, because principal earns interest.
 */
function feeDues(position: Position, date: string): Due[] {
  const isScheduled = accruesBySchedule(position.terms);
  const end = position.installments.at(-1)?.row.due_date ?? date;
  let spreadDue = spreadFeesDue(position, date);
  return openFees(position).flatMap((fee) => {
    const { fee_id, installment_number } = fee;
    const whole = outstandingFeeAmount(fee);
    const now = fee.is_spread ? min(whole, spreadDue) : whole;
    if (fee.is_spread) spreadDue = minus(spreadDue, now);
    const on = isScheduled && !fee.is_spread ? feeDueDate(position, fee) : date;
    const inAdvanceDue = { ...inAdvance('fee', date, minus(whole, now)), due_date: end };
    return [due('fee', on, date, now), inAdvanceDue].map((share) => ({
      ...share,
      fee_id,
      installment_number,
    }));
  });
}

/** A fee is due with the installment that caused it, or otherwise on its assessment date. */
function feeDueDate(position: Position, fee: Fee): string {
  const cause = position.installments.find(
    ({ row }) => row.period_number === fee.installment_number,
  );
  return cause?.row.due_date ?? fee.assessed_date;
}

/**
 * Under daily interest a loan has one amount of interest and one of principal. The principal that the due
 * installments ask for counts as due, the rest as in advance. Past-due and due steps are equivalent here,
 * so every due amount is labelled `due`.
 */
function dailyDues(position: Position, date: string): Due[] {
  const interest = interestOwed(position, date);
  const billed = minus(payableAmount(position.installments, date), spreadFeesDue(position, date));
  const principalDue = excessOver(billed, interest);
  const dueNow = min(principalDue, position.principal);
  return [
    due('interest', date, date, interest),
    due('principal', date, date, dueNow),
    inAdvance('principal', date, minus(position.principal, dueNow)),
  ];
}

/**
 * A line owes the interest of its open cycle only when the cycle ends. Minimum payments, including their
 * principal, are served first. Otherwise a borrower who always pays the minimum would never repay the line.
 */
function cycleDues(position: Position, date: string): Due[] {
  const open = payableInstallments(position.installments, date).filter(
    ({ isCovered }) => !isCovered,
  );
  const minimumDue = openAmountByComponent(
    open.map((row) => ({ row: row.row, rest: remainingAmount(row) })),
  );
  const owed = interestOwed(position, date);
  const interest = min(minimumDue.interest, owed);
  const principal = min(minimumDue.principal, position.principal);
  return [
    due('interest', date, date, interest),
    due('principal', date, date, principal),
    inAdvance('interest', date, minus(owed, interest)),
    inAdvance('principal', date, minus(position.principal, principal)),
  ];
}

/** Under the scheduled methods each due installment has its own interest and principal. */
function scheduledDues(position: Position, date: string, purpose: DuePurpose): Due[] {
  const dues: Due[] = [];
  let interestLeft = purpose.may_prepay
    ? payableInterest(position, date)
    : interestOwed(position, date);
  let principalLeft = position.principal;
  for (const installment of payableInstallments(position.installments, date)) {
    if (installment.isPaidByComponent) continue;
    const interest = min(remainingInterest(installment), interestLeft);
    const principal = purpose.is_curtailment
      ? ZERO
      : min(remainingPrincipal(installment), principalLeft);
    interestLeft = minus(interestLeft, interest);
    principalLeft = minus(principalLeft, principal);
    const { due_date, period_number: installment_number } = installment.row;
    dues.push({ ...due('interest', due_date, date, interest), installment_number });
    dues.push({ ...due('principal', due_date, date, principal), installment_number });
  }
  const interestNow = min(interestLeft, interestOwed(position, date));
  return [
    ...dues,
    inAdvance('interest', date, interestNow),
    inAdvance('principal', date, principalLeft),
  ];
}

/** The interest of the open period may be paid with its installment, some days before it is earned. */
const payableInterest = (position: Position, date: string): Big =>
  interestOwed(position, openDueDate(position, date));

/** The due date of the open period's installment, or `date` if there is none. */
export function openDueDate({ installments }: Position, date: string): string {
  const open = installments.find(({ row, is_canceled }) => row.due_date >= date && !is_canceled);
  return open?.row.due_date ?? date;
}

function due(component: Due['component'], due_date: string, date: string, amount: Big): Due {
  const due_state = due_date < date ? 'past_due' : 'due';
  return { component, due_state, due_date, amount, installment_number: null, fee_id: null };
}

function inAdvance(component: Due['component'], date: string, amount: Big): Due {
  return {
    component,
    due_state: 'in_advance',
    due_date: date,
    amount,
    installment_number: null,
    fee_id: null,
  };
}
