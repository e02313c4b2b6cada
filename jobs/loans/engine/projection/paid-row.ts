import type { Big } from 'big.js';
import { atLeastZero, min, money, parseMoney } from '../../../money.ts';
import type { InstallmentState } from '../bills.ts';
import type { Position } from '../position.ts';
import type { ProjectedPayment } from './course.ts';

export type Balances = { principal: Big; fees: Big };
export const balancesOf = ({ principal, paid }: Position): Balances => ({
  principal,
  fees: paid.fees,
});

/**
 * A row with the parts of its projected payment. Earlier payments count as interest here. Returned unearned
 * interest repays debt before the payment does, so the row begins at the balance after that.
 */
export function toPaidRow(
  row: InstallmentState,
  payment: ProjectedPayment | null,
  { before, after }: { before: Balances; after: Balances },
): InstallmentState {
  if (payment === null && row.status === 'paid') return row;
  const open = parseMoney(payment?.amount ?? '0.00');
  const amount = open.plus(row.paid_amount);
  const repaid = before.principal.minus(after.principal);
  const settled = after.fees.minus(before.fees);
  const back = atLeastZero(repaid.plus(settled).minus(amount));
  const ofPrincipal = min(back, repaid);
  const principal = repaid.minus(ofPrincipal);
  const fees = settled.minus(back.minus(ofPrincipal));
  return {
    ...row,
    status: row.status === 'paid' ? 'partially_paid' : row.status,
    open_amount: money(open),
    payment_amount: money(amount),
    principal_amount: money(principal),
    fees_amount: money(fees),
    interest_amount: money(amount.minus(principal).minus(fees)),
    beginning_balance: money(before.principal.minus(ofPrincipal)),
    ending_balance: money(after.principal),
  };
}
