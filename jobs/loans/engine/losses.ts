import type { Big } from 'big.js';
import { min, parseMoney, sum, ZERO } from '../../money.ts';
import type { Component } from '../arithmetic/terms.ts';
import { applyRecovery } from './apply-payment.ts';
import type { EventOf } from './events.ts';
import { payStatement } from './interest/grace.ts';
import {
  chargedOffBalance,
  addAllocationLine,
  feesOwed,
  interestOwed,
  isPaidOff,
  totalOwed,
  type Position,
} from './position.ts';
import {
  addToSuspense,
  feesPortion,
  interestPortion,
  portionAmount,
  reduceFees,
  reduceInterest,
  reducePrincipal,
} from './reduce.ts';

/**
 * Takes a loan off the books. Its principal, and any interest and fees that are not waived, become a claim
 * that only recoveries reduce. A partial charge-off takes only the given principal. Does nothing if the
 * loan is already paid off on that date.
 */
export function applyChargeOff(position: Position, event: EventOf<'charge_off'>): void {
  const { id: event_id, effective_date: date } = event;
  const cause = { event_id, date, rule: 'charge_off' } as const;
  const isPart = event.principal_amount !== undefined;
  if (!isPart && isPaidOff(position, date)) return;
  const wanted = portionAmount(event.principal_amount ?? 'all', position.principal);
  const principal = reducePrincipal(position, wanted, { ...cause, means: 'moved' });
  increaseChargedOff(position, 'principal', principal, event_id);
  if (isPart) return;
  const givesUpInterest = event.reverse_accrued_interest ?? true;
  const interest = reduceInterest(position, interestOwed(position, date), {
    ...cause,
    means: givesUpInterest ? 'waived' : 'moved',
  });
  const givesUpFees = event.waive_fees ?? true;
  const fees = reduceFees(position, feesOwed(position), {
    ...cause,
    means: givesUpFees ? 'waived' : 'moved',
  });
  if (!givesUpInterest) increaseChargedOff(position, 'interest', interest, event_id);
  if (!givesUpFees) increaseChargedOff(position, 'fee', fees, event_id);
  position.charged_off_on = date;
}

/** A charged-off amount is still owed. The explanation shows it as a negative reduction. */
export function increaseChargedOff(
  position: Position,
  component: Component,
  amount: Big,
  event_id: string,
  rule = 'charge_off',
): void {
  if (amount.lte(0)) return;
  const before = position.charged_off[component];
  position.charged_off[component] = before.plus(amount);
  const line = { event_id, component: 'charge_off', rule: `${rule}: ${component}` } as const;
  addAllocationLine(position, line, amount.neg(), {
    before,
    after: position.charged_off[component],
  });
}

/**
 * Applies the net proceeds of sold collateral to principal, interest, fees and charged-off amounts, in this
 * order. Any surplus belongs to the borrower.
 */
export function applyLiquidation(position: Position, event: EventOf<'liquidation'>): void {
  const amount = parseMoney(event.net_proceeds);
  const { id: event_id, effective_date: date } = event;
  const cause = { event_id, date, rule: 'liquidation', means: 'paid' } as const;
  let left = amount;
  left = left.minus(reducePrincipal(position, left, cause));
  left = left.minus(reduceInterest(position, left, cause));
  left = left.minus(reduceFees(position, left, cause));
  const claim = min(left, chargedOffBalance(position));
  applyRecovery(position, { id: event_id, effective_date: date, amount: claim });
  left = left.minus(claim);
  position.deficiency = totalOwed(position, date).plus(chargedOffBalance(position));
  if (left.lte(0)) return;
  const before = position.surplus;
  position.surplus = before.plus(left);
  addAllocationLine(position, { event_id, component: 'surplus', rule: 'liquidation' }, left, {
    before,
    after: position.surplus,
  });
}

/**
 * Writes off a small residue: principal first, then interest and fees. A write-off to zero also closes a
 * credit line.
 */
export function writeOff(position: Position, event: EventOf<'write_off'>): void {
  const { id: event_id, effective_date: date } = event;
  const cause = { event_id, date, rule: 'write_off', means: 'moved' } as const;
  const part = position.charged_off_on === null ? position.charged_off.principal : ZERO;
  let left = portionAmount(event.amount ?? 'all', totalOwed(position, date).plus(part));
  left = left.minus(reducePrincipal(position, left, cause));
  left = left.minus(reduceInterest(position, left, cause));
  left = left.minus(reduceFees(position, left, cause));
  reduceChargedOffBalance(position, 'principal', min(left, part), { event_id, rule: 'write_off' });
  if (totalOwed(position, date).eq(0)) position.is_closed = true;
}

export function forgive(position: Position, event: EventOf<'forgiveness'>): void {
  const { id: event_id, effective_date: date } = event;
  const cause = { event_id, date, rule: 'forgiveness', means: 'waived' } as const;
  const forgiven = [
    reducePrincipal(position, portionAmount(event.principal, position.principal), cause),
    reduceInterest(position, interestPortion(position, event.interest, date), cause),
    reduceFees(position, feesPortion(position, event.fees), cause),
  ];
  payStatement(position, sum(forgiven), date);
  forgiveChargedOff(position, event);
}

/**
 * After a charge-off, forgiveness reduces the claim. A partial charge-off is forgiven only by forgiving
 * `all`.
 */
function forgiveChargedOff(position: Position, event: EventOf<'forgiveness'>): void {
  const portions = { principal: event.principal, interest: event.interest, fee: event.fees };
  for (const component of ['principal', 'interest', 'fee'] as const) {
    const portion = portions[component];
    if (position.charged_off_on === null && portion !== 'all') continue;
    const amount = portionAmount(portion, position.charged_off[component]);
    reduceChargedOffBalance(position, component, amount, {
      event_id: event.id,
      rule: 'forgiveness',
    });
  }
}

function reduceChargedOffBalance(
  position: Position,
  component: Component,
  amount: Big,
  cause: { event_id: string; rule: string },
): void {
  if (amount.lte(0)) return;
  const before = position.charged_off[component];
  const after = before.minus(amount);
  position.charged_off[component] = after;
  addAllocationLine(position, { ...cause, component: 'charge_off' }, amount, { before, after });
}

/** Moves the whole debt, the charged-off claim and suspense to the new servicer. */
export function transferServicing(position: Position, event: EventOf<'servicing_transfer'>): void {
  const { id: event_id, effective_date: date, kind: rule } = event;
  const cause = { event_id, date, rule, means: 'moved' } as const;
  reducePrincipal(position, position.principal, cause);
  reduceInterest(position, interestOwed(position, date), cause);
  reduceFees(position, feesOwed(position), cause);
  addToSuspense(position, position.suspense.neg(), event_id, rule);
  for (const component of ['principal', 'interest', 'fee'] as const)
    reduceChargedOffBalance(position, component, position.charged_off[component], {
      event_id,
      rule,
    });
  position.stops.add('transfer');
}
