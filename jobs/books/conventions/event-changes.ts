import { addDays } from '../../dates.ts';
import { formatCents } from '../../loans/arithmetic/minor-units.ts';
import type { EventOf, LoanEvent } from '../../loans/engine/events.ts';
import { isLateFee, type BookLoan } from './book-loan.ts';
import type { DifferenceKind } from './conventions.ts';

/**
 * A single event that another system has differently: it lacks the event, has one more, gives it another date, or
 * applies a payment to other installments.
 */
export type EventChange = {
  kind: DifferenceKind;
  change: 'missing_there' | 'missing_here' | 'moved' | 'applied_elsewhere';
  event: LoanEvent;
  /** The date there of an event that moved. */
  date_there: string | null;
};

/** The days between the last figures that agree and the first that differ. */
export type Window = { after: string; through: string };

const MOST_DAYS = 10;

/** The changes to try, for events in or near the window. */
export function* eventChanges(
  loan: BookLoan,
  window: Window,
  missingAmounts: readonly MissingAmount[],
): Generator<EventChange> {
  const near = {
    after: addDays(window.after, -MOST_DAYS),
    through: addDays(window.through, MOST_DAYS),
  };
  const events = loan.events.filter(isWithin(near)).slice(0, 60);
  for (const event of events.filter(isWithin(window)))
    yield {
      kind: isLateFee(event) ? 'fee_rule' : 'missing_event',
      change: 'missing_there',
      event,
      date_there: null,
    };
  const payments = events.filter((event) => event.kind === 'payment');
  for (const event of payments.filter(isWithin(window)))
    yield {
      kind: 'payment_applied_elsewhere',
      change: 'applied_elsewhere',
      event,
      date_there: null,
    };
  for (const event of payments)
    for (let days = 1; days <= MOST_DAYS; days += 1)
      for (const shift of [days, -days])
        yield {
          kind: 'effective_date',
          change: 'moved',
          event,
          date_there: addDays(event.effective_date, shift),
        };
  for (const { kind, amount } of missingAmounts)
    for (let day = window.through; day > window.after; day = addDays(day, -1))
      yield {
        kind: 'missing_event',
        change: 'missing_here',
        event: { id: 'missing', kind, effective_date: day, amount: formatCents(amount) },
        date_there: null,
      };
}

/** A payment or fee that only the other system may have. */
export type MissingAmount = { kind: 'payment' | 'fee'; amount: bigint };

const isWithin =
  ({ after, through }: Window) =>
  ({ effective_date }: LoanEvent) =>
    effective_date > after && effective_date <= through;

/** The loan as the other system has it. */
export function applyEventChange(
  loan: BookLoan,
  { change, event, date_there }: EventChange,
): BookLoan {
  if (change === 'missing_here') return { ...loan, events: [...loan.events, event] };
  const others = loan.events.filter((one) => one !== event);
  if (change === 'missing_there') return { ...loan, events: others };
  if (change === 'moved')
    return { ...loan, events: [...others, { ...event, effective_date: date_there ?? '' }] };
  return event.kind === 'payment'
    ? { ...loan, events: [...others, appliedElsewhere(event, loan.terms.extra_payment_to)] }
    : loan;
}

/** An extra payment covers the next installments, or a regular one covers none. */
const appliedElsewhere = (
  event: EventOf<'payment'>,
  usual: BookLoan['terms']['extra_payment_to'],
): LoanEvent =>
  (event.extra_payment_to ?? usual) === 'principal'
    ? { ...event, extra_payment_to: 'next_installment' }
    : { ...event, payment_type: 'extra_principal' };

export function eventChangeText({ change, event, date_there }: EventChange): string {
  const amount = 'amount' in event && event.amount !== undefined ? ` of ${event.amount}` : '';
  const what = `${event.kind.replaceAll('_', ' ')}${amount} on ${event.effective_date}`;
  if (change === 'missing_there') return `Only here: ${what}`;
  if (change === 'missing_here') return `Only there: ${what}, or near that date`;
  if (change === 'moved') return `The ${what} takes effect on ${date_there} there`;
  return `The ${what} counts for other installments there`;
}
