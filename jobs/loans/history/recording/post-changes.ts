import type { AccountRole } from '../../../ledger/chart.ts';
import { postEntry, postNewEntry, type Posting } from '../../../ledger/post.ts';
import { latest } from '../../../dates.ts';
import { money } from '../../../money.ts';
import type { Work } from '../../../work.ts';
import type { LoanEvent } from '../../engine/events.ts';
import { fold } from '../../engine/fold.ts';
import { referenceType } from '../../engine/posting/posting-matrix.ts';
import {
  buildPosting,
  isEmptyPosting,
  netPosting,
  postingDifference,
  sumPostings,
  type EventPosting,
} from '../../engine/posting/postings.ts';
import type { OpenLoan, AmountsByEvent } from '../open-loan.ts';
import { postLoanEvent } from '../post-loan-event.ts';
import { adjustInterest, earnedInterest } from './adjust-interest.ts';
import type { FoldedEvents, LoanChange } from './fold-change.ts';

/** Posts the difference between the new history and the ledger. */
export async function postChanges(work: Work, loan: OpenLoan, change: LoanChange) {
  await postAccrualChange(work, loan, change);
  await postEventChanges(work, loan, change);
}

/**
 * Interest is posted for the days before `posted_until`. If the new events change the interest of these
 * days, posts the difference as an adjustment dated today.
 */
async function postAccrualChange(
  work: Work,
  { row, schedule, events, state }: OpenLoan,
  { input, after, newEvents }: LoanChange,
) {
  const as_of = row.posted_until;
  const isSameDay = as_of === input.as_of;
  const stateBefore = isSameDay ? state : fold({ ...input, schedule, events, as_of });
  const stateAfter = isSameDay ? after.state : fold({ ...input, as_of });
  const interestBefore = earnedInterest(stateBefore, events);
  const amount = earnedInterest(stateAfter, input.events).minus(interestBefore);
  await adjustInterest(work, row, amount, newEvents.at(-1)?.id ?? null);
}

/** Posts for each event the difference between its ledger amounts before and after the new events. */
async function postEventChanges(work: Work, loan: OpenLoan, change: LoanChange) {
  const { booked } = loan;
  const { events, terms } = change.input;
  const compared = booked ? events : eventsThatMayDiffer(change);
  const boarding = events.find(isBoardingEvent);
  // The entry of the boarding books the net amounts of the history that the loan brought.
  const brought =
    booked || change.isBoarding
      ? compared.filter((event) => event.is_replayed && event !== boarding)
      : [];
  const withoutEntry = new Set(brought);
  const amountsOf = (event: LoanEvent, posted: AmountsByEvent) =>
    event === boarding && brought.length > 0
      ? sumPostings([event, ...brought].map(({ id }) => posted.of(id)))
      : posted.of(event.id);
  const before = booked ?? amountsByEvent(compared, change.before, terms.accrual_relief);
  const after = amountsByEvent(compared, change.after, terms.accrual_relief);
  for (const event of compared) {
    if (withoutEntry.has(event)) continue;
    const amounts = amountsOf(event, after);
    const difference = postingDifference(
      amountsOf(event, before),
      booked ? netPosting(amounts) : amounts,
    );
    if (!isEmptyPosting(difference)) await postDifference(work, loan, change, event, difference);
  }
}

/** If a history is only continued, nearly all its events were in force before; this skips them. */
function eventsThatMayDiffer({ input, before, after, isChanged }: LoanChange) {
  const firstDifference = after.events.findIndex((event, at) => event !== before.events[at]);
  const from = firstDifference < 0 ? after.events.length : firstDifference;
  const idsBefore = idsOf(before.events.slice(from));
  const idsAfter = idsOf(after.events.slice(from));
  return input.events.filter(({ id }) => idsBefore.has(id) !== idsAfter.has(id) || isChanged(id));
}

/** Posts one entry. It belongs to the event if the event is new, otherwise to the new event that caused it. */
async function postDifference(
  work: Work,
  { row, booked }: OpenLoan,
  { newEvents, input }: LoanChange,
  event: LoanEvent,
  difference: EventPosting,
) {
  const isNew = newEvents.includes(event);
  const reversal = newEvents.findLast(
    (one) => one.kind === 'reversal' && one.reverses === event.id,
  );
  const eventDate = isNew ? bookingDateOf(event) : reversal?.effective_date;
  const cause = newEvents.at(-1) ?? event;
  const posting: Posting = {
    entry_date: entryDateOf(event, eventDate, input.events) ?? work.today,
    effective_date: bookingDateOf(event),
    reference_type: reversal ? `${event.kind}_reversal` : referenceType(event.kind),
    reference_id: isNew || booked ? event.id : cause.id,
    purpose: isNew ? '' : (booked?.purpose ?? event.id),
    loan_id: row.id,
    description: descriptionOf(event, row.loan_number, isNew, reversal !== undefined),
    debit: toAmounts(difference.debit),
    credit: toAmounts(difference.credit),
  };
  const write = !booked && newEvents.length > 0 ? postNewEntry : postEntry;
  await postLoanEvent(work, row, posting, {
    write,
    borne: borneByServicer(event),
    event_id: event.id,
  });
}

/**
 * Corrections of what happened at the previous servicer are dated today (undefined). No entry is older than the
 * takeover.
 */
function entryDateOf(event: LoanEvent, date: string | undefined, events: readonly LoanEvent[]) {
  if (event.is_replayed || date === undefined) return undefined;
  const boarding = events.find(isBoardingEvent);
  return boarding ? latest(date, bookingDateOf(boarding)) : date;
}

const isBoardingEvent = ({ kind }: LoanEvent) => kind === 'boarding';

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

/** The ledger amounts of some events. An event that is not in force posts nothing. */
function amountsByEvent(
  events: readonly LoanEvent[],
  { events: inForce, state }: FoldedEvents,
  isRelieved: boolean | undefined,
): AmountsByEvent {
  const ids = idsOf(events);
  const lines = Map.groupBy(
    state.allocations.filter(({ event_id }) => ids.has(event_id)),
    ({ event_id }) => event_id,
  );
  const posting = new Map(
    inForce.filter(({ id }) => ids.has(id)).map((event) => [event.id, event]),
  );
  return {
    of: (id: string): EventPosting => {
      const event = posting.get(id);
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

const toAmounts = (side: EventPosting['debit']) =>
  Object.fromEntries(Object.entries(side).map(([role, amount]) => [role, money(amount)]));
