import * as storedBalances from '../../../sql/loans/stored-balances.ts';
import { newId } from '../../../sql/new-id.ts';
import type { AccountRole } from '../../ledger/chart.ts';
import { ZERO } from '../../money.ts';
import type { Work } from '../../work.ts';
import { netPosting, type EventPosting } from '../engine/posting/postings.ts';
import { openLoan, type OpenLoan } from './open-loan.ts';
import { recordEvents } from './record-events.ts';
import { postMissedInterest } from './missed-interest.ts';
import { newEvent } from './new-event.ts';

export type RefoldResult = {
  before: storedBalances.StoredBalances;
  after: storedBalances.StoredBalances;
};

/**
 * Updates a loan's stored balances, schedule, splits and ledger after a release that computes them
 * differently. Corrections are dated today, one per changed event. A paid-off loan stays paid off; any new
 * rest is written off. Does nothing if the stored data is correct.
 */
export async function refoldLoan(work: Work, loanId: string): Promise<RefoldResult> {
  const loan = await openLoan(work, loanId);
  const before = await storedBalances.readStoredBalances(work.tx, loanId);
  await recordEvents(work, await loadAsStored(work, loan), findClosedLoanProblem(work, loan), {
    scheduleChangeReason: 'recalculated',
  });
  await postMissedInterest(work, loanId);
  return { before, after: await storedBalances.readStoredBalances(work.tx, loanId) };
}

/** The loan as stored in tables and the ledger, instead of as folded. */
async function loadAsStored({ tx }: Work, loan: OpenLoan): Promise<OpenLoan> {
  const { id, schedule_version } = loan.row;
  const rows = await storedBalances.storedScheduleRows(tx, id, schedule_version);
  const installments = rows.map(({ is_canceled, ...row }) => ({
    ...row,
    open_amount: '0.00',
    status: is_canceled ? ('canceled' as const) : ('upcoming' as const),
  }));
  const booked = await bookedAmounts(tx, loan);
  return {
    ...loan,
    state: { ...loan.state, installments, allocations: [], coverage: [] },
    booked: {
      of: (eventId) => netPosting(booked.get(eventId) ?? { debit: {}, credit: {} }),
      purpose: `refold ${newId()}`,
    },
  };
}

/** The ledger amounts of each event: its own entry and later corrections that other events caused. */
async function bookedAmounts(
  tx: Work['tx'],
  { row, events }: OpenLoan,
): Promise<Map<string, EventPosting>> {
  const known = new Set(events.map(({ id }) => id));
  const booked = new Map<string, EventPosting>();
  for (const { reference_id, purpose, role, amount } of await storedBalances.postedAmountsByEvent(
    tx,
    row.id,
  )) {
    const eventId = known.has(purpose) ? purpose : (reference_id ?? '');
    const posting = booked.get(eventId) ?? { debit: {}, credit: {} };
    const sum = posting.debit[role as AccountRole] ?? ZERO;
    posting.debit[role as AccountRole] = sum.plus(amount);
    booked.set(eventId, posting);
  }
  return booked;
}

/** The borrower was already notified that nothing is owed. */
function findClosedLoanProblem({ today }: Work, { row, state }: OpenLoan) {
  if (row.status !== 'paid_off' || state.is_paid_off || state.is_charged_off) return [];
  return [newEvent({ kind: 'write_off', effective_date: today })];
}
