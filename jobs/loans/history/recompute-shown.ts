import { find } from '../../../sql/table.ts';
import { loans } from '../../../sql/loans/loans.ts';
import type { Work } from '../../work.ts';
import type { LoanState } from '../engine/state.ts';
import { readLoan } from './open-loan.ts';

/** A figure that a loan shows, and the value that its events give. */
export type ShownDifference = { figure: string; shown: unknown; computed: unknown };

/**
 * Recomputes a funded loan from its events as of today, and returns the shown figures that differ. Writes nothing.
 * Throws if the events cannot be folded.
 */
export async function findShownDifferences(work: Work, id: string): Promise<ShownDifference[]> {
  const { row, state } = await readLoan(work, id);
  const shown = await find(work.tx, loans, id);
  if (row.status !== 'active' || !shown) return [];
  return Object.entries(figuresOf(state)).flatMap(([figure, computed]) =>
    shown[figure] === computed ? [] : [{ figure, shown: shown[figure], computed }],
  );
}

/** The figures that lists, the portal and tapes read from the stored outlook. */
const figuresOf = ({ bill, ...state }: LoanState) => ({
  principal_balance: state.principal_balance,
  accrued_interest: state.accrued_interest,
  outstanding_fees: state.outstanding_fees,
  total_balance: state.total_balance,
  days_past_due: state.days_past_due,
  delinquency_bucket: state.delinquency_bucket,
  next_payment_date: state.next_payment_date,
  next_payment_amount: state.next_payment_amount,
  past_due_amount: state.past_due_amount,
  past_due_principal: bill.past_due.principal,
  past_due_interest: bill.past_due.interest,
  past_due_fees: bill.past_due.fees,
  fees_due: bill.fees_due,
  amount_due: bill.amount_due,
});
