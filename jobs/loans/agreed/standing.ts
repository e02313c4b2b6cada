import type { RawLoan } from '../../../sql/loans/loans.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { LoanEvent } from '../engine/events.ts';
import type { LoanState } from '../engine/state.ts';

/** A loan on the day on which an agreed change takes effect: recorded, or projected. */
export type Standing = {
  row: RawLoan;
  schedule: readonly ScheduleRow[];
  events: readonly LoanEvent[];
  state: LoanState;
};

/** Only an active loan gets a relief or a modification. The agreed records of other loans are canceled. */
export const isInService = ({ row }: Standing): boolean => row.status === 'active';
