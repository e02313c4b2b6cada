import { prepareLoan, type BookLoan } from '../conventions/book-loan.ts';
import type { Conventions } from '../conventions/conventions.ts';
import { centsOf, givenFigures, isGiven } from '../conventions/differences.ts';
import {
  computeFigures,
  PAID_FIGURES,
  type FigureName,
  type Figures,
} from '../conventions/figures.ts';

/** Why figures of the file were not compared, a sentence for each reason. Empty: all were compared. */
export function unknownFigures(
  loan: BookLoan,
  theirs: readonly Figures[],
  conventions: Conventions,
): string[] {
  const unknown = findUnknown(loan, theirs, conventions);
  const paid = unknown.filter((figure) => figure !== 'installment');
  return [
    ...(paid.length > 0
      ? [`${paid.join(', ')}: not known here for the time before the boarding.`]
      : []),
    ...(unknown.includes('installment')
      ? ['installment: not compared, because the loan asks for no installment here.']
      : []),
  ];
}

/** The figures that the file states of a day for which they are not known here. */
function findUnknown(
  loan: BookLoan,
  theirs: readonly Figures[],
  conventions: Conventions,
): FigureName[] {
  const given = givenFigures(theirs);
  const uncertain = [...(loan.paid_before ? PAID_FIGURES : []), 'installment' as const].filter(
    (figure) => given.has(figure),
  );
  if (uncertain.length === 0) return [];
  const days = theirs.map(({ as_of_date }) => as_of_date);
  const prepared = prepareLoan(loan, conventions, days.at(-1) ?? '');
  const ours = [...computeFigures(prepared, days, new Set(uncertain))];
  return uncertain.filter((figure) =>
    theirs.some((day, at) => {
      const there = day[figure];
      if (!isGiven(there) || ours[at]?.[figure] !== undefined) return false;
      // An installment of zero says the same as none.
      return figure !== 'installment' || centsOf(there) !== 0n;
    }),
  );
}
