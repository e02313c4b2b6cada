import type { Big } from 'big.js';
import { compareDates } from '../../dates.ts';
import { isAboveZero, min, minus } from '../../money.ts';
import type { Component, DueState } from '../arithmetic/terms.ts';
import type { Waterfall } from '../arithmetic/waterfalls.ts';

/** An amount that money can pay. Equal entries are ordered by due date, then by their given order. */
export type Due = {
  component: Component;
  due_state: DueState;
  due_date: string;
  amount: Big;
  installment_number: number | null;
  fee_id: string | null;
};

export type AllocationShare = {
  component: Component;
  installment_number: number | null;
  fee_id: string | null;
  amount: Big;
  rule: string;
};

export type Allocation = { shares: AllocationShare[]; rest: Big };

/**
 * Splits an amount over the dues in the waterfall's order. The shares and the rest always add up to the
 * amount. No share exceeds its due. A rest remains only if everything the waterfall serves is paid.
 */
export function allocate(amount: Big, dues: readonly Due[], waterfall: Waterfall): Allocation {
  const shares: AllocationShare[] = [];
  let rest = amount;
  for (const due of sortDues(dues, waterfall)) {
    if (!isAboveZero(rest)) break;
    const part = min(rest, due.amount);
    if (!isAboveZero(part)) continue;
    rest = minus(rest, part);
    addShare(shares, due, part, `${waterfall.name}: ${due.component}`);
  }
  return { shares, rest };
}

/**
 * Allocates the amounts a user specified per component, oldest due first and never more than a due owes.
 * The caller passes the rest to the waterfall.
 */
export function allocateByInstruction(
  amount: Big,
  dues: readonly Due[],
  parts: readonly { component: Component; amount: Big }[],
): Allocation & { dues: Due[] } {
  const shares: AllocationShare[] = [];
  const open = dues.map((due) => ({ ...due }));
  let rest = amount;
  for (const part of parts) {
    let left = min(part.amount, rest);
    for (const due of open) {
      if (due.component !== part.component) continue;
      const share = min(left, due.amount);
      if (!isAboveZero(share)) continue;
      due.amount = due.amount.minus(share);
      left = left.minus(share);
      rest = rest.minus(share);
      addShare(shares, due, share, `override: ${due.component}`);
    }
  }
  return { shares, rest, dues: open };
}

/** The open dues that the waterfall serves, ordered by run and, within a run, by installment. */
function sortDues(dues: readonly Due[], { steps, runs }: Waterfall): Due[] {
  const served: OrderedDue[] = [];
  for (const due of dues) {
    if (!isAboveZero(due.amount)) continue;
    const step = steps.findIndex(
      ({ component, due_state }) => component === due.component && due_state === due.due_state,
    );
    if (step >= 0) served.push({ due, step, run: runs[step] ?? step });
  }
  // The sort is stable: equal dues keep their given order.
  if (served.length > 1) served.sort(compareOrderedDues);
  return served.map(({ due }) => due);
}

type OrderedDue = { due: Due; step: number; run: number };

const compareOrderedDues = (one: OrderedDue, other: OrderedDue): number =>
  one.run - other.run ||
  compareDates(one.due.due_date, other.due.due_date) ||
  one.step - other.step;

/** Consecutive shares of one component and target become one line of the explanation. */
function addShare(shares: AllocationShare[], due: Due, amount: Big, rule: string): void {
  const last = shares.at(-1);
  const { component, installment_number, fee_id } = due;
  if (
    last?.component === component &&
    last.installment_number === installment_number &&
    last.fee_id === fee_id &&
    last.rule === rule
  ) {
    last.amount = last.amount.plus(amount);
    return;
  }
  shares.push({ component, installment_number, fee_id, amount, rule });
}
