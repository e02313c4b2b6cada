import type { DifferenceRow } from '../../../sql/books/reconciliations.ts';
import { RECONCILIATION_KINDS } from '../../../templates/reconciliation-kinds.ts';
import { formatCents } from '../../loans/arithmetic/minor-units.ts';
import { centsOf, type Difference } from '../conventions/differences.ts';
import { AMOUNT_FIGURES } from '../conventions/figures.ts';
import type { LoanResult, ResultKind } from './compare-loans.ts';

export const RESULT_TEXTS: Readonly<Record<ResultKind, { name: string; explanation: string }>> =
  RECONCILIATION_KINDS;

/** Counts of one kind. `amount` is the sum of the last differences of amounts, ours minus theirs. */
export type KindSummary = {
  kind: ResultKind;
  loans: number;
  figures: number;
  amount: string;
  is_accepted: boolean;
};

export class Summary {
  readonly #kinds = new Map<ResultKind, KindSummary & { cents: bigint }>();

  add(kind: ResultKind, rows: readonly DifferenceRow[], is_accepted: boolean) {
    const known = this.#kinds.get(kind) ?? {
      kind,
      loans: 0,
      figures: 0,
      amount: '0.00',
      cents: 0n,
      is_accepted,
    };
    known.loans += 1;
    for (const { figure, last_ours, last_theirs } of rows) {
      if (figure !== null) known.figures += 1;
      if (figure !== null && (AMOUNT_FIGURES as readonly string[]).includes(figure))
        known.cents += centsOf(last_ours) - centsOf(last_theirs);
    }
    this.#kinds.set(kind, known);
  }

  /** The most frequent kind first. */
  rows(): KindSummary[] {
    return [...this.#kinds.values()]
      .toSorted((one, other) => other.loans - one.loans)
      .map(({ cents, ...row }) => ({ ...row, amount: formatCents(cents) }));
  }
}

/** One row for each figure of a loan that differs, or one row for a loan that is not compared. */
export function toRows(
  { loan_id, loan_number, days_not_compared, parts }: LoanResult,
  isAccepted: (kind: ResultKind) => boolean,
  position: number,
): DifferenceRow[] {
  type Row = Omit<DifferenceRow, 'position'>;
  const rows = parts.flatMap(({ kind, reason, differences, parting }): Row[] => {
    const base = {
      loan_id,
      loan_number,
      kind,
      is_accepted: isAccepted(kind),
      days_not_compared,
      reason: reason === '' ? RESULT_TEXTS[kind].explanation : reason.slice(0, 1_000),
    };
    if (differences.length === 0) return [{ ...base, ...NO_FIGURE, parting: null }];
    const byFigure = Map.groupBy(differences, ({ figure }) => figure);
    return [...byFigure].map(([figure, some], at) => ({
      ...base,
      figure,
      ...firstAndLast(some),
      parting: at === 0 ? parting : null,
    }));
  });
  return rows.map((row, at) => ({ ...row, position: position + at }));
}

const NO_FIGURE = {
  figure: null,
  first_date: null,
  first_ours: null,
  first_theirs: null,
  last_date: null,
  last_ours: null,
  last_theirs: null,
  days_differing: 0,
} as const;

const text = (value: string | number | null) => (value === null ? null : String(value));

function firstAndLast(differences: readonly Difference[]) {
  const [first, last] = [differences[0], differences.at(-1)];
  return {
    first_date: first?.as_of_date ?? null,
    first_ours: text(first?.ours ?? null),
    first_theirs: text(first?.theirs ?? null),
    last_date: last?.as_of_date ?? null,
    last_ours: text(last?.ours ?? null),
    last_theirs: text(last?.theirs ?? null),
    days_differing: differences.length,
  };
}
