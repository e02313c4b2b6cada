import { Big } from 'big.js';
import * as accruals from '../../../sql/loans/accruals.ts';
import { ACCRUAL_ROLES, type AccountRole } from '../../ledger/chart.ts';
import { postEntry, postNewEntry } from '../../ledger/post.ts';
import { latest } from '../../dates.ts';
import { money } from '../../money.ts';
import { postLoanEvent } from './post-loan-event.ts';
import type { Work } from '../../work.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { type LoanEvent } from '../engine/events.ts';
import { fold, type FoldInput } from '../engine/fold.ts';
import { referenceType } from '../engine/posting/posting-matrix.ts';
import {
  buildPosting,
  interestBrought,
  isEmptyPosting,
  netPosting,
  postingDifference,
  sumPostings,
  type EventPosting,
} from '../engine/posting/postings.ts';
import type { LoanState } from '../engine/state.ts';
import type { LoanTerms } from '../products/loan-terms.ts';

type Before = {
  row: { id: string; loan_number: string; posted_until: string; terms: Record<string, unknown> };
  schedule: readonly ScheduleRow[];
  events: readonly LoanEvent[];
  state: LoanState;
  booked?: PostedByEvent;
};

/** The ledger amounts of each event, netted by account, and the purpose of correcting entries. */
export type PostedByEvent = { of: (eventId: string) => EventPosting; purpose: string };

/**
 * The loan after the new events. `isChanged`: whether an event has changed amounts. `effectiveBefore` and
 * `effectiveAfter`: the events in force before and after.
 */
type After = {
  state: LoanState;
  newEvents: readonly LoanEvent[];
  isChanged: (id: string) => boolean;
  effectiveBefore: readonly LoanEvent[];
  effectiveAfter: readonly LoanEvent[];
};

/** `accrual_relief`: payments relieve the receivable. */
type Input = FoldInput & { terms: Pick<LoanTerms, 'accrual_relief'> };

/** Posts the difference between the new history and the ledger. */
export async function postChanges(work: Work, loan: Before, input: Input, after: After) {
  await postAccrual(work, loan, input, after);
  await postDifferences(work, loan, input, after);
}

/**
 * Interest is posted for the days before `posted_until`. If the new events change the interest of these
 * days, posts the difference as an adjustment dated today.
 */
async function postAccrual(
  work: Work,
  loan: Before,
  input: Input,
  { state: after, newEvents }: After,
) {
  const as_of = loan.row.posted_until;
  const isSameDay = as_of === input.as_of;
  const { schedule, events } = loan;
  const stateBefore = isSameDay ? loan.state : fold({ ...input, schedule, events, as_of });
  const stateAfter = isSameDay ? after : fold({ ...input, as_of });
  const amount = earnedInterest(stateAfter, input.events).minus(
    earnedInterest(stateBefore, loan.events),
  );
  await adjustInterest(work, loan.row, amount, newEvents.at(-1)?.id ?? null);
}

/** Posts one accrual adjustment. Does nothing if the amount is zero. */
export async function adjustInterest(
  work: Work,
  row: Before['row'],
  amount: Big,
  reference_id: string | null,
) {
  if (amount.eq(0)) return;
  const isRise = amount.gt(0);
  // `reference_id` is a new event or null, so this entry cannot exist yet.
  const entry_id = await postNewEntry(work, {
    entry_date: work.today,
    reference_type: 'interest_accrual',
    reference_id,
    purpose: 'adjustment',
    loan_id: row.id,
    description: `Interest adjustment ${row.loan_number}`,
    debit: { [isRise ? ACCRUAL_ROLES.debit : ACCRUAL_ROLES.credit]: money(amount.abs()) },
    credit: { [isRise ? ACCRUAL_ROLES.credit : ACCRUAL_ROLES.debit]: money(amount.abs()) },
  });
  if (entry_id !== null)
    await accruals.addAdjustment(work.tx, row.id, work.today, money(amount), entry_id);
}

/** Interest earned here. Interest accrued by a previous servicer was posted at boarding. */
export function earnedInterest(state: LoanState, events: readonly LoanEvent[]): Big {
  const boarding = events.find((event) => event.kind === 'boarding');
  return new Big(state.interest_earned).minus(boarding ? interestBrought(boarding) : 0);
}

async function postDifferences(
  work: Work,
  loan: Before,
  { terms, events }: Input,
  { state: after, newEvents, isChanged, effectiveBefore, effectiveAfter }: After,
) {
  const newIds = new Set(newEvents.map(({ id }) => id));
  const reversed = new Map(
    newEvents.filter((event) => event.kind === 'reversal').map((event) => [event.reverses, event]),
  );
  const { booked } = loan;
  // If a history is only continued, nearly all its events were effective before; skip them.
  const firstDifference = effectiveAfter.findIndex(
    (event, index) => event !== effectiveBefore[index],
  );
  const from = firstDifference < 0 ? effectiveAfter.length : firstDifference;
  const [idsBefore, idsAfter] = [
    idsOf(effectiveBefore.slice(from)),
    idsOf(effectiveAfter.slice(from)),
  ];
  const all = events.filter(
    ({ id }) => booked || idsBefore.has(id) !== idsAfter.has(id) || isChanged(id),
  );
  const boarding = events.find(({ kind }) => kind === 'boarding');
  const isBoardedNow = boarding !== undefined && newIds.has(boarding.id);
  // The entry of the boarding books the net balances of the history that the loan brought.
  const brought =
    booked || isBoardedNow ? all.filter((event) => event.is_replayed && event !== boarding) : [];
  const changed = brought.length === 0 ? all : all.filter((event) => !brought.includes(event));
  const postedBefore = postingsOf(
    all,
    { ...loan, counting: effectiveBefore },
    terms.accrual_relief,
  );
  const postedAfter = postingsOf(
    all,
    { state: after, counting: effectiveAfter },
    terms.accrual_relief,
  );
  const withBrought = (posted: { of: (id: string) => EventPosting }, id: string) =>
    brought.length > 0 && id === boarding?.id
      ? sumPostings([posted.of(id), ...brought.map((event) => posted.of(event.id))])
      : posted.of(id);
  const takenOver = boarding ? bookingDateOf(boarding) : '';
  // Corrections of what happened at the previous servicer are dated today. No entry is older than the takeover.
  const entryDateOf = (event: LoanEvent, reversal: LoanEvent | undefined) => {
    const date = newIds.has(event.id) ? bookingDateOf(event) : reversal?.effective_date;
    return event.is_replayed || date === undefined ? undefined : latest(date, takenOver);
  };
  for (const event of changed) {
    const { id } = event;
    const change = booked
      ? postingDifference(withBrought(booked, id), netPosting(withBrought(postedAfter, id)))
      : postingDifference(postedBefore.of(id), withBrought(postedAfter, id));
    if (isEmptyPosting(change)) continue;
    const reversal = reversed.get(event.id);
    const cause = newEvents.at(-1) ?? event;
    const isNew = !booked && newEvents.length > 0;
    const posting = {
      entry_date: entryDateOf(event, reversal) ?? work.today,
      effective_date: bookingDateOf(event),
      reference_type: reversal ? `${event.kind}_reversal` : referenceType(event.kind),
      reference_id: newIds.has(event.id) || booked ? event.id : cause.id,
      purpose: newIds.has(event.id) ? '' : (booked?.purpose ?? event.id),
      loan_id: loan.row.id,
      description: descriptionOf(
        event,
        loan.row.loan_number,
        newIds.has(event.id),
        reversal !== undefined,
      ),
      debit: amounts(change.debit),
      credit: amounts(change.credit),
    };
    const write = isNew ? postNewEntry : postEntry;
    const booking = { write, borne: borneByServicer(event), event_id: id };
    await postLoanEvent(work, loan.row, posting, booking);
  }
}

/** A boarding is booked on the day of the takeover, however early its history begins. */
const bookingDateOf = (event: LoanEvent): string =>
  (event.kind === 'boarding' && event.takeover?.on) || event.effective_date;

/** The tenant bears a credit that the tenant or a merchant sponsors, even on an investor's loan. */
const borneByServicer = (event: LoanEvent): readonly AccountRole[] =>
  event.kind === 'service_credit' && ['servicer', 'merchant'].includes(event.sponsor ?? 'lender')
    ? ['service_credit_expense']
    : [];

const idsOf = (events: readonly LoanEvent[]) => new Set(events.map(({ id }) => id));

const NOTHING: EventPosting = { debit: {}, credit: {} };

/** The postings of some events. An event that is not effective posts nothing. */
function postingsOf(
  events: readonly LoanEvent[],
  { state, counting: all }: { state: LoanState; counting: readonly LoanEvent[] },
  isRelieved: boolean | undefined,
) {
  const ids = idsOf(events);
  const lines = Map.groupBy(
    state.allocations.filter(({ event_id }) => ids.has(event_id)),
    ({ event_id }) => event_id,
  );
  const counting = new Map(all.filter(({ id }) => ids.has(id)).map((event) => [event.id, event]));
  return {
    of: (id: string): EventPosting => {
      const event = counting.get(id);
      return event === undefined ? NOTHING : buildPosting(event, lines.get(id) ?? [], isRelieved);
    },
  };
}

function descriptionOf(
  { kind }: LoanEvent,
  loanNumber: string,
  isNew: boolean,
  isReversal: boolean,
): string {
  const name = referenceType(kind).replaceAll('_', ' ');
  const sentence = isReversal ? `Reversal of ${name}` : isNew ? name : `Change of ${name}`;
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)} ${loanNumber}`;
}

const amounts = (side: EventPosting['debit']) =>
  Object.fromEntries(Object.entries(side).map(([role, amount]) => [role, money(amount)]));
