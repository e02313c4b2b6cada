import type { EventRow } from '../../../sql/loans/events.ts';
import * as history from '../../../sql/loans/history.ts';
import { billBeforeEvent } from '../../documents/statements.job.ts';
import { BusinessDateChanged, Invalid, NotFound, ReliefEnding } from '../../errors.ts';
import type { Work } from '../../work.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { LoanEvent } from '../engine/events.ts';
import { replay, type FoldedHistory } from '../engine/fold.ts';
import type { EventPosting } from '../engine/posting/postings.ts';
import { toLoanState, type LoanState } from '../engine/state.ts';
import { readTerms } from '../products/loan-terms.ts';

/** The loan's row, schedule and events, as one query reads them. */
type LoanRecord = NonNullable<Awaited<ReturnType<typeof history.lockLoanHistory>>>;

/** The ledger amounts of each event. */
export type AmountsByEvent = { of: (eventId: string) => EventPosting };

/** A locked loan with its history and its state before new events. */
export type OpenLoan = {
  row: Omit<LoanRecord, 'schedule' | 'events'>;
  schedule: readonly ScheduleRow[];
  events: readonly LoanEvent[];
  state: LoanState;
  /** `recordEvents` continues this replay if it can. */
  folded: FoldedHistory;
  /**
   * The ledger amounts, netted by account, if they were read from the ledger instead of derived from the state.
   * `purpose` is that of the entries that correct them.
   */
  booked?: AmountsByEvent & { purpose: string };
};

/**
 * Locks the loan and folds it as of today; one writer per loan at a time. Throws `ReliefEnding` if a relief
 * has ended, so that its end is recorded first. Creates last month's statement if it is still missing.
 */
export async function openLoan(work: Work, loanId: string): Promise<OpenLoan> {
  const record = await lockHistory(work, loanId);
  if (work.isEndingReliefs) return foldRecord(work, record);
  if (record.has_ended_relief) throw new ReliefEnding();
  const month = record.unbilled_month;
  if (month !== null) await billBeforeEvent(work.tx, { work, id: loanId, month });
  return foldRecord(work, record);
}

/** Like `openLoan`, for the step that bills the loan: does not require that it is billed. */
export const openUnbilledLoan = async (work: Work, loanId: string): Promise<OpenLoan> =>
  foldRecord(work, await lockHistory(work, loanId));

/** Reads a loan and its history without a lock, and folds it as of today. */
export async function readLoan(work: Work, loanId: string): Promise<OpenLoan> {
  const record = await history.readLoanHistory(work.tx, loanId);
  if (record === null) throw new NotFound();
  return foldRecord(work, record);
}

/** `now` counts all recorded events, `then` only events that were recorded by that day. */
export type Knowledge = 'now' | 'then';

/** Reads a loan without a lock and folds it once, as of today or a past day. */
export async function readPastLoan(
  work: Work,
  loanId: string,
  asOf: string,
  known: Knowledge,
): Promise<OpenLoan> {
  if (asOf > work.today)
    throw new Invalid({
      as_of_date: 'Must not be in the future. Use get-future-balance-projection for future dates.',
    });
  const record = await history.readLoanHistory(work.tx, loanId);
  if (record === null) throw new NotFound();
  return foldRecord({ today: asOf }, record, known === 'then' ? asOf : work.today);
}

/**
 * Locks and reads the loan. If the business date moved while the request waited for the lock, throws
 * `BusinessDateChanged` and the request restarts on the new date.
 */
async function lockHistory({ tx, today }: Work, loanId: string): Promise<LoanRecord> {
  const record = await history.lockLoanHistory(tx, loanId);
  if (record === null) throw new NotFound();
  if (record.business_date !== today) throw new BusinessDateChanged();
  return record;
}

function foldRecord({ today }: Pick<Work, 'today'>, record: LoanRecord, knownOn = today): OpenLoan {
  const { schedule, events: recorded, ...row } = record;
  const events = recorded.filter(({ recorded_on }) => recorded_on <= knownOn).map(toLoanEvent);
  const input = { terms: readTerms(row), schedule, events, as_of: today };
  const run = replay(input);
  return { row, schedule, events, state: toLoanState(run.position, today), folded: { input, run } };
}

const toLoanEvent = ({ id, kind, effective_date, details, is_replayed }: EventRow): LoanEvent =>
  ({ ...details, id, kind, effective_date, ...(is_replayed && { is_replayed }) }) as LoanEvent;
