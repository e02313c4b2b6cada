import { dictionary } from '../../../sql/dictionary.ts';
import { explanationText } from '../../../templates/explanations.ts';
import { money } from '../../money.ts';
import type { LoanEvent } from '../../loans/engine/events.ts';
import { eventsInForce } from '../../loans/engine/event-order.ts';
import { applyNextEvent } from '../../loans/engine/fold.ts';
import { feesOwed, interestOwed, newPosition } from '../../loans/engine/position.ts';
import { advanceTo, type ReplayRun } from '../../loans/engine/run.ts';
import { toLoanState, type LoanState } from '../../loans/engine/state.ts';
import { explainInterestOf } from '../../loans/explanations/interest-steps.ts';
import type { PreparedLoan } from './book-loan.ts';

/** A step of a computation, as a sentence with its amount. */
export type ComputedStep = { text: string; amount: string };

/** How a system comes to its balances of a day: the interest owed before the day's events, and the events. */
export type Computation = {
  principal: string;
  interest: string;
  fees: string;
  events: { kind: string; date: string; amount: string | null }[];
  steps: ComputedStep[];
};

/** The first day on which two computations of a loan differ, and both. */
export type Parting = { date: string; ours: Computation; theirs: Computation };

export const READER = { language: 'en', locale: 'en-US', currency: 'USD' };

/** Follows both computations event by event. Falls back to `last`, where the figures differ. */
export function findParting(
  ours: PreparedLoan,
  theirs: PreparedLoan,
  last: string,
  reader = READER,
): Parting {
  const [here, there] = [follow(ours, last), follow(theirs, last)];
  const days = new Set([...here.days, ...there.days].filter((day) => day <= last));
  for (const date of [...days].toSorted()) {
    if (here.balancesAfter(date) === there.balancesAfter(date)) continue;
    return partingOn(date, ours, theirs, reader);
  }
  return partingOn(last, ours, theirs, reader);
}

const partingOn = (
  date: string,
  ours: PreparedLoan,
  theirs: PreparedLoan,
  reader: typeof READER,
): Parting => ({
  date,
  ours: computationOn(ours, date, reader),
  theirs: computationOn(theirs, date, reader),
});

function follow(loan: PreparedLoan, last: string) {
  const events = eventsInForce(loan.events, last);
  const run = newRun(loan);
  let at = 0;
  return {
    days: events.map(({ effective_date }) => effective_date),
    balancesAfter(day: string): string {
      for (let event = events[at]; event && event.effective_date <= day; event = events[at]) {
        applyNextEvent(run, event);
        at += 1;
      }
      advanceTo(run, day);
      const { position } = run;
      const covered = position.installments.map((row) => money(row.covered)).join(' ');
      return [position.principal, interestOwed(position, day), feesOwed(position)]
        .map((amount) => money(amount))
        .concat(covered)
        .join(' | ');
    },
  };
}

const newRun = ({ terms, schedule }: PreparedLoan): ReplayRun => ({
  position: newPosition(terms, schedule),
  day: '',
});

/** How a loan comes to its balances of a day. */
export function computationOn(loan: PreparedLoan, date: string, reader = READER): Computation {
  const events = eventsInForce(loan.events, date);
  const run = newRun(loan);
  const before = events.filter(({ effective_date }) => effective_date < date);
  for (const event of before) applyNextEvent(run, event);
  advanceTo(run, date);
  const interest =
    run.position.funded_on === null
      ? []
      : interestSteps(loan, toLoanState(run.position, date), reader);
  const lines = run.position.allocations.length;
  const today = events.slice(before.length);
  for (const event of today) applyNextEvent(run, event);
  const state = toLoanState(run.position, date);
  return {
    principal: state.principal_balance,
    interest: state.accrued_interest,
    fees: state.outstanding_fees,
    events: today.map(describeEvent),
    steps: [...interest, ...allocationSteps(state, lines, today)],
  };
}

const describeEvent = (event: LoanEvent) => ({
  kind: event.kind,
  date: event.effective_date,
  amount: 'amount' in event ? (event.amount ?? null) : null,
});

const interestSteps = (
  { terms }: PreparedLoan,
  state: LoanState,
  reader: typeof READER,
): ComputedStep[] =>
  explainInterestOf(terms, state).steps.map(({ sentence, amount }) => ({
    text: explanationText(sentence.key, sentence.values, reader),
    amount: amount ?? '0.00',
  }));

const COMPONENT_TEXTS = dictionary<string>({
  fee: 'Fees',
  interest: 'Interest',
  principal: 'Principal',
  suspense: 'Suspense',
});

/** What each event of the day moves. */
function allocationSteps(
  { allocations }: LoanState,
  from: number,
  events: readonly LoanEvent[],
): ComputedStep[] {
  const kinds = new Map(events.map(({ id, kind }) => [id, kind.replaceAll('_', ' ')]));
  return allocations.slice(from).map((line) => ({
    text: `${COMPONENT_TEXTS[line.component] ?? line.component} by ${kinds.get(line.event_id) ?? 'event'}: ${line.balance_before} before, ${line.balance_after} after.`,
    amount: line.amount,
  }));
}
