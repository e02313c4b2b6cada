import type { Big } from 'big.js';
import { divide, min, money, toCents, ZERO } from '../../money.ts';
import type { MinimumPayment } from '../arithmetic/terms.ts';
import { minimumAmount } from './minimum-payment.ts';

/** A hundred years. A longer repayment counts as never. */
const MONTHS_MAX = 1200;

/**
 * The months and the total needed to repay a balance by minimum payments alone. Null if that never happens.
 */
type Outlook = { months: number; total: string } | { months: null; total: null };

/**
 * The estimate on a statement (12 CFR 1026.7(b)(12), Appendix M1). Assumes no new draws, a twelfth of the
 * yearly rate each month, and payment of each minimum.
 */
export function minimumPaymentOutlook(
  rule: MinimumPayment,
  { balance, rate, first_payment }: { balance: Big; rate: Big; first_payment: Big },
): Outlook {
  let left = balance;
  let total = ZERO;
  let payment = first_payment;
  for (let months = 1; months <= MONTHS_MAX; months += 1) {
    const paid = min(left, payment);
    total = total.plus(paid);
    left = left.minus(paid);
    if (left.lte(0)) return { months, total: money(total) };
    const interest = toCents(divide(left.times(rate), 12));
    left = left.plus(interest);
    payment = minimumAmount(rule, left, interest);
  }
  return { months: null, total: null };
}
