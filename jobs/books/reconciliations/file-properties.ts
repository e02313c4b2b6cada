import { prepareLoan, type BookLoan } from '../conventions/book-loan.ts';
import type { DifferenceKind } from '../conventions/conventions.ts';
import {
  centsOf,
  givenFigures,
  isEqualFigure,
  isGiven,
  withoutFigures,
  type Difference,
} from '../conventions/differences.ts';
import {
  addAmounts,
  computeFigures,
  type FigureName,
  type Figures,
  type WantedFigure,
} from '../conventions/figures.ts';
import type { Naming } from '../conventions/name-difference.ts';

/** Differences of a loan that follow from the file as a whole, and not from the loan. */
export type FilePart = { kind: DifferenceKind; reason: string; differences: Difference[] };

/** Another meaning that a figure may have in a file. `of` computes it from our figures. */
type Reading = {
  figure: FigureName;
  text: string;
  needs: readonly WantedFigure[];
  of: (ours: Figures) => string | number | null;
};

const READINGS: readonly Reading[] = [
  {
    figure: 'principal',
    text: 'the principal with the unpaid interest',
    needs: ['principal', 'interest'],
    of: ({ principal, interest }) => addAmounts(principal, interest),
  },
  {
    figure: 'principal',
    text: 'the principal with the unpaid interest and fees',
    needs: ['principal', 'interest', 'fees'],
    of: ({ principal, interest, fees }) => addAmounts(principal, interest, fees),
  },
  {
    figure: 'payoff_amount',
    text: 'the principal without interest and fees',
    needs: ['principal'],
    of: ({ principal }) => principal ?? null,
  },
  {
    figure: 'payoff_amount',
    text: 'principal and interest without fees',
    needs: ['principal', 'interest'],
    of: ({ principal, interest }) => addAmounts(principal, interest),
  },
  {
    figure: 'next_payment_amount',
    text: 'the next installment with what is past due',
    needs: ['next_payment_amount', 'past_due_amount'],
    of: (ours) => addAmounts(ours.next_payment_amount, ours.past_due_amount),
  },
  {
    figure: 'next_due_date',
    text: 'the next due date, although earlier installments are unpaid',
    needs: ['upcoming_due_date'],
    of: ({ upcoming_due_date }) => upcoming_due_date ?? null,
  },
  ...[1, -1].map((more): Reading => ({
    figure: 'days_past_due',
    text: `the days past due and ${more > 0 ? 'one more' : 'one less'}`,
    needs: ['days_past_due'],
    of: ({ days_past_due: days }) => (days ? days + more : 0),
  })),
];

/** Figures that no loan with a debt has as zero, apart from the day on which it is paid. */
const NEVER_ZERO = ['interest', 'payoff_amount', 'next_payment_amount', 'installment'] as const;
type NeverZero = (typeof NEVER_ZERO)[number];

const NOT_KEPT: Readonly<Record<NeverZero, string>> = {
  interest: 'no accrued interest',
  payoff_amount: 'no payoff amount',
  next_payment_amount: 'no next payment',
  installment: 'no installment',
};

/** Fewer loans may have something in common by chance. */
const LOANS_MIN = 3;

/** Finds figures that are zero for all loans of a file, as its rows pass. */
export class ZeroFigures {
  readonly #loans = new Map<NeverZero, Set<string>>(NEVER_ZERO.map((name) => [name, new Set()]));

  add(loan_number: string, figures: Figures) {
    if (isGiven(figures.principal) && centsOf(figures.principal) === 0n) return;
    for (const [name, loans] of this.#loans) {
      const stated = figures[name];
      if (!isGiven(stated)) continue;
      if (centsOf(stated) !== 0n) this.#loans.delete(name);
      else if (loans.size < LOANS_MIN) loans.add(loan_number);
    }
  }

  /** The figures that at least three loans state, all of them as zero. */
  found(): ReadonlySet<FigureName> {
    return new Set(
      [...this.#loans].flatMap(([name, loans]) => (loans.size < LOANS_MIN ? [] : [name])),
    );
  }
}

type StatedLoan = { loan: BookLoan; theirs: readonly Figures[] };
type Counted = { fitting: number; others: number };

/** What all loans of a file have in common, so that it says nothing about a single loan. */
export class FileProperties {
  readonly #notKept: ReadonlySet<FigureName>;
  readonly #counts = new Map<Reading, Counted>(
    READINGS.map((reading) => [reading, { fitting: 0, others: 0 }]),
  );
  #readings: readonly Reading[] = [];

  constructor(notKept: ReadonlySet<FigureName> = new Set()) {
    this.#notKept = notKept;
  }

  /** Counts which other meanings of figures fit a loan. */
  learnFrom({ loan, theirs }: StatedLoan, naming: Naming) {
    const given = givenFigures(theirs);
    const tried = READINGS.filter(({ figure }) => this.#mayRead(figure, given));
    if (tried.length === 0) return;
    const ours = figuresOf(loan, theirs, naming, tried);
    for (const reading of tried) {
      const counted = this.#counts.get(reading);
      if (counted === undefined) continue;
      const isPlain = agreesOn(reading.figure, ours, theirs, naming, plainly(reading.figure));
      const isRead = agreesOn(reading.figure, ours, theirs, naming, reading.of);
      if (isRead && !isPlain) counted.fitting += 1;
      if (!isRead) counted.others += 1;
    }
    this.#readings = [...this.#counts].flatMap(([reading, { fitting, others }]) =>
      fitting >= LOANS_MIN && others * 10 <= fitting ? [reading] : [],
    );
  }

  #mayRead(figure: FigureName, given: ReadonlySet<FigureName>) {
    return given.has(figure) && !this.#notKept.has(figure);
  }

  /** The differences of a loan that follow from the file, and the figures that say something about the loan. */
  separate(stated: StatedLoan, naming: Naming) {
    const ofFile = this.#partsOf(stated, naming);
    const figures = ofFile.flatMap(({ differences }) => differences.map(({ figure }) => figure));
    const rest = withoutFigures(stated.theirs, new Set([...this.#notKept, ...figures]));
    return { ofFile, rest };
  }

  #partsOf({ loan, theirs }: StatedLoan, naming: Naming): FilePart[] {
    const given = givenFigures(theirs);
    const notKept = [...this.#notKept].filter((figure) => given.has(figure));
    const readings = this.#readings.filter(({ figure }) => this.#mayRead(figure, given));
    const contradicted = theirs.filter(isContradicted);
    if (notKept.length + readings.length + contradicted.length === 0) return [];
    const ours = figuresOf(loan, theirs, naming, readings, [...notKept, ...SUMMED]);
    const parts: FilePart[] = notKept.map((figure) => ({
      kind: 'not_kept',
      reason: `The file states 0.00 for all loans: the other system keeps ${NOT_KEPT[figure as NeverZero]}`,
      differences: differencesIn(figure, ours, theirs, naming),
    }));
    for (const { figure, text, of } of readings) {
      const isKnown = parts.some((part) => part.differences[0]?.figure === figure);
      if (isKnown || !agreesOn(figure, ours, theirs, naming, of)) continue;
      const differences = differencesIn(figure, ours, theirs, naming);
      const reason = `The figure of the file is ${text}, for the other loans too`;
      parts.push({ kind: 'other_meaning', reason, differences });
    }
    if (contradicted.length > 0 && areSums(ours, theirs, naming))
      parts.push({
        kind: 'inconsistent',
        reason:
          'The paid total of the file is not the sum of the paid principal, interest and fees',
        differences: differencesIn('paid_total', ours, theirs, naming),
      });
    return parts.filter(({ differences }) => differences.length > 0);
  }
}

const SUMMED = ['paid_total', 'paid_principal', 'paid_interest', 'paid_fees'] as const;

const sumOfPaid = ({ paid_principal, paid_interest, paid_fees, recovered }: Figures) =>
  isGiven(paid_principal) && isGiven(paid_interest) && isGiven(paid_fees)
    ? addAmounts(paid_principal, paid_interest, paid_fees, recovered)
    : null;

/** The day states a total that is not the sum of its parts. */
function isContradicted(theirs: Figures): boolean {
  const total = sumOfPaid(theirs);
  return total !== null && isGiven(theirs.paid_total) && total !== theirs.paid_total;
}

/** Whether our total agrees with the parts that the file states. */
const areSums = (ours: readonly Figures[], theirs: readonly Figures[], naming: Naming) =>
  theirs.every((day, at) => {
    const total = sumOfPaid(day);
    const here = ours[at]?.paid_total;
    if (total === null || here === undefined) return false;
    return isEqualFigure('paid_total', here, total, naming.tolerance);
  });

const plainly =
  (figure: FigureName): Reading['of'] =>
  (ours) =>
    ours[figure] ?? null;

/** Our figures on the days of the other system. */
function figuresOf(
  loan: BookLoan,
  theirs: readonly Figures[],
  { conventions, through }: Naming,
  readings: readonly Reading[],
  more: readonly WantedFigure[] = [],
): Figures[] {
  const days = theirs.map(({ as_of_date }) => as_of_date);
  const wanted = new Set<WantedFigure>([
    ...readings.flatMap(({ figure, needs }) => [figure, ...needs]),
    ...more,
  ]);
  return [
    ...computeFigures(prepareLoan(loan, conventions, through ?? days.at(-1) ?? ''), days, wanted),
  ];
}

function agreesOn(
  figure: FigureName,
  ours: readonly Figures[],
  theirs: readonly Figures[],
  { tolerance }: Naming,
  of: Reading['of'],
): boolean {
  return theirs.every((day, at) => {
    const [there, here] = [day[figure], ours[at]];
    if (!isGiven(there) || here === undefined) return true;
    return isEqualFigure(figure, of(here), there, tolerance);
  });
}

const differencesIn = (
  figure: FigureName,
  ours: readonly Figures[],
  theirs: readonly Figures[],
  { tolerance }: Naming,
): Difference[] =>
  theirs.flatMap((day, at): Difference[] => {
    const [here, there] = [ours[at]?.[figure], day[figure] ?? null];
    if (here === undefined || there === null) return [];
    return isEqualFigure(figure, here, there, tolerance)
      ? []
      : [{ as_of_date: day.as_of_date, figure, ours: here, theirs: there }];
  });
