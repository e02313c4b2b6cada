import { insertReplayedRecords } from '../../../sql/loans/replayed-records.ts';
import type { Work } from '../../work.ts';
import type { EventOf, LoanEvent } from '../engine/events.ts';
import { findReversals } from '../engine/reversals.ts';
import { fold } from '../engine/fold.ts';
import type { LoanState } from '../engine/state.ts';
import { explainSplit } from '../history/differences.ts';
import type { ReplayedLoan } from './replay-history.ts';
import type { TranslatedEvent } from './translate-history.ts';

type Owner = { id: string; borrower_id: string };

/**
 * Writes the records of replayed events, such as payments and fees, so that they can be reversed or waived like those
 * received here. Subscribers are not notified, because nothing happened here.
 */
export async function addReplayedRecords(
  work: Work,
  loan: Owner,
  { events, ...replayed }: ReplayedLoan,
  translated: readonly TranslatedEvent[],
) {
  const { state } = replayed;
  const reversals = findReversals(events);
  const byId = new Map(events.map((event) => [event.id, event]));
  const reversalOf = (id: string) => byId.get(reversals.get(id) ?? '') ?? null;
  const notes = new Map(translated.map(({ event, transaction }) => [event.id, transaction]));
  const brought = events.filter((event) => event.is_replayed);
  await insertReplayedRecords(work.tx, {
    payments: brought
      .filter((event) => event.kind === 'payment')
      .map((event) => ({
        ...paymentRow(loan, event, { ...replayed, events }, reversalOf(event.id)),
        notes: notes.get(event.id)?.description ?? null,
      })),
    fees: brought
      .filter((event) => event.kind === 'fee')
      .map((event) => ({
        ...feeRow(loan, event, state, reversalOf(event.id)),
        description: notes.get(event.id)?.description ?? null,
      })),
  });
}

function paymentRow(
  { id: loan_id, borrower_id }: Owner,
  { id, amount, effective_date, payment_type = 'regular' }: EventOf<'payment'>,
  replayed: ReplayedLoan,
  reversal: LoanEvent | null,
) {
  const { id: _, ...split } = explainSplit(stateWithPayment(replayed, reversal), id);
  return {
    id,
    loan_id,
    borrower_id,
    receipt_number: `R-${id.replaceAll('-', '').slice(-12).toUpperCase()}`,
    amount,
    payment_date: effective_date,
    effective_date,
    payment_method: 'external',
    payment_type,
    source: 'import',
    ...split,
    remaining_balance: replayed.balances_after.get(id) ?? '0.00',
    status: reversal === null ? 'completed' : 'reversed',
    reversal_reason: reversal === null ? null : 'other',
    reversal_effective_date: reversal?.effective_date ?? null,
  };
}

/** A reversed payment keeps the split that it had before. */
const stateWithPayment = (
  { terms, schedule, events, state }: ReplayedLoan,
  reversal: LoanEvent | null,
): LoanState =>
  reversal === null
    ? state
    : fold({
        terms,
        schedule,
        events: events.filter((event) => event !== reversal),
        as_of: reversal.effective_date,
      });

function feeRow(
  { id: loan_id }: Owner,
  event: EventOf<'fee'>,
  state: LoanState,
  reversal: LoanEvent | null,
) {
  const { id: event_id, amount, effective_date, fee_type = 'other', installment_number } = event;
  const id = event.fee_id ?? event_id;
  const fee = state.fees.find(({ fee_id }) => fee_id === id);
  const { amount_paid = '0.00', amount_waived = '0.00', outstanding_amount = '0.00' } = fee ?? {};
  return {
    id,
    loan_id,
    fee_type,
    amount,
    amount_paid,
    amount_waived,
    outstanding_amount,
    assessed_date: effective_date,
    effective_date,
    installment_number: installment_number ?? null,
    is_reversed: reversal !== null,
  };
}
