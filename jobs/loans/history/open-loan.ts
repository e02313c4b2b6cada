import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { LoanEvent } from '../engine/events.ts';
import type { FoldedHistory } from '../engine/fold.ts';
import type { LoanState } from '../engine/state.ts';
import type { PostedByEvent } from './post-changes.ts';
import type * as history from '../../../sql/loans/history.ts';

/** The loan's row, schedule and events, as one query reads them. */
export type LoanRecord = NonNullable<Awaited<ReturnType<typeof history.lockAndRead>>>;

/** A locked loan with its history and its state before new events. */
export type OpenLoan = {
  row: Omit<LoanRecord, 'schedule' | 'events'>;
  schedule: readonly ScheduleRow[];
  events: readonly LoanEvent[];
  state: LoanState;
  /** `recordEvents` continues this replay if it can. */
  folded: FoldedHistory;
  /** The ledger amounts, if they were read from the ledger instead of derived from the state. */
  booked?: PostedByEvent;
};
