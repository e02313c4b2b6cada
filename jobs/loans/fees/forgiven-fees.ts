import { Conflict } from '../../errors.ts';
import { fold } from '../engine/fold.ts';
import type { OpenLoan } from '../history/open-loan.ts';
import { readTerms } from '../products/loan-terms.ts';
import { refusalDetails } from '../products/refusals.ts';

/** Whether the law forgives fees of a day, because a legal cap of the rate counts them as interest. */
export const forgivesFees = ({ row, schedule, events, state }: OpenLoan, on: string): boolean =>
  on === state.as_of
    ? state.forgives_fees
    : fold({ terms: readTerms(row), schedule, events, as_of: on }).forgives_fees;

/** Throws `Conflict` if the law forgives fees of that day. */
export function assertFeesAllowed(loan: OpenLoan, on: string) {
  if (!forgivesFees(loan, on)) return;
  throw feesForgivenByLaw(refusalDetails(loan.row));
}

export const feesForgivenByLaw = (details: Record<string, unknown>) =>
  new Conflict(
    'A law caps the rate of the loan on this day and counts fees as interest. See rate-caps. Charge no fee.',
    'fees_forgiven_by_law',
    details,
  );
