import type { OpenForbearance } from '../../../sql/loans/workouts/forbearances.ts';
import { money, parseMoney, ZERO } from '../../money.ts';
import { dueDates, onePeriodAfter } from '../arithmetic/due-dates.ts';
import type { EventDraft } from '../engine/events.ts';
import type { Agreement } from '../schedule/agreement.ts';
import { readTerms } from '../products/loan-terms.ts';
import { isInService, type Standing } from './standing.ts';

/** The unpaid installments due during the forbearance. */
const unpaidDuringForbearance = ({ state }: Standing, { start_date, end_date }: OpenForbearance) =>
  state.installments.filter(
    ({ due_date, status }) =>
      status !== 'paid' && status !== 'canceled' && due_date >= start_date && due_date <= end_date,
  );

/** Whether the forbearance changes the schedule, while it runs or when it ends. */
export const changesSchedule = ({
  forbearance_type,
  end_treatment,
}: Pick<OpenForbearance, 'forbearance_type' | 'end_treatment'>): boolean =>
  forbearance_type !== 'full' || !['reinstatement', 'repayment_plan'].includes(end_treatment);

/**
 * The schedule while the forbearance runs, or null if it does not change. A full forbearance leaves the
 * bills unchanged. The other types bill less and add the shortfall to the next installment (for
 * `reinstatement`) or to the last one.
 */
function scheduleDuringForbearance(loan: Standing, forbearance: OpenForbearance): Agreement | null {
  const { forbearance_type, reduced_payment_amount, end_treatment } = forbearance;
  const to = forbearance_type === 'interest_only' ? 'interest' : reduced_payment_amount;
  const numbers = unpaidDuringForbearance(loan, forbearance).map(
    ({ period_number }) => period_number,
  );
  if (forbearance_type === 'full' || to === null || numbers.length === 0) return null;
  return {
    rule: 'lowered',
    numbers,
    to,
    shortfall: end_treatment === 'reinstatement' ? 'next' : 'last',
  };
}

/** A loan may have several reasons to stop accrual at the same time. */
const STOP = { reason: 'forbearance' } as const;

/** The events with which a forbearance starts, dated its first day. */
export function startOfForbearance(
  loan: Standing,
  forbearance: OpenForbearance,
  { pause_in_forbearance }: { pause_in_forbearance: boolean },
): EventDraft[] {
  const { start_date: effective_date, end_date: to } = forbearance;
  const events: EventDraft[] = [];
  if (forbearance.suspend_delinquency && pause_in_forbearance)
    events.push({ kind: 'delinquency_pause', effective_date, to });
  if (!forbearance.interest_accrues) events.push({ kind: 'accrual_stop', effective_date, ...STOP });
  const agreement = scheduleDuringForbearance(loan, forbearance);
  if (agreement) events.push({ kind: 'schedule_agreed', effective_date, agreement });
  return events;
}

/**
 * The events with which a forbearance ends, and the amounts of a repayment plan. A broken forbearance, or
 * one of a loan that is no longer in service, ends without its agreed treatment.
 */
export function endOfForbearance(
  loan: Standing,
  forbearance: OpenForbearance,
  today: string,
  isBroken = false,
): { events: EventDraft[]; owed: AfterForbearance['owed'] } {
  const isTreated = isInService(loan) && !isBroken && !loan.state.is_accelerated;
  const { agreement, owed } = isTreated
    ? scheduleAfterForbearance(loan, forbearance, today)
    : UNCHANGED;
  const events: EventDraft[] = [];
  if (!forbearance.interest_accrues)
    events.push({ kind: 'accrual_start', effective_date: today, ...STOP });
  if (agreement) events.push({ kind: 'schedule_agreed', effective_date: today, agreement });
  return { events, owed };
}

type AfterForbearance = {
  agreement: Agreement | null;
  owed: { due_date: string; amount: string }[];
};
const UNCHANGED: AfterForbearance = { agreement: null, owed: [] };

/**
 * The schedule after the forbearance, or the amounts of a repayment plan, depending on the agreed treatment
 * of the missed payments.
 */
function scheduleAfterForbearance(
  loan: Standing,
  forbearance: OpenForbearance,
  today: string,
): AfterForbearance {
  const missed = unpaidDuringForbearance(loan, forbearance);
  const [first] = missed;
  const { state, row } = loan;
  const { payment_frequency: frequency, term_months, payment_day } = readTerms(row);
  const toCome = state.installments.filter(
    ({ due_date, status }) => due_date >= today && status !== 'paid',
  );
  const start = toCome[0]?.due_date ?? onePeriodAfter(frequency, today, term_months, payment_day);
  const isLess = forbearance.forbearance_type !== 'full';
  if (
    forbearance.end_treatment === 're_amortize' ||
    (isLess && forbearance.end_treatment === 'extend_term')
  ) {
    const more = forbearance.end_treatment === 'extend_term' ? missedPeriods(loan, forbearance) : 0;
    const dates = { first: start, count: Math.max(1, toCome.length + more), payment_day };
    return { ...UNCHANGED, agreement: { rule: 'spread', from: 'oldest_unpaid', dates } };
  }
  if (first === undefined || isLess) return UNCHANGED;
  if (forbearance.end_treatment === 'extend_term') {
    const by = { periods: missed.length, payment_day };
    return { ...UNCHANGED, agreement: { rule: 'moved', from: first.period_number, by } };
  }
  if (forbearance.end_treatment === 'deferred_balance') {
    const numbers = missed.map(({ period_number }) => period_number);
    const agreement = { rule: 'lowered', numbers, to: 'paid', shortfall: 'last' } as const;
    return { ...UNCHANGED, agreement };
  }
  if (forbearance.end_treatment !== 'repayment_plan') return UNCHANGED;
  const dates = dueDates(frequency, start, missed.length, payment_day);
  const owed = missed.map((row, index) => ({
    due_date: dates[index] ?? start,
    amount: money(parseMoney(row.payment_amount).minus(row.paid_amount)),
  }));
  return { ...UNCHANGED, owed: owed.filter(({ amount }) => parseMoney(amount).gt(ZERO)) };
}

const missedPeriods = ({ state }: Standing, { start_date, end_date }: OpenForbearance) =>
  state.installments.filter(({ due_date }) => due_date >= start_date && due_date <= end_date)
    .length;
