import { parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { LoanEvent } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import { readTerms } from '../products/loan-terms.ts';
import type { OpenLoan } from './open-loan.ts';
import { newEvent } from './new-event.ts';

/**
 * If a payment leaves at most the product's small balance, the residue is written off. Reversing the
 * payment also reverses the write-off (`withdrawn-events.ts`). The payment must be the last event.
 */
export function residueWriteOff(
  { today }: Work,
  { row, schedule, events, state }: OpenLoan,
  newEvents: readonly LoanEvent[],
): LoanEvent[] {
  const payment = newEvents.at(-1);
  if (payment?.kind !== 'payment' || payment.payment_type === 'payoff') return [];
  if (row.status !== 'active' || row.loan_type !== 'installment') return [];
  const terms = readTerms(row);
  const tolerance = parseMoney(terms.small_balance_tolerance);
  // A payment that does not cover the principal cannot repay the loan.
  if (parseMoney(payment.amount).plus(tolerance).lt(state.principal_balance)) return [];
  const after = fold({ terms, schedule, events: [...events, ...newEvents], as_of: today });
  const residue = parseMoney(after.total_balance);
  if (residue.eq(0) || residue.gt(tolerance)) return [];
  const amount = after.total_balance;
  const facts = { amount, payment_id: payment.id };
  return [newEvent({ kind: 'write_off', effective_date: today, ...facts })];
}
