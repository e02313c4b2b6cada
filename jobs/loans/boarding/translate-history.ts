import { addDays, earliest } from '../../dates.ts';
import { newId } from '../../../sql/new-id.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { dueDates, numberOfPayments, onePeriodAfter } from '../arithmetic/due-dates.ts';
import { isBilledByCycle, type Terms } from '../arithmetic/terms.ts';
import type { EventDraft, LoanEvent } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import { minimumPaymentAgreement } from '../engine/interest/cycles.ts';
import type { LoanState } from '../engine/state.ts';
import type { Agreement } from '../schedule/agreement.ts';
import { nextUnpaidNumber, numberAfterLast } from '../schedule/schedule-basis.ts';
import type { EarlierTransaction } from './history-input.ts';
import { amountOf, fits, isNothing, rateOf, Refused, targetOf, words } from './read-transaction.ts';

/** How the previous servicer counted, as far as it changes the events. */
export type HistoryConventions = {
  /** Days after its date from which a payment counted. Default: 0. */
  payment_lag_days?: number;
};

/** The loan on the first day of its history. */
export type HistoryStart = {
  terms: Terms;
  schedule: readonly ScheduleRow[];
  boarding: LoanEvent;
  /** The business date. Nothing can have happened later. */
  today: string;
};

/**
 * An event and the transaction that it comes from. A transaction can have several events; the end of a billing cycle
 * has none.
 */
export type TranslatedEvent = { event: LoanEvent; transaction: EarlierTransaction | null };

/** A transaction that cannot be translated. `index` is its place in the list. */
export type HistoryRefusal = {
  index: number;
  transaction_id: string;
  column: string;
  reason: string;
};

/**
 * Translates the transactions of a previous servicer into events of the loan, in their order. Notes have no event.
 * Refuses transactions that contradict each other, and names each.
 */
export function translateHistory(
  rows: readonly EarlierTransaction[],
  start: HistoryStart,
  conventions: HistoryConventions = {},
): { events: TranslatedEvent[]; refusals: HistoryRefusal[] } {
  const translator = new Translation(start, conventions, rows);
  for (const { row, index } of inOrder(rows)) translator.add(row, index);
  translator.endCycles(start.today);
  return { events: translator.events, refusals: translator.refusals };
}

/** By date, and within a day in the given order. */
const inOrder = (rows: readonly EarlierTransaction[]) =>
  rows
    .map((row, index) => ({ row, index }))
    .toSorted((one, other) =>
      one.row.date === other.row.date
        ? one.index - other.index
        : one.row.date < other.row.date
          ? -1
          : 1,
    );

type Undoable = { row: EarlierTransaction; event: LoanEvent; is_undone: boolean };

class Translation {
  readonly events: TranslatedEvent[] = [];
  readonly refusals: HistoryRefusal[] = [];
  readonly #start: HistoryStart;
  readonly #lag: number;
  readonly #known = new Map<string, Undoable>();
  readonly #seen = new Set<string>();
  readonly #ids: ReadonlySet<string>;
  #isChargedOff = false;

  constructor(
    start: HistoryStart,
    { payment_lag_days = 0 }: HistoryConventions,
    rows: readonly EarlierTransaction[],
  ) {
    this.#start = start;
    this.#lag = payment_lag_days;
    this.#ids = new Set(rows.map(({ transaction_id }) => transaction_id));
  }

  add(row: EarlierTransaction, index: number) {
    try {
      this.#checkDate(row);
      if (this.#seen.has(row.transaction_id))
        throw new Refused(
          'transaction_id',
          'Another transaction of the loan has this number. Give each its own.',
        );
      this.#seen.add(row.transaction_id);
      this.endCycles(row.date);
      const drafts = this.#translate(row);
      for (const draft of drafts) this.#push(row, draft);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      const { column, message: reason } = error;
      this.refusals.push({ index, transaction_id: row.transaction_id, column, reason });
    }
  }

  /** Ends the billing cycles of a line of credit that ended before a day, as the closes of those days do. */
  endCycles(day: string) {
    const { terms } = this.#start;
    if (!isBilledByCycle(terms)) return;
    for (;;) {
      const { cycle } = this.#stateOn(day);
      if (cycle === null || cycle.ends >= day) return;
      this.#push(null, minimumPaymentAgreement(cycle, terms, cycle.ends));
    }
  }

  #push(row: EarlierTransaction | null, draft: EventDraft) {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the draft has the facts of its kind.
    const event = { id: newId(), ...draft, is_replayed: true } as LoanEvent;
    this.events.push({ event, transaction: row });
    if (row !== null && !this.#known.has(row.transaction_id))
      this.#known.set(row.transaction_id, { row, event, is_undone: false });
  }

  #checkDate({ date }: EarlierTransaction) {
    const { boarding, today } = this.#start;
    if (date < boarding.effective_date)
      throw new Refused(
        'date',
        `Must not be before the history begins on ${boarding.effective_date}. Leave it out, or begin the history earlier.`,
      );
    if (date > today) throw new Refused('date', 'Must not be after the business date.');
  }

  #translate(row: EarlierTransaction): EventDraft[] {
    const on = { effective_date: row.date };
    switch (row.type) {
      case 'payment':
      case 'recovery':
        return [this.#payment(row)];
      case 'payment_reversal':
        return [this.#reversal(row)];
      case 'disbursement':
      case 'draw':
        return this.#funding(row);
      case 'fee':
      case 'late_fee':
        return [this.#fee(row)];
      case 'fee_waiver':
        return [this.#waiver(row)];
      case 'rate_change':
        return [{ kind: 'rate_change', ...on, interest_rate: rateOf(row) }];
      case 'deferment':
        return [this.#deferment(row)];
      case 'modification':
        return this.#modification(row);
      case 'service_credit':
        return [{ kind: 'service_credit', ...on, amount: amountOf(row), apply_to: targetOf(row) }];
      case 'settlement':
        return [{ ...ALL_FORGIVEN, ...on }];
      case 'charge_off':
        this.#isChargedOff = true;
        return [
          {
            kind: 'charge_off',
            ...on,
            waive_fees: isNothing(row.fees),
            reverse_accrued_interest: isNothing(row.interest),
          },
        ];
      case 'note':
        return [];
    }
  }

  #payment(row: EarlierTransaction): EventDraft {
    const effective_date = earliest(addDays(row.date, this.#lag), this.#start.today);
    const isRecovery = row.type === 'recovery' || this.#isChargedOff;
    if (row.type === 'recovery' && !this.#isChargedOff)
      throw new Refused(
        'type',
        'A recovery must follow a charge-off. Add the charge-off, or use the type payment.',
      );
    const payment_type = isRecovery ? 'recovery' : 'regular';
    return { kind: 'payment', effective_date, amount: amountOf(row), payment_type };
  }

  /** Money that is lent after the first day is repaid with the rest, by the same due dates. */
  #funding(row: EarlierTransaction): EventDraft[] {
    const { terms, boarding, schedule } = this.#start;
    const effective_date = row.date;
    const isLine = terms.loan_type === 'line_of_credit';
    if ((row.type === 'draw') !== isLine)
      throw new Refused('type', isLine ? 'Use draw for a line of credit.' : 'Use disbursement.');
    const kind = row.type === 'draw' ? 'draw' : 'disbursement';
    const funding: EventDraft = { kind, effective_date, amount: amountOf(row) };
    const isFirst = effective_date === boarding.effective_date && schedule.length > 0;
    if (isBilledByCycle(terms) || isFirst) return [funding];
    const trial = this.#stateOn(effective_date);
    const from = nextUnpaidNumber(trial, effective_date);
    const { payment_frequency: frequency, payment_day, term_months } = terms;
    const first = onePeriodAfter(frequency, effective_date, term_months, payment_day);
    const count = numberOfPayments(frequency, term_months);
    const whole = { dates: { first, count, payment_day }, accrues_from: effective_date };
    const agreement: Agreement = {
      rule: 'spread',
      from: from ?? numberAfterLast(trial),
      ...(from === null && whole),
    };
    return [funding, { kind: 'schedule_agreed', effective_date, agreement }];
  }

  #reversal(row: EarlierTransaction): EventDraft {
    const undone = this.#findUndone(row, ['payment', 'recovery']);
    undone.is_undone = true;
    const effective_date =
      row.date < undone.event.effective_date ? undone.event.effective_date : row.date;
    return { kind: 'reversal', effective_date, reverses: undone.event.id };
  }

  #waiver(row: EarlierTransaction): EventDraft {
    const { event, ...undone } = this.#findUndone(row, ['fee', 'late_fee']);
    const fee = this.#known.get(undone.row.transaction_id);
    const isWhole = isNothing(row.amount) || row.amount === undone.row.amount;
    if (fee && isWhole) fee.is_undone = true;
    const fee_id = event.kind === 'fee' ? (event.fee_id ?? event.id) : event.id;
    const amount = isWhole ? {} : { amount: amountOf(row) };
    return { kind: 'fee_waiver', effective_date: row.date, fee_id, ...amount };
  }

  /** The named transaction, or the only one that the row can undo. */
  #findUndone(row: EarlierTransaction, types: readonly string[]): Undoable {
    const { reverses, amount } = row;
    if (reverses) {
      const named = this.#known.get(reverses);
      if (named === undefined && this.#ids.has(reverses))
        throw new Refused('reverses', 'Must name an earlier transaction.');
      if (named === undefined || !types.includes(named.row.type))
        throw new Refused('reverses', `Must name a ${words(types)} of the loan.`);
      if (named.is_undone)
        throw new Refused(
          'reverses',
          'This transaction was already undone. Remove the line, or name another one.',
        );
      if (row.type === 'payment_reversal' && !isNothing(amount) && !fits(row, amountOf(named.row)))
        throw new Refused('amount', `Must be ${amountOf(named.row)}, as for the payment.`);
      return named;
    }
    const fitting = [...this.#known.values()].filter(
      (one) =>
        types.includes(one.row.type) &&
        !one.is_undone &&
        (isNothing(amount) || fits(row, amountOf(one.row))),
    );
    const [only, ...others] = fitting;
    if (only === undefined)
      throw new Refused(
        'reverses',
        `No ${words(types)} fits. Add it, or name the one that is undone.`,
      );
    if (others.length > 0)
      throw new Refused(
        'reverses',
        `${fitting.length} transactions fit. Name the one that is undone.`,
      );
    return only;
  }

  #fee(row: EarlierTransaction): EventDraft {
    const fee = {
      kind: 'fee',
      effective_date: row.date,
      fee_id: newId(),
      amount: amountOf(row),
    } as const;
    if (row.type === 'fee') return { ...fee, fee_type: 'other' };
    const installment_number = this.#installmentOfLateFee(row.date);
    return {
      ...fee,
      fee_type: 'late',
      ...(installment_number !== null && { installment_number }),
    };
  }

  /** The latest installment due before the fee that has no late fee yet. */
  #installmentOfLateFee(date: string): number | null {
    const charged = new Set(
      this.events.flatMap(({ event }) =>
        event.kind === 'fee' && event.fee_type === 'late' ? [event.installment_number] : [],
      ),
    );
    const hasNewSchedule = this.events.some(({ event }) => event.kind === 'schedule_agreed');
    const rows = hasNewSchedule ? this.#stateOn(date).installments : this.#start.schedule;
    const late = rows.findLast(
      ({ due_date, period_number }) => due_date < date && !charged.has(period_number),
    );
    return late?.period_number ?? null;
  }

  #deferment(row: EarlierTransaction): EventDraft {
    const periods = row.count ?? 1;
    const state = this.#stateOn(row.date);
    const from = nextUnpaidNumber(state, row.date);
    const first = state.installments.find(({ period_number }) => period_number === from);
    if (from === null || first === undefined)
      throw new Refused(
        'date',
        'No installment is unpaid on this day. Correct the date, or leave the deferment out.',
      );
    const { payment_frequency, payment_day } = this.#start.terms;
    const until = dueDates(payment_frequency, first.due_date, periods + 1, payment_day)[periods];
    const agreement: Agreement = { rule: 'moved', from, by: { periods, payment_day } };
    return {
      kind: 'schedule_agreed',
      effective_date: row.date,
      agreement,
      defers: { from_number: from, periods, until: until ?? first.due_date },
    };
  }

  #modification(row: EarlierTransaction): EventDraft[] {
    const { rate, until, count, date: effective_date } = row;
    const amount = isNothing(row.amount) ? null : amountOf(row);
    if (!rate && !until && !count && amount === null)
      throw new Refused(
        'type',
        'A modification needs an amount, a rate, a count or a date (until).',
      );
    const state = this.#stateOn(effective_date);
    const { payment_frequency: frequency, payment_day, term_months } = this.#start.terms;
    const from = nextUnpaidNumber(state, effective_date) ?? numberAfterLast(state);
    const next = state.installments.find(({ period_number }) => period_number === from);
    const first =
      next?.due_date ?? onePeriodAfter(frequency, effective_date, term_months, payment_day);
    const remaining = state.installments.filter(({ period_number }) => period_number >= from);
    const wanted = this.#countUntil(row, first) ?? (amount === null ? remaining.length : ROWS_MAX);
    const dates = { first, count: Math.max(1, wanted), payment_day };
    const agreement: Agreement = {
      rule: 'spread',
      from,
      dates,
      ...(amount !== null && { payment_amount: amount }),
    };
    const drafts: EventDraft[] = [
      ...(rate ? [{ kind: 'rate_change', effective_date, interest_rate: rate } as const] : []),
      { kind: 'schedule_agreed', effective_date, agreement },
    ];
    if (amount !== null && this.#stateOn(effective_date, drafts).installments.length >= ROWS_MAX)
      throw new Refused('amount', 'These payments do not repay the loan. Correct the amount.');
    return drafts;
  }

  #countUntil({ until, count }: EarlierTransaction, first: string): number | null {
    if (count) return count;
    if (!until) return null;
    const { payment_frequency, payment_day } = this.#start.terms;
    const dates = dueDates(payment_frequency, first, ROWS_MAX - 1, payment_day);
    const last = dates.findLastIndex((date) => date <= until);
    if (last < 0) throw new Refused('until', `Must not be before the next due date, ${first}.`);
    return last + 1;
  }

  /** The loan on a day, on trial also with events that are not added yet. */
  #stateOn(as_of: string, more: readonly EventDraft[] = []): LoanState {
    const { terms, schedule, boarding } = this.#start;
    const trial: LoanEvent[] = more.map((draft, at) => ({ ...draft, id: `trial-${at}` }));
    const events = [boarding, ...this.events.map(({ event }) => event), ...trial];
    return fold({ terms, schedule, events, as_of });
  }
}

/** What a fulfilled settlement leaves is forgiven after the payments of its day. */
const ALL_FORGIVEN = {
  kind: 'forgiveness',
  principal: 'all',
  interest: 'all',
  fees: 'all',
  settles: true,
} as const;

/** More installments than any loan has. A payment amount then decides the number. */
const ROWS_MAX = 1_200;
