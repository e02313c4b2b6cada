import type { LoanState } from '../engine/state.ts';
import { min, money, parseMoney, ZERO } from '../../money.ts';

/**
 * The amount by which suspense pays due bills at the close of a day: oldest first, each only if the money
 * covers it in full. Null if it pays none. Suspense that reaches a full periodic payment must be applied
 * (12 CFR 1026.36(c)(1)(ii)).
 */
export function billsPaidFromSuspense(state: LoanState, day: string): string | null {
  const available = parseMoney(state.suspense_balance);
  let billed = ZERO;
  for (const bill of state.installments) {
    if (bill.due_date > day || ['paid', 'canceled', 'deferred'].includes(bill.status)) continue;
    const next = billed.plus(bill.payment_amount).minus(bill.paid_amount);
    if (next.gt(available)) break;
    billed = next;
  }
  const amount = min(billed, parseMoney(state.total_balance));
  return amount.eq(0) ? null : money(amount);
}
