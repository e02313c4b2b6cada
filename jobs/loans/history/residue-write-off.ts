import { parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { LoanEvent } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import { readTerms } from '../products/loan-terms.ts';
import type { OpenLoan } from './record-events.ts';
import { newEvent } from './new-event.ts';

/**
 * A payment that leaves less than the product's small balance has repaid the loan: the residue is
 * written off with it, and goes with it (`withdrawn.ts`). The last event is the payment.
 */
export function residueWriteOff(
  { today }: Work,
  { row, schedule, events, state }: OpenLoan,
  fresh: readonly LoanEvent[],
): LoanEvent[] {
  const payment = fresh.at(-1);
  if (payment?.kind !== 'payment' || payment.payment_type === 'payoff') return [];
  if (row.status !== 'active' || row.loan_type !== 'installment') return [];
  const terms = readTerms(row);
  const tolerance = parseMoney(terms.small_balance_tolerance);
  // What does not cover the principal repays no loan, whenever it is dated.
  if (parseMoney(payment.amount).plus(tolerance).lt(state.principal_balance)) return [];
  const after = fold({ terms, schedule, events: [...events, ...fresh], as_of: today });
  const residue = parseMoney(after.total_balance);
  if (residue.eq(0) || residue.gt(tolerance)) return [];
  const amount = after.total_balance;
  const because = { amount, payment_id: payment.id };
  return [newEvent({ kind: 'write_off', effective_date: today, ...because })];
}
