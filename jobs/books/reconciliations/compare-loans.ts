import { setImmediate } from 'node:timers/promises';
import type { BookLoan } from '../conventions/book-loan.ts';
import {
  conventionsOf,
  type Conventions,
  type DifferenceKind,
} from '../conventions/conventions.ts';
import { parseCents } from '../../loans/arithmetic/minor-units.ts';
import type { Figures } from '../conventions/figures.ts';
import {
  learnFrom,
  nameDifference,
  newExperience,
  type NamedDifference,
} from '../conventions/name-difference.ts';

/** Reasons why a loan is not compared. `missing_loan`: only one system has it. */
export const UNCOMPARED_KINDS = ['missing_loan', 'not_compared'] as const;
/** `partly_compared`: the compared days agree, but the file states more days. */
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

export type LoanResult = {
  loan_id: string | null;
  loan_number: string;
  last_date: string | null;
  events_read: number;
  days_compared: number;
  days_not_compared: number;
  /** Null: all figures agree. */
  kind: ResultKind | null;
  reason: string;
  named: NamedDifference | null;
};

export type CompareOptions = {
  tolerance: string;
  /** What the file already states about the other system, such as the days until a payment takes effect. */
  stated?: Partial<Conventions>;
};

/** This many loans that differ teach the order in which explanations are tried. */
const LEARNED = 60;

/** Compares each loan and names its difference. Loans come out in their order. */
export async function* compareLoans(
  pairs: AsyncIterable<LoanPair>,
  { tolerance, stated = {} }: CompareOptions,
): AsyncGenerator<LoanResult> {
  const experience = newExperience();
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
      if (pair.loan) learnFrom(pair.loan, pair.theirs, namingOf(pair.loan));
      if (waiting.length < LEARNED) continue;
      for (const early of waiting) yield resultOf(early);
      waiting = null;
    } else yield resultOf(pair);
  }
  for (const pair of waiting ?? []) yield resultOf(pair);

  function resultOf(pair: LoanPair): LoanResult {
    const { loan_id, loan_number, theirs, events_read, days_not_compared } = pair;
    const last_date = theirs.at(-1)?.as_of_date ?? null;
    const days_compared = pair.loan ? theirs.length : 0;
    const days = { last_date, events_read, days_compared, days_not_compared };
    const base = { loan_id, loan_number, ...days };
    if (!pair.loan)
      return { ...base, kind: pair.problem.kind, reason: pair.problem.reason, named: null };
    const named = nameDifference(pair.loan, theirs, namingOf(pair.loan));
    if (named !== null)
      return { ...base, kind: named.kind, reason: named.reasons.join('; '), named };
    if (days_not_compared === 0) return { ...base, kind: null, reason: '', named };
    const [first] = theirs;
    const reason = `${days_compared} days from ${first?.as_of_date} to ${last_date} agree. ${days_not_compared} other days of the file were not compared.`;
    return { ...base, kind: 'partly_compared', reason, named };
  }
}
