import type { Big } from 'big.js';
import { atLeastZero, isAboveZero, min, parseMoney, sum, ZERO } from '../../../money.ts';
import { isBilledByCycle, accruesBySchedule } from '../../arithmetic/terms.ts';
import { feesIn } from '../../schedule/spread-fees.ts';
import {
  remainingInterest,
  addComponentPayment,
  amountStillDue,
  remainingPrincipal,
  type Installment,
} from '../coverage.ts';
import {
  isPayable,
  payInstallment,
  payPastDue,
  remainingInstallments,
  type ProjectionInput,
} from './course.ts';
import { finalPaymentInCents, hasSteadyInterest } from './final-payment-in-cents.ts';
import { updateAccrualPace } from '../interest/accrual-pace.ts';
import {
  chargedOffBalance,
  copyPosition,
  feesOwed,
  interestOwed,
  interestPrepaid,
  outstandingFeeAmount,
  type Position,
} from '../position.ts';
import { advanceTo, type ReplayRun } from '../run.ts';
import { replay } from '../fold.ts';
import { followSchedule } from './follow-schedule.ts';

/**
 * The amount of the last installment, assuming that the borrower pays the past-due amount on the run's day
 * and every installment on its due date. Null if no installments are payable. Does not change the run.
 *
 * The result equals the last row of the projected schedule (`project.ts`). It is computed at every event,
 * so most loans take a shortcut (`finalPaymentByBalances`, `finalPaymentInCents`) instead of folding projected payments.
 */
export function finalPayment({ position, day }: ReplayRun): Big | null {
  if (!isPayable(position, day) || isBilledByCycle(position.terms)) return null;
  const run = { position: copyPosition(position), day };
  payPastDue(run, day);
  if (!usesDefaultOrder(run)) return finalPaymentByEvents(run);
  return hasSteadyInterest(run) ? finalPaymentInCents(run) : finalPaymentByBalances(run);
}

/** The same for a loan with an agreed relief, modification or scheduled payment. */
export function finalPaymentAsAgreed(input: ProjectionInput): Big | null {
  const { position } = replay(input);
  if (!isPayable(position, input.as_of) || isBilledByCycle(position.terms)) return null;
  const asking = followSchedule(input).rows.filter(({ asks }) => asks.gt(0));
  return asking.at(-1)?.asks ?? null;
}

function finalPaymentByEvents(run: ReplayRun): Big | null {
  let last: Big | null = null;
  for (const { row } of remainingInstallments(run.position, run.day)) {
    const payment = payInstallment(run, row.due_date);
    if (payment !== null) last = parseMoney(payment.amount);
  }
  return last;
}

/** True if payments cover due fees first, then interest, then principal. */
function usesDefaultOrder({ position, day }: ReplayRun): boolean {
  const { terms, stops, installments } = position;
  return (
    terms.allocation_order === null &&
    stops.size === 0 &&
    interestPrepaid(position, day).eq(0) &&
    chargedOffBalance(position).eq(0) &&
    // Under scheduled interest, fees are served between partly paid installments.
    (!accruesBySchedule(terms) || feesOwed(position).eq(0)) &&
    installments.every(({ row }, index) => row.due_date !== installments[index + 1]?.row.due_date)
  );
}

const spreadFees = ({ fees }: Position): Big =>
  sum([...fees.values()].filter(({ is_spread }) => is_spread).map(outstandingFeeAmount));

/** Gives the result of `finalPaymentByEvents` without building dues and explanations. */
function finalPaymentByBalances(run: ReplayRun): Big | null {
  const { position } = run;
  const { tolerance } = position;
  const rows = remainingInstallments(position, run.day);
  const fees = upcomingFees(position, rows);
  let openInstallments = position.installments.filter((row) => isStillPayable(row, run.day));
  let last: Big | null = null;
  for (const installment of rows) {
    const { due_date } = installment.row;
    advanceTo(run, due_date);
    const owed = totalWithoutFees(position, due_date).plus(fees.spread).plus(fees.others);
    const payment =
      installment === rows.at(-1) ? owed : min(amountStillDue(installment, tolerance), owed);
    const left = payment.minus(fees.pay(installment, payment));
    openInstallments = [...openInstallments, installment].filter(
      ({ isPaidByComponent }) => !isPaidByComponent,
    );
    if (!isAboveZero(payment)) continue;
    last = payment;
    fees.spread = fees.spread.minus(repay(position, openInstallments, left, due_date));
    updateAccrualPace(position, due_date);
  }
  return last;
}

const isStillPayable = (
  { row, is_canceled, isPaidByComponent }: Installment,
  day: string,
): boolean => row.due_date < day && !is_canceled && !isPaidByComponent;

const totalWithoutFees = (position: Position, date: string): Big =>
  position.principal.plus(interestOwed(position, date));

/** Pays interest, then principal; amounts that installments ask for come first. Returns the unused rest. */
function repay(
  position: Position,
  openInstallments: readonly Installment[],
  amount: Big,
  date: string,
): Big {
  let left = amount;
  const pay = (component: 'interest' | 'principal', wanted: Big, installment?: Installment) => {
    const owed = component === 'interest' ? interestOwed(position, date) : position.principal;
    const paid = min(left, wanted, owed);
    left = left.minus(paid);
    if (component === 'interest') position.interest_settled = position.interest_settled.plus(paid);
    else position.principal = position.principal.minus(paid);
    if (installment) addComponentPayment(installment, component, paid);
  };
  if (accruesBySchedule(position.terms)) {
    for (const installment of openInstallments) {
      pay('interest', remainingInterest(installment), installment);
      pay('principal', remainingPrincipal(installment), installment);
    }
  }
  pay('interest', left);
  pay('principal', left);
  return left;
}

/**
 * The fees that future payments find due. Spread fees count only as far as the installments so far include
 * them.
 */
function upcomingFees(position: Position, rows: readonly Installment[]) {
  const spread = spreadFees(position);
  let later = spread.eq(0) ? ZERO : feesIn(rows.map(({ row }) => row));
  const fees = {
    spread,
    others: feesOwed(position).minus(spread),
    /** Applies an installment's payment to fees and returns the amount used. */
    pay({ row }: Installment, amount: Big): Big {
      if (fees.spread.gt(0)) later = later.minus(row.fees_amount);
      const paidSpread = min(amount, atLeastZero(fees.spread.minus(later)));
      const paidOthers = min(amount.minus(paidSpread), fees.others);
      fees.spread = fees.spread.minus(paidSpread);
      fees.others = fees.others.minus(paidOthers);
      return paidSpread.plus(paidOthers);
    },
  };
  return fees;
}
