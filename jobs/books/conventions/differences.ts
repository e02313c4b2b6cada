import { parseCents } from '../../loans/arithmetic/minor-units.ts';
import type { PreparedLoan } from './book-loan.ts';
import {
  AMOUNT_FIGURES,
  computeFigures,
  FIGURE_NAMES,
  type FigureName,
  type Figures,
} from './figures.ts';

/** A figure of a day on which two systems differ. */
export type Difference = {
  as_of_date: string;
  figure: FigureName;
  ours: string | number | null;
  theirs: string | number | null;
};

/** Amounts may differ by the tolerance in cents. Days and dates must be equal. */
export type Comparison = { theirs: readonly Figures[]; tolerance: bigint };

export const isAmount = (figure: FigureName) =>
  (AMOUNT_FIGURES as readonly FigureName[]).includes(figure);
export const isGiven = <Value>(value: Value | undefined | null): value is Value =>
  value !== undefined && value !== null;

/** Whether the other system gives any figure of the day. */
export const statesFigures = (figures: Figures): boolean =>
  FIGURE_NAMES.some((name) => isGiven(figures[name]));

/** The figures that the other system gives. */
export const givenFigures = (theirs: readonly Figures[]): ReadonlySet<FigureName> =>
  new Set(FIGURE_NAMES.filter((name) => theirs.some((figures) => isGiven(figures[name]))));

/** The differences, oldest first, found one by one so that a caller can stop at the first. */
export function* differencesOf(
  loan: PreparedLoan,
  { theirs, tolerance }: Comparison,
): Generator<Difference> {
  const wanted = givenFigures(theirs);
  const days = theirs.map(({ as_of_date }) => as_of_date);
  let at = 0;
  for (const ours of computeFigures(loan, days, wanted)) {
    const other = theirs[at];
    at += 1;
    if (other === undefined) return;
    for (const figure of wanted) {
      const [here, there] = [ours[figure] ?? null, other[figure] ?? null];
      // A paid loan has no next payment, and systems write that as an empty field or as zero.
      if (
        there === null ||
        ours[figure] === undefined ||
        isEqualFigure(figure, here, there, tolerance)
      )
        continue;
      yield { as_of_date: ours.as_of_date, figure, ours: here, theirs: there };
    }
  }
}

export function isEqualFigure(
  figure: FigureName,
  here: string | number | null,
  there: string | number | null,
  tolerance: bigint,
): boolean {
  if (figure === 'days_past_due_range') return isInRange(Number(here), String(there));
  if (!isAmount(figure)) return here === there;
  const difference = centsOf(here) - centsOf(there);
  return (difference < 0n ? -difference : difference) <= tolerance;
}

/** Whether the days are in a range such as `0`, `16-30` or `121+`. */
function isInRange(days: number, range: string): boolean {
  const [from = '', to] = range.replace('+', '-').split('-');
  return days >= Number(from) && (to === '' || days <= Number(to ?? from));
}

export const centsOf = (amount: string | number | null): bigint =>
  amount === null ? 0n : parseCents(String(amount));

export const agrees = (loan: PreparedLoan, comparison: Comparison): boolean =>
  differencesOf(loan, comparison).next().done === true;

/** How far two systems are apart: the days and amounts that differ. */
export type Distance = { figures: number; cents: bigint };

export function distanceOf(differences: Iterable<Difference>): Distance {
  const distance = { figures: 0, cents: 0n };
  for (const { figure, ours, theirs } of differences) {
    distance.figures += 1;
    if (!isAmount(figure)) continue;
    const cents = centsOf(ours) - centsOf(theirs);
    distance.cents += cents < 0n ? -cents : cents;
  }
  return distance;
}

/** A negative number if the first is nearer. */
export const compareDistances = (one: Distance, other: Distance): number =>
  one.figures - other.figures || Number(one.cents - other.cents);

/** The figures of the other system without some of them. */
export const withoutFigures = (
  theirs: readonly Figures[],
  left: ReadonlySet<FigureName>,
): readonly Figures[] =>
  left.size === 0
    ? theirs
    : theirs.map((day) => ({
        ...day,
        ...Object.fromEntries([...left].map((figure) => [figure, null])),
      }));
