import type { Big } from 'big.js';
import {
  excessOver,
  isAboveZero,
  isLess,
  isZero,
  min,
  parseMoney,
  plus,
  ZERO,
} from '../../money.ts';
import { accruesBySchedule } from '../arithmetic/terms.ts';
import { WATERFALLS } from '../arithmetic/waterfalls.ts';
import {
  allocate,
  allocateByInstruction,
  type Allocation,
  type AllocationShare,
} from './allocate.ts';
import { coverInstallments, addComponentPayment } from './coverage.ts';
import { listDues, openDueDate, waterfallFor } from './dues.ts';
import type { EventOf, PaymentType } from './events.ts';
import { payStatement } from './interest/grace.ts';
import { updateAccrualPace } from './interest/accrual-pace.ts';
import {
  chargedOffBalance,
  addAllocationLine,
  interestOwed,
  interestPrepaid,
  repaymentOwed,
  totalOwed,
  type Position,
} from './position.ts';
import {
  addToSuspense,
  reduceFee,
  reduceInterest,
  reducePrincipal,
  type ReductionMeans,
} from './reduce.ts';

/** Payments that reduce the debt but cover no installment. */
const WITHOUT_COVERAGE: readonly PaymentType[] = ['extra_principal', 'fee_only', 'recovery'];

type Receipt = Pick<EventOf<'payment'>, 'id' | 'effective_date'> & {
  amount: Big;
  type: PaymentType;
  means: ReductionMeans;
  override?: EventOf<'payment'>['allocation_override'];
  extra_to: 'principal' | 'next_installment';
};

/**
 * A payment has two effects. Its components move balances and the books; the installments it covers move
 * due dates. Any excess over the whole debt goes to suspense.
 */
export function applyPayment(position: Position, event: EventOf<'payment'>): void {
  const amount = parseMoney(event.amount);
  const type = event.payment_type ?? 'regular';
  position.last_payment = { date: event.effective_date, amount };
  if (position.charged_off_on !== null || type === 'recovery') {
    applyRecovery(position, { ...event, amount });
    return;
  }
  const credits = type === 'payoff' ? suspenseForPayoff(position, event, amount) : ZERO;
  if (isAboveZero(credits)) addToSuspense(position, credits.neg(), event.id, 'payoff');
  const rest = applyMoney(position, {
    id: event.id,
    effective_date: event.effective_date,
    amount: plus(amount, credits),
    type,
    means: 'paid',
    override: event.allocation_override ?? null,
    extra_to: event.extra_payment_to ?? position.terms.extra_payment_to,
  });
  if (!isZero(rest)) allocateRemainder(position, rest, { ...event, type });
}

/**
 * Unapplied money first reduces a partial charge-off that is still owed, then goes to suspense. The rest of
 * a fee payment goes straight to suspense.
 */
function allocateRemainder(
  position: Position,
  amount: Big,
  { id, effective_date, type }: Pick<Receipt, 'id' | 'effective_date' | 'type'>,
): void {
  if (isZero(amount)) return;
  if (type === 'fee_only') addToSuspense(position, amount, id, 'unapplied');
  else applyRecovery(position, { id, effective_date, amount });
}

/** A payoff takes the part of the debt that its own amount does not cover from suspense. */
function suspenseForPayoff(position: Position, event: EventOf<'payment'>, amount: Big): Big {
  const owed = repaymentOwed(position, event.effective_date).plus(chargedOffBalance(position));
  const missing = excessOver(owed, amount);
  return min(missing, position.suspense);
}

/** Applies money by the waterfall and covers installments. Returns the amount that could not be applied. */
function applyMoney(position: Position, receipt: Receipt): Big {
  const { id, effective_date: date } = receipt;
  const coveringAmount = WITHOUT_COVERAGE.includes(receipt.type) ? ZERO : receipt.amount;
  const isWhole = !isLess(receipt.amount, repaymentOwed(position, date));
  const { interest_settled: settled } = position;
  let rest = applyToDues(position, receipt, isWhole ? unearnedInterestOn(position, receipt) : ZERO);
  // Returned interest repays principal, which lowers the period's interest again, by a smaller amount each
  // time.
  for (;;) {
    const unearned = unearnedPaidInterest(position, receipt, settled);
    if (isZero(unearned)) break;
    rest = applyToDues(position, { ...receipt, amount: rest }, unearned);
  }
  position.coverage.push(
    ...coverInstallments(position.installments, {
      event_id: id,
      date,
      amount: coveringAmount,
      covers_future_installments: receipt.extra_to === 'next_installment',
      tolerance: position.tolerance,
    }),
  );
  payStatement(position, receipt.amount, date);
  if (receipt.type === 'payoff' && totalOwed(position, date).eq(0)) position.is_closed = true;
  return rest;
}

/** Applies an amount plus returned interest to the dues. Returns the amount that could not be applied. */
function applyToDues(position: Position, receipt: Receipt, returned: Big): Big {
  returnUnearnedInterest(position, receipt, returned);
  const { shares, rest } = allocateReceipt(position, {
    ...receipt,
    amount: plus(receipt.amount, returned),
  });
  for (const share of shares) applyShare(position, share, receipt);
  return rest;
}

/** Interest that was paid but is not earned on this day. It counts towards a full repayment. */
const unearnedInterestOn = (position: Position, { effective_date, type }: Receipt): Big =>
  type === 'fee_only' ? ZERO : interestPrepaid(position, effective_date);

/**
 * Prepaid interest that will never be earned and therefore pays other debt. If no principal is left, that
 * is all prepaid interest. Otherwise it is the part this payment overpaid by lowering the balance of its
 * period.
 */
function unearnedPaidInterest(position: Position, receipt: Receipt, settledBefore: Big): Big {
  const { effective_date: date } = receipt;
  const unearned = unearnedInterestOn(position, receipt);
  const paid = excessOver(position.interest_settled, settledBefore);
  if (isZero(position.principal) || isZero(unearned)) return unearned;
  if (!isAboveZero(paid)) return ZERO;
  updateAccrualPace(position, date);
  return min(paid, interestPrepaid(position, openDueDate(position, date)));
}

function returnUnearnedInterest(position: Position, receipt: Receipt, unearned: Big): void {
  if (isZero(unearned)) return;
  const { id: event_id, effective_date: date } = receipt;
  const owed = interestOwed(position, date);
  position.interest_settled = position.interest_settled.minus(unearned);
  position.paid.interest = position.paid.interest.minus(unearned);
  const line = { event_id, component: 'interest', rule: 'unearned interest' } as const;
  addAllocationLine(position, line, unearned.neg(), { before: owed, after: owed });
}

function allocateReceipt(
  position: Position,
  receipt: Pick<Receipt, 'effective_date' | 'amount' | 'type' | 'override'>,
): Allocation {
  const { effective_date: date, amount, type } = receipt;
  const { principal } = position;
  const is_curtailment = type === 'extra_principal';
  const may_prepay =
    type !== 'payoff' &&
    !is_curtailment &&
    isAboveZero(principal) &&
    isLess(amount, totalOwed(position, date));
  const dues = listDues(position, date, { may_prepay, is_curtailment });
  const waterfall = waterfallFor(position, receipt.type);
  if (!receipt.override) return allocate(receipt.amount, dues, waterfall);
  const parts = receipt.override.map((part) => ({ ...part, amount: parseMoney(part.amount) }));
  const instructed = allocateByInstruction(receipt.amount, dues, parts);
  const after = allocate(instructed.rest, instructed.dues, waterfall);
  return { shares: [...instructed.shares, ...after.shares], rest: after.rest };
}

function applyShare(position: Position, share: AllocationShare, receipt: Receipt): void {
  const { id: event_id, effective_date: date, means } = receipt;
  const cause = { event_id, date, means, rule: share.rule };
  const { installment_number } = share;
  if (share.component === 'fee') {
    reduceFee(position, share.fee_id ?? '', share.amount, cause);
    return;
  }
  if (share.component === 'interest') {
    const may_prepay = accruesBySchedule(position.terms);
    reduceInterest(position, share.amount, { ...cause, may_prepay, installment_number });
  }
  if (share.component === 'principal') {
    reducePrincipal(position, share.amount, { ...cause, installment_number });
  }
  const installment = position.installments.find(
    ({ row }) => row.period_number === installment_number,
  );
  if (installment !== undefined) addComponentPayment(installment, share.component, share.amount);
}

/** A recovery reduces the charged-off balance and does not reopen the loan. Any excess goes to suspense. */
export function applyRecovery(
  position: Position,
  receipt: { id: string; amount: Big; effective_date: string },
): void {
  let left = receipt.amount;
  for (const { component } of WATERFALLS.charged_off.steps) {
    const before = position.charged_off[component];
    const amount = min(left, before);
    if (!isAboveZero(amount)) continue;
    left = left.minus(amount);
    position.charged_off[component] = before.minus(amount);
    const line = { event_id: receipt.id, component: 'charge_off' } as const;
    addAllocationLine(position, { ...line, rule: `charged_off: ${component}` }, amount, {
      before,
      after: position.charged_off[component],
    });
  }
  position.paid.recovery = position.paid.recovery.plus(receipt.amount.minus(left));
  addToSuspense(position, left, receipt.id, 'overpayment');
}

/** Applies suspense money as a payment of that day. The unapplied rest stays in suspense. */
export function applySuspenseApplication(
  position: Position,
  event: EventOf<'suspense_application'>,
): void {
  const wanted = event.amount === 'all' ? position.suspense : parseMoney(event.amount);
  const amount = min(wanted, position.suspense);
  if (!isAboveZero(amount)) return;
  const type = event.payment_type ?? 'regular';
  addToSuspense(position, amount.neg(), event.id, 'application');
  if (position.charged_off_on !== null) {
    applyRecovery(position, { ...event, amount });
    return;
  }
  const { id, effective_date } = event;
  const extra_to = position.terms.extra_payment_to;
  const receipt = { id, effective_date, amount, type, means: 'paid', extra_to } as const;
  allocateRemainder(position, applyMoney(position, receipt), receipt);
}

/** A credit is not cash. It reduces the debt, and any excess is not applied. */
export function applyCredit(position: Position, event: EventOf<'service_credit'>): void {
  const amount = parseMoney(event.amount);
  const { id, effective_date, apply_to = 'waterfall' } = event;
  const credit = { id, effective_date, amount, means: 'waived' as const };
  const rest =
    apply_to === 'waterfall'
      ? applyMoney(position, { ...credit, type: 'regular', extra_to: 'principal' })
      : creditComponent(position, credit, apply_to);
  if (!isAboveZero(rest)) return;
  const line = { event_id: id, component: 'unapplied', rule: 'credit exceeds debt' } as const;
  addAllocationLine(position, line, rest, { before: ZERO, after: ZERO });
}

function creditComponent(
  position: Position,
  credit: { id: string; effective_date: string; amount: Big; means: ReductionMeans },
  target: 'fees' | 'interest' | 'principal',
): Big {
  const component = target === 'fees' ? 'fee' : target;
  const open = listDues(position, credit.effective_date, { may_prepay: false });
  const dues = open.filter((due) => due.component === component);
  const { shares, rest } = allocate(credit.amount, dues, WATERFALLS.standard);
  for (const share of shares) {
    const receipt = { ...credit, type: 'regular', extra_to: 'principal' } as const;
    applyShare(position, { ...share, rule: `credit: ${component}` }, receipt);
  }
  payStatement(position, credit.amount, credit.effective_date);
  return rest;
}
