import type { BookLoan, PreparedLoan } from './book-loan.ts';
import type { Difference } from './differences.ts';

/** Figures that follow from the installments that count as paid. */
export const FIGURES_OF_BILLS: readonly string[] = [
  ...(['days_past_due', 'days_past_due_range', 'next_due_date'] as const),
  'next_payment_amount',
];

const MOST_INSTALLMENTS = 36;

/** The loan as if it had been boarded as paid through another of its due dates, the nearest first. */
export function* paidThroughChanges(
  loan: BookLoan,
  { schedule }: PreparedLoan,
  differences: readonly Difference[],
): Generator<{ loan: BookLoan; ours: string; theirs: string }> {
  const { start } = loan;
  const isOfBills = differences.every(({ figure }) => FIGURES_OF_BILLS.includes(figure));
  if (start.kind !== 'boarding' || start.takeover !== undefined || !isOfBills) return;
  const ours = start.paid_through_date ?? start.effective_date;
  const dues = schedule.map(({ due_date }) => due_date);
  const before = dues.filter((due) => due < ours).toReversed();
  // The first installment may be unpaid too.
  const earlier = [...before.slice(0, MOST_INSTALLMENTS), loan.contract.origination_date];
  const later = dues.filter((due) => due > ours).slice(0, MOST_INSTALLMENTS);
  for (const theirs of [...earlier, ...later])
    yield { loan: { ...loan, start: { ...start, paid_through_date: theirs } }, ours, theirs };
}
