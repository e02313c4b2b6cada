import { addDays } from '../../dates.ts';
import { Invalid } from '../../errors.ts';
import { isZero, money, parseMoney, sum } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Terms } from '../arithmetic/terms.ts';
import type { FactsOf, LoanEvent } from '../engine/events.ts';
import { replay, type Replay } from '../engine/fold.ts';
import { totalOwed } from '../engine/position.ts';
import { firstDelinquencyDate } from '../engine/bills.ts';
import { positionOn, type ReplayRun } from '../engine/run.ts';
import { toLoanState, type LoanState } from '../engine/state.ts';
import { createDelinquencyCounter, type TimesDelinquent } from '../engine/times-delinquent.ts';
import { newEvent } from '../history/new-event.ts';
import { boardedSchedule, originalSchedule } from '../schedule/boarded-schedule.ts';
import type { Boarding } from './boarding-input.ts';
import { createProfileWriter } from './replayed-profile.ts';
import {
  translateHistory,
  type HistoryConventions,
  type TranslatedEvent,
} from './translate-history.ts';

/** The history that a loan brings, ready for the fold. */
export type BroughtHistory = {
  /** The day on which the fold starts. */
  from: string;
  /** What the loan owed on that day. */
  opening: FactsOf<'boarding'>;
  /** The id of the boarding event, if other events refer to it. Default: a new id. */
  boarding_id?: string;
  /** The schedule of that day. */
  schedule: readonly ScheduleRow[];
  /** The schedule at origination, if it was built. */
  original?: readonly ScheduleRow[];
  /** Marked as replayed, in the order of their ids. */
  events: readonly LoanEvent[];
  /** Exported by this platform, which had closed all days before the business date. */
  isExported?: true;
  /** The transactions that the events come from, if the history had transactions. */
  translated: readonly TranslatedEvent[];
};

/** The loan at the end of the day before the takeover, computed from its history. */
export type ReplayedLoan = {
  terms: Terms;
  events: readonly LoanEvent[];
  schedule: readonly ScheduleRow[];
  run: Replay;
  state: LoanState;
  times_delinquent: TimesDelinquent;
  /** The marks of the payment history, as `createProfileWriter` returns them. */
  profile_marks: readonly (string | null)[];
  opening: FactsOf<'boarding'>;
  /** The start of the delinquency on the business date, or of the one that ended with the charge-off. */
  first_delinquencies: {
    first_delinquency_date: string | null;
    first_delinquency_30_date: string | null;
  };
  /** What the loan owed after each payment. */
  balances_after: ReadonlyMap<string, string>;
};

/**
 * Reads the history of a request. Throws `Invalid` with the place of each transaction that cannot be translated.
 */
export function readHistory(
  terms: Terms,
  input: Boarding,
  today: string,
  conventions: HistoryConventions = {},
): BroughtHistory {
  const history = input.history;
  if (!history) throw new Error('The request has no history.');
  const { transactions } = history;
  const start = startOfHistory(terms, input);
  const boarding = newEvent({ kind: 'boarding', effective_date: start.from, ...start.opening });
  const { events, refusals } = translateHistory(
    transactions,
    { terms, schedule: start.schedule, boarding, today },
    conventions,
  );
  if (refusals.length > 0)
    throw new Invalid(
      Object.fromEntries(
        refusals.map(({ index, column, reason }) => [
          `history.transactions[${index}].${column}`,
          reason,
        ]),
      ),
    );
  return { ...start, events: events.map(({ event }) => event), translated: events };
}

/** The balances and the schedule with which the fold starts. */
function startOfHistory(
  terms: Terms,
  input: Boarding,
): Pick<BroughtHistory, 'from' | 'opening' | 'schedule' | 'original'> {
  const { origination_date, history } = input;
  const from = history?.from ?? origination_date;
  const isLine = terms.loan_type === 'line_of_credit';
  // The draws of a line bring its schedule, or its billing cycles do.
  const original = isLine ? [] : originalSchedule(terms, input);
  const opening = history?.opening;
  if (!opening && from > origination_date)
    throw new Invalid({
      'history.opening': `Is required, because the history begins on ${from} and not at the origination.`,
    });
  if (!opening) {
    const principal_balance = isLine || isLentLater(input) ? '0.00' : input.principal_amount;
    // An installment that is due at the origination is not paid yet.
    const paid_through_date = addDays(from, -1);
    const owed = { principal_balance, paid_through_date };
    return { from, opening: owed, schedule: original, ...(!isLine && { original }) };
  }
  const { principal_balance, accrued_interest, outstanding_fees } = opening;
  const paid_through_date = opening.paid_through_date ?? from;
  const schedule = isLine
    ? []
    : boardedSchedule(terms, { ...input, paid_through_date }, original, {
        balance: principal_balance,
        today: from,
        ...(accrued_interest ? { accrued_interest } : {}),
      });
  return {
    from,
    schedule,
    opening: {
      principal_balance,
      accrued_interest: accrued_interest ?? '0.00',
      outstanding_fees: outstanding_fees ?? '0.00',
      paid_through_date,
    },
  };
}

/** Whether the history itself has the money that was lent. */
const isLentLater = ({ history }: Boarding): boolean =>
  history?.transactions.some(({ type }) => type === 'disbursement') ?? false;

/**
 * Folds a loan with its history up to the business date. The boarding event gets the interest that accrued before the
 * takeover, which the ledger books once.
 */
export function replayHistory(
  terms: Terms,
  { from, opening, schedule, events, boarding_id, isExported }: BroughtHistory,
  today: string,
): ReplayedLoan {
  const counter = createDelinquencyCounter();
  const profile = createProfileWriter(today);
  const noteBalance = ({ position }: ReplayRun) => {
    if (last?.kind === 'payment')
      balances_after.set(last.id, money(totalOwed(position, last.effective_date)));
  };
  const takeover = { on: today, ...(isExported && { closed_through: addDays(today, -1) }) };
  const boarding = newEvent({
    ...(boarding_id !== undefined && { id: boarding_id }),
    kind: 'boarding',
    effective_date: from,
    ...opening,
    takeover: { ...takeover, ...NO_TOTALS },
  });
  const all: LoanEvent[] = [boarding, ...events];
  const balances_after = new Map<string, string>();
  let last: LoanEvent | null = null;
  let first_delinquencies: ReplayedLoan['first_delinquencies'] | null = null;
  const run = replay({ terms, schedule, events: all, as_of: today }, (before, next) => {
    counter.before(before, next);
    profile.before(before, next);
    noteBalance(before);
    if (next.kind === 'charge_off' && before.position.charged_off_on === null)
      first_delinquencies = firstDelinquencies(before, next.effective_date);
    last = next;
  });
  noteBalance(run);
  const times_delinquent = counter.end(run, today);
  const profile_marks = profile.end(run);
  const state = toLoanState(run.position, today);
  // The fold does not read the totals.
  const booked = { ...boarding, takeover: { ...takeover, ...totalsOf(run.events, state) } };
  return {
    terms,
    events: [booked, ...events],
    schedule,
    run: { ...run, events: run.events.map((event) => (event === boarding ? booked : event)) },
    state,
    times_delinquent,
    profile_marks,
    balances_after,
    opening,
    first_delinquencies:
      run.position.charged_off_on === null
        ? firstDelinquencies(run, today)
        : (first_delinquencies ?? NOT_LATE),
  };
}

const NOT_LATE = { first_delinquency_date: null, first_delinquency_30_date: null };

const firstDelinquencies = (run: ReplayRun, day: string) => {
  const position = positionOn(run, day);
  return {
    first_delinquency_date: firstDelinquencyDate(position, day, 1),
    first_delinquency_30_date: firstDelinquencyDate(position, day, 30),
  };
};

const NO_TOTALS = {
  interest_accrued: '0.00',
  fees_assessed: '0.00',
  amount_lent: '0.00',
  amount_paid: '0.00',
  balance: '0.00',
};

/** What a history adds up to. The first statement here continues from these totals. */
function totalsOf(events: readonly LoanEvent[], state: LoanState) {
  const lent = events.filter((event) => event.kind === 'disbursement' || event.kind === 'draw');
  const fees = events.flatMap((event) => {
    if (event.kind === 'fee') return [event.amount];
    return event.kind === 'disbursement' ? (event.fees ?? []).map(({ amount }) => amount) : [];
  });
  const { total_paid_principal, total_paid_interest, total_paid_fees, total_recovered } = state;
  const paid = [total_paid_principal, total_paid_interest, total_paid_fees, total_recovered];
  return {
    interest_accrued: state.interest_earned,
    fees_assessed: sumOf(fees),
    amount_lent: sumOf(lent.map(({ amount }) => amount)),
    amount_paid: sumOf(paid),
    balance: sumOf([state.total_balance, state.charge_off_balance]),
  };
}

const sumOf = (amounts: readonly string[]) =>
  money(sum(amounts.map((amount) => parseMoney(amount))));

/** The balances that the previous servicer stated on the day of the takeover, and ours. */
const STATED = [
  ['current_principal_balance', 'principal_balance'],
  ['accrued_interest', 'accrued_interest'],
  ['outstanding_fees', 'outstanding_fees'],
  ['suspense_balance', 'suspense_balance'],
  ['charge_off_amount', 'charge_off_balance'],
] as const;

export type BalanceDifference = {
  /** The field of the request, and the balance of the loan. */
  field: (typeof STATED)[number][0];
  balance: (typeof STATED)[number][1];
  stated: string;
  computed: string;
};

/** Compares the balances that the request states with those that follow from the history. */
export const differencesFrom = (input: Boarding, state: LoanState): BalanceDifference[] =>
  STATED.flatMap(([field, balance]) => {
    const stated = input[field];
    const computed = state[balance];
    return stated === null || stated === undefined || isZero(parseMoney(stated).minus(computed))
      ? []
      : [{ field, balance, stated: money(parseMoney(stated)), computed }];
  });
