import {
  findLoansByNumbers,
  listEarlierFacts,
  type EarlierFacts,
} from '../../../sql/books/reconciliations.ts';
import { readLoanHistory } from '../../../sql/loans/history.ts';
import type { Work } from '../../work.ts';
import { formatCents } from '../../loans/arithmetic/minor-units.ts';
import type { EventOf, LoanEvent } from '../../loans/engine/events.ts';
import { readTerms } from '../../loans/products/loan-terms.ts';
import type { BookLoan } from '../conventions/book-loan.ts';
import { centsOf, statesFigures } from '../conventions/differences.ts';
import type { Figures } from '../conventions/figures.ts';
import { NOTHING_PAID, type PaidBefore } from '../conventions/paid-before.ts';
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
  const boarded = records.flatMap((record) => (record && isBoarded(record) ? [record.id] : []));
  const earlier = new Map(
    boarded.length === 0 ? [] : (await listEarlierFacts(tx, boarded)).map((row) => [row.id, row]),
  );
  return given.map(({ loan_number, theirs }, at): LoanPair => {
    const record = records[at] ?? null;
    const none = { loan_number, loan_id: null, theirs, events_read: 0, days_not_compared: 0 };
    if (record === null)
      return { ...none, problem: { kind: 'missing_loan', reason: 'There is no such loan here.' } };
    const compared = {
      ...none,
      loan_id: record.id,
      ...comparable(record, theirs, { today, earlier: earlier.get(record.id) }),
    };
    return { ...compared, events_read: countEvents(record, compared.theirs) };
  });
}

type Known = { today: string; earlier: EarlierFacts | undefined };

/** Its debt did not begin here: it was boarded, or was repaid before. */
const isBoarded = ({ status, events }: LoanRecord): boolean =>
  events.some(({ kind }) => kind === 'boarding') || isRepaidBefore({ status, events });

/** A loan that was boarded as paid off has no events. */
const isRepaidBefore = ({ status, events }: Pick<LoanRecord, 'status' | 'events'>): boolean =>
  status === 'paid_off' && events.length === 0;

function comparable(record: LoanRecord, theirs: readonly Figures[], { today, earlier }: Known) {
  const problem = (reason: string) => ({ problem: { kind: 'not_compared' as const, reason } });
  const loan = toBookLoan(record, { today, earlier });
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
function toBookLoan(record: LoanRecord, known: Known): BookLoan | null {
  const { schedule, events: recorded, ...row } = record;
  const events = recorded.map(
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the details are the facts of the kind.
    ({ id, kind, effective_date, details }) =>
      ({ ...details, id, kind, effective_date }) as LoanEvent,
  );
  const start = isRepaidBefore(record)
    ? repaidOn(known)
    : (events.find(({ kind }) => kind === 'boarding') ??
      events.find(({ kind }) => kind === 'disbursement' || kind === 'draw'));
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
    ...(start.kind === 'boarding' && { paid_before: paidBefore(record, start, known) }),
  };
}

/** Its balances are zero since the last payment, as far as that is known, and since the boarding otherwise. */
const repaidOn = ({ today, earlier }: Known): EventOf<'boarding'> => ({
  id: 'repaid',
  kind: 'boarding',
  effective_date: earlier?.last_payment_date ?? earlier?.boarded_on ?? today,
  principal_balance: '0.00',
  ...(earlier?.last_payment_date && { last_payment_date: earlier.last_payment_date }),
});

/**
 * The payments before the boarding: the paid principal follows from the balances, the rest was stated by the file that
 * brought the loan. A replayed history has its own payments, and what came before it is not known.
 */
function paidBefore(
  { principal_amount, loan_type, origination_date }: LoanRecord,
  start: EventOf<'boarding'>,
  { earlier }: Known,
): PaidBefore {
  const { principal_balance, charge_off_balance = '0.00', takeover, effective_date } = start;
  if (takeover !== undefined && effective_date === origination_date) return NOTHING_PAID;
  const repaid =
    centsOf(principal_amount) - centsOf(principal_balance) - centsOf(charge_off_balance);
  const isKnown = loan_type !== 'line_of_credit' && repaid >= 0n;
  const stated = takeover === undefined ? earlier : undefined;
  return {
    principal: isKnown ? formatCents(repaid) : null,
    interest: amountOrNull(stated?.paid_interest),
    fees: amountOrNull(stated?.paid_fees),
    recovered: amountOrNull(stated?.recovered) ?? '0.00',
  };
}

/** The metadata of a loan can be changed, so that it may hold anything. */
const amountOrNull = (text: string | null | undefined): string | null =>
  text !== null && text !== undefined && /^\d{1,13}\.\d{2}$/.test(text) ? text : null;
