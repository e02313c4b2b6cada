import {
  addReplayedCredit,
  addReplayedDraw,
  addReplayedSuspense,
  insertReplayedRecords,
} from '../../../sql/loans/boarding/replayed-records.ts';
import { atLeastZero, money, parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { EventOf, FinancedFee, LoanEvent } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import { findReversals } from '../engine/reversals.ts';
import type { LoanState } from '../engine/state.ts';
import { explainSplit } from '../history/differences.ts';
import type { ReplayedLoan } from './replay-history.ts';
import type { TranslatedEvent } from './translate-history.ts';

type Owner = { id: string; borrower_id: string; principal_amount: string };

/**
 * Writes the records of replayed events, such as payments and fees, so that they can be reversed or waived like those
 * received here. Subscribers are not notified, because nothing happened here.
 */
export async function addReplayedRecords(
  work: Work,
  loan: Owner,
  replayed: ReplayedLoan,
  translated: readonly TranslatedEvent[],
) {
  const { events } = replayed;
  const reversals = findReversals(events);
  const byId = new Map(events.map((event) => [event.id, event]));
  const record = new ReplayedRecord(
    loan,
    replayed,
    (id) => byId.get(reversals.get(id) ?? '') ?? null,
    new Map(
      translated.map(({ event, transaction }) => [event.id, transaction?.description ?? null]),
    ),
  );
  const brought = events.filter((event) => event.is_replayed);
  await insertReplayedRecords(work.tx, {
    payments: brought.flatMap((event) =>
      event.kind === 'payment' || event.kind === 'reimbursement' ? [record.payment(event)] : [],
    ),
    fees: brought.flatMap((event) => record.fees(event)),
  });
  const draws = brought.filter((event) => event.kind === 'draw');
  for (const [index, event] of draws.entries())
    await addReplayedDraw(work.tx, record.draw(event, index + 1));
  for (const event of brought) {
    if (event.kind === 'service_credit') await addReplayedCredit(work.tx, record.credit(event));
    if (event.kind === 'suspense_application')
      await addReplayedSuspense(work.tx, record.suspense(event));
  }
}

class ReplayedRecord {
  readonly #loan: Owner;
  readonly #replayed: ReplayedLoan;
  readonly #reversalOf: (id: string) => LoanEvent | null;
  readonly #notes: ReadonlyMap<string, string | null>;

  constructor(
    loan: Owner,
    replayed: ReplayedLoan,
    reversalOf: (id: string) => LoanEvent | null,
    notes: ReadonlyMap<string, string | null>,
  ) {
    this.#loan = loan;
    this.#replayed = replayed;
    this.#reversalOf = reversalOf;
    this.#notes = notes;
  }

  payment(event: EventOf<'payment'> | EventOf<'reimbursement'>) {
    const { id, kind, amount, effective_date } = event;
    const reversal = this.#reversalOf(id);
    const { id: _, ...split } = explainSplit(this.#stateWith(event), id);
    return {
      id,
      loan_id: this.#loan.id,
      borrower_id: this.#loan.borrower_id,
      receipt_number: `R-${id.replaceAll('-', '').slice(-12).toUpperCase()}`,
      amount,
      payment_date: effective_date,
      effective_date,
      payment_method: 'external',
      payment_type: kind === 'payment' ? (event.payment_type ?? 'regular') : 'reimbursement',
      ...split,
      remaining_balance: this.#replayed.balances_after.get(id) ?? '0.00',
      status: reversal === null ? 'completed' : 'reversed',
      reversal_reason: reversal === null ? null : 'other',
      reversal_effective_date: reversal?.effective_date ?? null,
      notes: this.#notes.get(id) ?? null,
    };
  }

  /** The fee of the event, or those that a disbursement deducted or capitalized. */
  fees(event: LoanEvent) {
    if (event.kind === 'fee') return [this.#fee(event.fee_id ?? event.id, event)];
    if (event.kind !== 'disbursement') return [];
    const { id, effective_date } = event;
    return (event.fees ?? []).map((fee) => this.#fee(fee.fee_id, { ...fee, id, effective_date }));
  }

  #fee(
    id: string,
    fee: Pick<
      EventOf<'fee'>,
      'id' | 'amount' | 'effective_date' | 'fee_type' | 'installment_number'
    > &
      Partial<Pick<FinancedFee, 'treatment'>> & { is_spread?: boolean },
  ) {
    const counted = this.#replayed.state.fees.find(({ fee_id }) => fee_id === id);
    const {
      amount_paid = '0.00',
      amount_waived = '0.00',
      outstanding_amount = '0.00',
    } = counted ?? {};
    return {
      id,
      loan_id: this.#loan.id,
      fee_type: fee.fee_type ?? 'other',
      description: this.#notes.get(fee.id) ?? null,
      amount: fee.amount,
      amount_paid,
      amount_waived,
      outstanding_amount,
      assessed_date: fee.effective_date,
      effective_date: fee.effective_date,
      installment_number: fee.installment_number ?? null,
      treatment: fee.treatment ?? (fee.is_spread ? 'amortized' : 'upfront'),
      is_reversed: counted === undefined,
    };
  }

  draw(event: EventOf<'draw'>, draw_number: number) {
    const { id, amount, effective_date: draw_date } = event;
    const { terms, schedule, events } = this.#replayed;
    const state = fold({ terms, schedule, events, as_of: draw_date });
    const limit = parseMoney(this.#loan.principal_amount);
    return {
      id,
      loan_id: this.#loan.id,
      draw_number,
      amount,
      draw_date,
      purpose: this.#notes.get(id) ?? null,
      status: this.#reversalOf(id) === null ? 'completed' : 'reversed',
      outstanding_principal: state.principal_balance,
      interest_rate: state.current_rate,
      available_credit_after: money(atLeastZero(limit.minus(state.principal_balance))),
    };
  }

  credit(event: EventOf<'service_credit'>) {
    const { id, effective_date, amount, apply_to = 'waterfall' } = event;
    const { credit_type = 'goodwill', sponsor = 'lender' } = event;
    return {
      ...this.#applied(event),
      id,
      loan_id: this.#loan.id,
      amount,
      apply_to,
      credit_type,
      sponsor,
      effective_date,
      reason: this.#notes.get(id) ?? 'By the previous servicer',
    };
  }

  suspense(event: EventOf<'suspense_application'>) {
    const { id, effective_date, payment_type = 'regular' } = event;
    const applied = this.#applied(event);
    const { principal_applied, interest_applied, fees_applied } = applied;
    const amount = parseMoney(principal_applied).plus(interest_applied).plus(fees_applied);
    return {
      ...applied,
      id,
      loan_id: this.#loan.id,
      amount: event.amount === 'all' ? money(amount) : event.amount,
      payment_type,
      source: 'staff',
      effective_date,
    };
  }

  #applied(event: LoanEvent) {
    const { principal_applied, interest_applied, fees_applied } = explainSplit(
      this.#stateWith(event),
      event.id,
    );
    const status = this.#reversalOf(event.id) === null ? 'applied' : 'reversed';
    return { principal_applied, interest_applied, fees_applied, status };
  }

  /** A reversed record keeps the split that it had before. */
  #stateWith(event: LoanEvent): LoanState {
    const reversal = this.#reversalOf(event.id);
    const { terms, schedule, events, state } = this.#replayed;
    if (reversal === null) return state;
    const before = events.filter((one) => one !== reversal);
    return fold({ terms, schedule, events: before, as_of: reversal.effective_date });
  }
}
