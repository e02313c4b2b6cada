import { addDays } from '../../dates.ts';
import { money, ZERO } from '../../money.ts';
import { billsOn } from '../../loans/engine/bills.ts';
import type { LoanEvent } from '../../loans/engine/events.ts';
import { eventsInForce } from '../../loans/engine/event-order.ts';
import { applyNextEvent } from '../../loans/engine/fold.ts';
import { feesOwed, interestOwed, newPosition } from '../../loans/engine/position.ts';
import { payoffOn } from '../../loans/engine/outlook/outlook-view.ts';
import { advanceTo, positionOn, type ReplayRun } from '../../loans/engine/run.ts';
import type { PreparedLoan } from './book-loan.ts';

/** The figures that two systems are compared by, as in `figures.csv`. */
export const AMOUNT_FIGURES = [
  'principal',
  'interest',
  'fees',
  'next_payment_amount',
  'payoff_amount',
] as const;
export const FIGURE_NAMES = [...AMOUNT_FIGURES, 'days_past_due', 'next_due_date'] as const;
export type FigureName = (typeof FIGURE_NAMES)[number];

/** A loan's figures on a day. A figure that the other system does not give is missing or null. */
export type Figures = {
  as_of_date: string;
  principal?: string | null;
  interest?: string | null;
  fees?: string | null;
  next_payment_amount?: string | null;
  payoff_amount?: string | null;
  days_past_due?: number | null;
  next_due_date?: string | null;
};

/**
 * A loan's figures on the given days, in order, in one run of the fold. They include the events of the day itself and
 * the interest of the days before. A reversal or a waiver changes the figures from its own day on, as the other system
 * could not know of it earlier. Computes each day only when the caller asks for it.
 */
export function* computeFigures(
  loan: PreparedLoan,
  days: readonly string[],
  wanted: ReadonlySet<FigureName>,
): Generator<Figures> {
  for (const group of groupByKnowledge(loan.events, days)) {
    const events = eventsInForce(group.events, group.days.at(-1) ?? '');
    const run: ReplayRun = { position: newPosition(loan.terms, loan.schedule), day: '' };
    let at = 0;
    for (const day of group.days) {
      for (let event = events[at]; event && event.effective_date <= day; event = events[at]) {
        applyNextEvent(run, event);
        at += 1;
      }
      advanceTo(run, day);
      yield readFigures(run, day, { wanted, includes_day: loan.includes_day });
    }
  }
}

type Group = { days: string[]; events: readonly LoanEvent[] };

/** Days between which no reversal or waiver became known share a run. */
function groupByKnowledge(events: readonly LoanEvent[], days: readonly string[]): Group[] {
  const late = events.filter(({ kind }) => kind === 'reversal' || kind === 'fee_waiver');
  if (late.length === 0) return days.length === 0 ? [] : [{ days: [...days], events }];
  const groups: Group[] = [];
  let known = -1;
  for (const day of days) {
    const count = late.filter(({ effective_date }) => effective_date <= day).length;
    const last = groups.at(-1);
    if (last !== undefined && count === known) {
      last.days.push(day);
      continue;
    }
    known = count;
    const unknown = new Set(late.filter(({ effective_date }) => effective_date > day));
    groups.push({ days: [day], events: events.filter((event) => !unknown.has(event)) });
  }
  return groups;
}

function readFigures(
  run: ReplayRun,
  day: string,
  { wanted, includes_day }: { wanted: ReadonlySet<FigureName>; includes_day: boolean },
): Figures {
  const { position } = run;
  const interestDay = includes_day ? addDays(day, 1) : day;
  const earning = includes_day ? positionOn({ position, day }, interestDay) : position;
  const figures: Figures = { as_of_date: day };
  if (wanted.has('principal')) figures.principal = money(position.principal);
  if (wanted.has('interest')) figures.interest = money(interestOwed(earning, interestDay));
  if (wanted.has('fees')) figures.fees = money(feesOwed(position));
  if (wanted.has('payoff_amount'))
    figures.payoff_amount = money(payoffOn(earning, interestDay, ZERO));
  if (BILLED.some((name) => wanted.has(name))) {
    const billed = billsOn(position, day);
    if (wanted.has('days_past_due')) figures.days_past_due = billed.days;
    if (wanted.has('next_due_date'))
      figures.next_due_date = billed.oldest_unpaid_due_date ?? billed.next_payment_date;
    if (wanted.has('next_payment_amount'))
      figures.next_payment_amount = money(billed.next_payment_amount);
  }
  return figures;
}

const BILLED: readonly FigureName[] = ['days_past_due', 'next_due_date', 'next_payment_amount'];
