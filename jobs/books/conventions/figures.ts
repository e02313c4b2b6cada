import type { Big } from 'big.js';
import { addDays } from '../../dates.ts';
import { money, parseMoney, sum, ZERO } from '../../money.ts';
import { billsOn } from '../../loans/engine/bills.ts';
import type { LoanEvent } from '../../loans/engine/events.ts';
import { eventsInForce } from '../../loans/engine/event-order.ts';
import { applyNextEvent } from '../../loans/engine/fold.ts';
import {
  chargedOffBalance,
  feesOwed,
  interestOwed,
  isPaidOff,
  newPosition,
  totalOwed,
  type Position,
} from '../../loans/engine/position.ts';
import { payoffOn } from '../../loans/engine/outlook/outlook-view.ts';
import { advanceTo, positionOn, type ReplayRun } from '../../loans/engine/run.ts';
import type { PreparedLoan } from './book-loan.ts';
import type { PaidBefore } from './paid-before.ts';

/** The figures that two systems are compared by, as in `figures.csv`. */
export const AMOUNT_FIGURES = [
  'principal',
  'interest',
  'fees',
  'next_payment_amount',
  'payoff_amount',
  'installment',
  'charged_off',
  ...(['paid_principal', 'paid_interest', 'paid_fees', 'paid_total'] as const),
] as const;
export const FIGURE_NAMES = [
  ...AMOUNT_FIGURES,
  'days_past_due',
  'days_past_due_range',
  'next_due_date',
  'last_payment_date',
  'status',
] as const;
export type FigureName = (typeof FIGURE_NAMES)[number];
/** Figures about payments. Those before the boarding may not be known here. */
export const PAID_FIGURES = [
  ...(['paid_principal', 'paid_interest', 'paid_fees', 'paid_total'] as const),
  'last_payment_date',
] as const satisfies readonly FigureName[];
/** Figures that only help to see what a figure of another system means. */
export const HELPING_FIGURES = ['past_due_amount', 'upcoming_due_date'] as const;
export type WantedFigure = FigureName | (typeof HELPING_FIGURES)[number];

/** A loan's figures on a day. A figure that the other system does not give is missing or null. */
export type Figures = {
  as_of_date: string;
  principal?: string | null;
  interest?: string | null;
  fees?: string | null;
  next_payment_amount?: string | null;
  payoff_amount?: string | null;
  installment?: string | null;
  /** What is still owed after the charge-off. */
  charged_off?: string | null;
  paid_principal?: string | null;
  paid_interest?: string | null;
  paid_fees?: string | null;
  paid_total?: string | null;
  /** A part of `paid_total`, which the other system states for a loan that it charged off. */
  recovered?: string | null;
  days_past_due?: number | null;
  /** The days past due as a range: `16-30`, or `121+`. */
  days_past_due_range?: string | null;
  next_due_date?: string | null;
  last_payment_date?: string | null;
  status?: string | null;
  past_due_amount?: string | null;
  upcoming_due_date?: string | null;
};

/**
 * A loan's figures on the given days, in order, in one run of the fold. They include the events of the day itself and
 * the interest of the days before. A reversal or a waiver changes the figures from its own day on, as the other system
 * could not know of it earlier. Computes each day only when the caller asks for it.
 */
export function* computeFigures(
  loan: PreparedLoan,
  days: readonly string[],
  wanted: ReadonlySet<WantedFigure>,
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
      yield readFigures(run, day, wanted, loan);
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
  wanted: ReadonlySet<WantedFigure>,
  { includes_day, paid_before }: Pick<PreparedLoan, 'includes_day' | 'paid_before'>,
): Figures {
  const { position } = run;
  const interestDay = includes_day ? addDays(day, 1) : day;
  const earning = includes_day ? positionOn({ position, day }, interestDay) : position;
  const figures: Figures = { as_of_date: day };
  if (wanted.has('principal')) figures.principal = money(position.principal);
  if (wanted.has('interest')) figures.interest = money(interestOwed(earning, interestDay));
  if (wanted.has('fees')) figures.fees = money(feesOwed(position));
  if (wanted.has('charged_off')) figures.charged_off = money(chargedOffBalance(position));
  if (wanted.has('payoff_amount'))
    figures.payoff_amount = money(payoffOn(earning, interestDay, ZERO));
  if (BILLED.some((name) => wanted.has(name))) {
    const billed = billsOn(position, day);
    if (wanted.has('days_past_due')) figures.days_past_due = billed.days;
    if (wanted.has('days_past_due_range')) figures.days_past_due_range = String(billed.days);
    if (wanted.has('next_due_date'))
      figures.next_due_date = billed.oldest_unpaid_due_date ?? billed.next_payment_date;
    if (wanted.has('upcoming_due_date')) figures.upcoming_due_date = billed.next_payment_date;
    if (wanted.has('next_payment_amount'))
      figures.next_payment_amount = money(billed.next_payment_amount);
    if (wanted.has('past_due_amount')) figures.past_due_amount = money(billed.pastDue);
  }
  if (wanted.has('status')) figures.status = statusOn(position, interestDay);
  const installment = wanted.has('installment') ? installmentOn(position, day) : null;
  if (installment !== null) figures.installment = installment;
  if (PAID_FIGURES.some((name) => wanted.has(name))) addPaid(figures, position, paid_before);
  return figures;
}

const BILLED: readonly WantedFigure[] = [
  'days_past_due',
  'days_past_due_range',
  'next_due_date',
  'upcoming_due_date',
  'next_payment_amount',
  'past_due_amount',
];

/** A settled loan counts as paid off, because other systems have no word for it. */
function statusOn(position: Position, day: string): string {
  if (position.charged_off_on !== null) return 'charged_off';
  return isPaidOff(position, day) ? 'paid_off' : 'active';
}

/** The installment as agreed, not the last one, which asks for the rest. Null once nothing is asked for. */
function installmentOn(position: Position, day: string): string | null {
  if (!totalOwed(position, day).gt(0)) return null;
  const rows = position.installments.filter(({ is_canceled }) => !is_canceled);
  const at = rows.findIndex(({ row }) => row.due_date >= day);
  const last = rows.length - 1;
  const asked = rows[at < 0 || at === last ? Math.max(0, last - 1) : at];
  return asked?.row.payment_amount ?? null;
}

/** The payments since the loan was made. A figure stays missing if what was paid earlier is not known. */
function addPaid(figures: Figures, { paid, last_payment }: Position, before: PaidBefore) {
  const add = (known: string | null, more: Big) =>
    known === null ? null : money(parseMoney(known).plus(more));
  const principal = add(before.principal, paid.principal);
  const interest = add(before.interest, paid.interest);
  const fees = add(before.fees, paid.fees);
  if (principal !== null) figures.paid_principal = principal;
  if (interest !== null) figures.paid_interest = interest;
  if (fees !== null) figures.paid_fees = fees;
  if (principal !== null && interest !== null && fees !== null) {
    const recovered = parseMoney(before.recovered).plus(paid.recovery);
    figures.paid_total = money(sum([principal, interest, fees].map(parseMoney)).plus(recovered));
  }
  const isWholeLife = before.interest === '0.00' && before.principal === '0.00';
  if (last_payment !== null || isWholeLife) figures.last_payment_date = last_payment?.date ?? null;
}

/** The sum of amounts. A missing one counts as zero. */
export const addAmounts = (...amounts: readonly (string | null | undefined)[]): string =>
  money(sum(amounts.map((amount) => parseMoney(amount ?? '0.00'))));
