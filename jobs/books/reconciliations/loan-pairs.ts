import { findLoansByNumbers } from '../../../sql/books/reconciliations.ts';
import { readLoanHistory } from '../../../sql/loans/history.ts';
import type { Work } from '../../work.ts';
import type { LoanEvent } from '../../loans/engine/events.ts';
import { readTerms } from '../../loans/products/loan-terms.ts';
import type { BookLoan } from '../conventions/book-loan.ts';
import { statesFigures } from '../conventions/differences.ts';
import type { Figures } from '../conventions/figures.ts';
import type { FiguresOfLoan } from '../conventions/read-studied-loans.ts';
import type { LoanPair } from './compare-loans.ts';

type LoanRecord = NonNullable<Awaited<ReturnType<typeof readLoanHistory>>>;

/** The loans here with the figures of the file, in the order of the file. */
export async function pairWithLoans(
  { tx, today }: Pick<Work, 'tx' | 'today'>,
  given: readonly FiguresOfLoan[],
): Promise<LoanPair[]> {
  const found = await findLoansByNumbers(
    tx,
    given.map(({ loan_number }) => loan_number),
  );
  const ids = new Map(found.map(({ id, number }) => [number, id]));
  const records = await Promise.all(
    given.map(async ({ loan_number }) => {
      const id = ids.get(loan_number);
      return id === undefined ? null : readLoanHistory(tx, id);
    }),
  );
  return given.map(({ loan_number, theirs }, at): LoanPair => {
    const record = records[at] ?? null;
    const none = { loan_number, loan_id: null, theirs, events_read: 0, days_not_compared: 0 };
    if (record === null)
      return { ...none, problem: { kind: 'missing_loan', reason: 'There is no such loan here.' } };
    const compared = { ...none, loan_id: record.id, ...comparable(record, theirs, today) };
    return { ...compared, events_read: countEvents(record, compared.theirs) };
  });
}

function comparable(record: LoanRecord, theirs: readonly Figures[], today: string) {
  const problem = (reason: string) => ({ problem: { kind: 'not_compared' as const, reason } });
  const loan = toBookLoan(record);
  if (loan === null) return problem('The loan has not been funded here.');
  const { effective_date: since } = loan.start;
  const stated = theirs.filter(statesFigures);
  if (stated.length === 0) return problem('The file states no figure of it.');
  const days = stated.filter(({ as_of_date }) => as_of_date >= since && as_of_date <= today);
  if (days.length === 0)
    return problem(
      `Its figures here begin on ${since} and end on ${today}. The file states none of these days.`,
    );
  return { loan, theirs: days, days_not_compared: theirs.length - days.length };
}

/** The events through the last day of the figures. */
function countEvents({ events }: LoanRecord, theirs: readonly Figures[]): number {
  const through = theirs.at(-1)?.as_of_date ?? '';
  return events.filter(({ effective_date }) => effective_date <= through).length;
}

/** A loan of ours as its contract and events. Null if it was never funded. */
function toBookLoan({ schedule, events: recorded, ...row }: LoanRecord): BookLoan | null {
  const events = recorded.map(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the details are the facts of the kind.
    ({ id, kind, effective_date, details }) =>
      ({ ...details, id, kind, effective_date }) as LoanEvent,
  );
  const start =
    events.find(({ kind }) => kind === 'boarding') ??
    events.find(({ kind }) => kind === 'disbursement' || kind === 'draw');
  if (start === undefined) return null;
  return {
    loan_number: row.loan_number,
    terms: readTerms(row),
    contract: {
      principal_amount: row.principal_amount,
      origination_date: row.origination_date ?? start.effective_date,
    },
    start,
    events: events.filter((event) => event !== start),
    schedule,
  };
}
