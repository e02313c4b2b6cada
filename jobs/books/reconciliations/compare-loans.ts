import { setImmediate } from 'node:timers/promises';
import type { BookLoan } from '../conventions/book-loan.ts';
import {
  conventionsOf,
  type Conventions,
  type DifferenceKind,
} from '../conventions/conventions.ts';
import { parseCents } from '../../loans/arithmetic/minor-units.ts';
import type { Difference } from '../conventions/differences.ts';
import type { FigureName, Figures } from '../conventions/figures.ts';
import {
  learnFrom,
  nameDifference,
  newExperience,
  type NamedDifference,
  type Naming,
} from '../conventions/name-difference.ts';
import { FIGURES_OF_BILLS } from '../conventions/paid-through.ts';
import type { Parting } from '../conventions/parting.ts';
import { FileProperties } from './file-properties.ts';
import { unknownFigures } from './unknown-figures.ts';

/** Reasons why a loan is not compared. `missing_loan`: only one system has it. */
export const UNCOMPARED_KINDS = ['missing_loan', 'not_compared'] as const;
/** `partly_compared`: the file states more days, or figures that are not known here. */
export const OTHER_KINDS = [...UNCOMPARED_KINDS, 'partly_compared'] as const;
export type ResultKind = DifferenceKind | (typeof OTHER_KINDS)[number];

/** A loan of the file with the loan here, or the reason why it cannot be compared. */
export type LoanPair = {
  loan_id: string | null;
  loan_number: string;
  /** The compared days. Of a loan that is not compared, those of the file. */
  theirs: readonly Figures[];
  /** The events of the loan here through the last of these days. */
  events_read: number;
  /** Days of the file that are left out, because the figures here do not cover them or the file states none. */
  days_not_compared: number;
} & (
  | { loan: BookLoan; problem?: never }
  | { loan?: never; problem: { kind: (typeof UNCOMPARED_KINDS)[number]; reason: string } }
);

/** Differences of a loan with the same reason. No differences: the loan was not, or only partly, compared. */
export type ResultPart = {
  kind: ResultKind;
  reason: string;
  differences: readonly Difference[];
  parting: Parting | null;
};

export type LoanResult = {
  loan_id: string | null;
  loan_number: string;
  last_date: string | null;
  events_read: number;
  days_compared: number;
  days_not_compared: number;
  /** Empty: all figures agree. */
  parts: readonly ResultPart[];
};

export type CompareOptions = {
  tolerance: string;
  /** What the file already states about the other system, such as the days until a payment takes effect. */
  stated?: Partial<Conventions>;
  /** Figures that the other system does not keep. */
  not_kept?: ReadonlySet<FigureName>;
  /** The file states the dates of loans without a day, so that their due dates here are made up. */
  states_months_only?: boolean;
};

/** This many loans that differ teach the order in which explanations are tried. */
const LEARNED = 60;

/** Compares each loan and names its difference. Loans come out in their order. */
export async function* compareLoans(
  pairs: AsyncIterable<LoanPair>,
  { tolerance, stated = {}, not_kept, states_months_only = false }: CompareOptions,
): AsyncGenerator<LoanResult> {
  const experience = newExperience();
  const properties = new FileProperties(not_kept);
  const namingOf = (loan: BookLoan) => ({
    conventions: { ...conventionsOf(loan.terms), ...stated },
    tolerance: parseCents(tolerance),
    experience,
  });
  let waiting: LoanPair[] | null = [];
  for await (const pair of pairs) {
    // Lets the other jobs of the process proceed between two loans.
    await setImmediate();
    if (waiting !== null) {
      waiting.push(pair);
      if (pair.loan) properties.learnFrom(pair, namingOf(pair.loan));
      if (waiting.length < LEARNED) continue;
      yield* resultsOf(waiting);
      waiting = null;
    } else yield resultOf(pair);
  }
  yield* resultsOf(waiting ?? []);

  /** What the whole file has in common is known first. The rest of the differences teaches the conventions. */
  function* resultsOf(sample: readonly LoanPair[]): Generator<LoanResult> {
    for (const { loan, theirs } of sample)
      if (loan) {
        const naming = namingOf(loan);
        const { rest } = properties.separate({ loan, theirs }, naming);
        learnFrom(loan, rest, naming);
      }
    for (const pair of sample) yield resultOf(pair);
  }

  function resultOf(pair: LoanPair): LoanResult {
    const { loan_id, loan_number, theirs, events_read, days_not_compared } = pair;
    const last_date = theirs.at(-1)?.as_of_date ?? null;
    const days_compared = pair.loan ? theirs.length : 0;
    const days = { last_date, events_read, days_compared, days_not_compared };
    const base = { loan_id, loan_number, ...days };
    if (!pair.loan) return { ...base, parts: [{ ...pair.problem, ...NO_DIFFERENCE }] };
    const naming = namingOf(pair.loan);
    const found = partsOf(pair.loan, theirs, naming, properties);
    const parts = states_months_only ? found.map(ofMadeUpDays) : found;
    const reasons = [
      ...(days_not_compared > 0 && parts.length === 0
        ? [
            `${days_compared} days from ${theirs[0]?.as_of_date} to ${last_date} agree. ${days_not_compared} other days of the file were not compared.`,
          ]
        : []),
      ...unknownFigures(pair.loan, theirs, naming.conventions),
    ];
    if (reasons.length === 0) return { ...base, parts };
    const reason = reasons.join(' ');
    return { ...base, parts: [...parts, { kind: 'partly_compared', reason, ...NO_DIFFERENCE }] };
  }
}

const NO_DIFFERENCE = { differences: [], parting: null } as const;

/** The properties of the file, and the reason of all other differences together. */
function partsOf(
  loan: BookLoan,
  theirs: readonly Figures[],
  naming: Naming,
  properties: FileProperties,
): ResultPart[] {
  const { ofFile, rest } = properties.separate({ loan, theirs }, naming);
  const named = nameDifference(loan, rest, naming);
  return [
    ...(named === null ? [] : (byFigure(named) ?? [toPart(named)])),
    ...ofFile.map((part) => ({ ...part, parting: null })),
  ];
}

const toPart = ({ kind, reasons, differences, parting }: NamedDifference): ResultPart => ({
  kind,
  reason: reasons.join('; '),
  differences,
  parting,
});

/** Days that the file does not state cannot be compared to the day. */
const ofMadeUpDays = (part: ResultPart): ResultPart =>
  part.kind === 'unknown' &&
  part.differences.every(({ figure }) => FIGURES_OF_BILLS.includes(figure))
    ? { ...part, kind: 'due_day', reason: '' }
    : part;

/** Figures that name their difference themselves, if all balances agree. */
const KINDS_OF_FIGURES: Partial<Record<FigureName, DifferenceKind>> = {
  installment: 'installment',
  status: 'status',
  paid_principal: 'paid_to_date',
  paid_interest: 'paid_to_date',
  paid_fees: 'paid_to_date',
  paid_total: 'paid_to_date',
  last_payment_date: 'paid_to_date',
};

/** A part for each kind. Null if the difference has a name already, or a balance differs. */
function byFigure({ kind, differences }: NamedDifference): ResultPart[] | null {
  if (kind !== 'unknown') return null;
  const grouped = Map.groupBy(differences, ({ figure }) => KINDS_OF_FIGURES[figure]);
  if (grouped.has(undefined)) return null;
  return [...grouped].map(([of, some]) => ({
    kind: of ?? kind,
    reason: [...Map.groupBy(some, ({ figure }) => figure)]
      .map(([figure, [one]]) => `${figure}: ${one?.ours ?? 'none'} here, ${one?.theirs} there`)
      .join('; '),
    differences: some,
    parting: null,
  }));
}
