import type { Big } from 'big.js';
import type { AutopayPlan } from '../../../../sql/loans/open-autopay-plan.ts';
import { allows } from '../../../cases/rules/loan-effects.ts';
import { min, money, parseMoney, sum, ZERO } from '../../../money.ts';
import type { EventDraft } from '../../engine/events.ts';
import type { LoanState } from '../../engine/state.ts';
import { autopayRunDate, displayedRunDate, nextAutopayDueDate } from './autopay-dates.ts';
import { drawAmount } from './draw-amount.ts';

/** A loan today and on later days. */
type LoanAhead = {
  today: string;
  state: LoanState;
  /** The loan at the close of a later day, if these draws are paid and nothing else happens. */
  stateOn: (day: string, draws: readonly EventDraft[]) => LoanState;
  penaltyOn: (state: LoanState) => Big;
};

export type NextDraw = { date: string; amount: string };

/** Maximum number of due dates to examine. Paid installments and paused months have no draw. */
const MAX_ATTEMPTS = 24;

/**
 * The next day on which autopay draws money, and the total of that day's draws, if nothing happens before. The
 * close draws the same amount. Null if nothing will be drawn, or if the amount depends on a future statement.
 */
export function findNextDraw(plan: AutopayPlan, loan: LoanAhead): NextDraw | null {
  if (plan.status !== 'active' || !plan.is_enabled || !canDraw(plan, loan.state)) return null;
  let remaining = plan;
  let { state } = loan;
  let date: string | null = null;
  const draws: DraftOfPayment[] = [];
  for (let count = 0; count < MAX_ATTEMPTS; count += 1) {
    const attempt = nextAttempt(remaining, state, loan.today);
    if (attempt === null || (date !== null && attempt.date !== date)) break;
    if (state.cycle !== null && attempt.date > state.cycle.ends) break;
    const then = loan.stateOn(attempt.date, draws);
    // An agreed change, such as new due dates, can take effect before the draw.
    const moved = nextAttempt(remaining, then, loan.today);
    state = then;
    if (moved === null || moved.due_date !== attempt.due_date) continue;
    const amount = amountOf(plan, attempt, then, loan.penaltyOn(then));
    if (amount.gt(0)) {
      ({ date } = attempt);
      draws.push(paymentOf(plan, attempt.date, money(amount)));
    }
    remaining = withoutAttempt(remaining, attempt);
  }
  if (date === null) return null;
  return { date, amount: money(sum(draws.map(({ amount }) => parseMoney(amount)))) };
}

/** A `payoff` plan always can. Other plans need a debt that is neither accelerated nor charged off. */
const canDraw = ({ amount_type }: AutopayPlan, state: LoanState): boolean =>
  amount_type === 'payoff' ||
  (!state.is_accelerated && !state.is_charged_off && parseMoney(state.total_balance).gt(0));

type Attempt = { date: string; due_date: string; retry: Big | null };

/** Retries come before the due dates of the same day. */
function nextAttempt(plan: AutopayPlan, state: LoanState, today: string): Attempt | null {
  const [retry] = plan.retries.toSorted((one, other) => (one.retry_on < other.retry_on ? -1 : 1));
  const due_date = nextAutopayDueDate(plan, state);
  const date = due_date && displayedRunDate(today, autopayRunDate(plan, due_date));
  const regular = due_date !== null && date !== null ? { date, due_date, retry: null } : null;
  if (retry === undefined) return regular;
  const on = displayedRunDate(today, retry.retry_on);
  if (regular !== null && regular.date < on) return regular;
  return { date: on, due_date: retry.due_date, retry: parseMoney(retry.amount) };
}

function amountOf(
  plan: AutopayPlan,
  { date, due_date, retry }: Attempt,
  state: LoanState,
  penalty: Big,
): Big {
  if (!allows(plan.legal, 'autopay', date)) return ZERO;
  const amount = drawAmount(plan, state, due_date, penalty);
  if (retry !== null) return min(retry, amount);
  return isAutopayPaused(state, date) ? ZERO : amount;
}

/** Autopay skips due dates during a forbearance. */
export const isAutopayPaused = ({ pauses }: LoanState, day: string): boolean =>
  pauses.some(({ from, to }) => from <= day && day <= to);

const withoutAttempt = (plan: AutopayPlan, { due_date, retry }: Attempt): AutopayPlan =>
  retry === null
    ? { ...plan, drawn_through: due_date }
    : { ...plan, retries: plan.retries.filter((one) => one.due_date !== due_date) };

type DraftOfPayment = Extract<EventDraft, { kind: 'payment' }>;

const paymentOf = (plan: AutopayPlan, on: string, amount: string): DraftOfPayment => ({
  kind: 'payment',
  effective_date: on,
  amount,
  payment_type: plan.amount_type === 'payoff' ? 'payoff' : 'regular',
  ...extraPayment(plan),
});

/** Where the amount above the minimum goes. */
export const extraPayment = ({ amount_type, extra_toward }: AutopayPlan) =>
  amount_type === 'minimum_due_plus'
    ? {
        extra_payment_to:
          extra_toward === 'principal' ? ('principal' as const) : ('next_installment' as const),
      }
    : {};
