import type { AutopayPlan } from '../../../../sql/loans/open-autopay-plan.ts';
import * as plans from '../../../../sql/payments/autopay-plans.ts';
import { parseMoney } from '../../../money.ts';
import { settingsOf } from '../../../users/settings/settings.ts';
import type { Work } from '../../../work.ts';
import { readAgreedSteps } from '../../agreed/read-agreed-steps.ts';
import type { Standing } from '../../agreed/standing.ts';
import type { EventDraft, LoanEvent } from '../../engine/events.ts';
import { fold, replay, type FoldInput } from '../../engine/fold.ts';
import {
  nextStep,
  startFuture,
  takeSteps,
  type AgreedStep,
  type Future,
} from '../../engine/projection/agreed-steps.ts';
import { positionOn, type ReplayRun } from '../../engine/run.ts';
import { toLoanState, type LoanState } from '../../engine/state.ts';
import { prepaymentPenalty } from '../../products/prepayment-penalty.ts';
import { billsPaidFromSuspense } from '../bills-from-suspense.ts';
import { nextAutopayDueDate, autopayRunDate, displayedRunDate } from './autopay-dates.ts';
import { findNextDraw } from './next-draw.ts';
import type { OpenLoan } from '../open-loan.ts';

export const isOpenAutopayPlan = ({ status }: AutopayPlan) => ['active', 'paused'].includes(status);

/** A folded loan, and the steps agreed for later days. */
type FoldedLoan = {
  row: Standing['row'];
  input: FoldInput;
  run: ReplayRun;
  state: LoanState;
  agreed: readonly AgreedStep[];
};

/** Saves a changed plan's next draw, or completes a plan that has ended. */
export async function saveNextDraw(work: Work, loan: OpenLoan, planId: string) {
  const plan = await plans.lockAutopayPlan(work.tx, planId);
  if (plan === null || !isOpenAutopayPlan(plan)) return;
  const { row, state, folded } = loan;
  const agreed = await readAgreedSteps(work, loan);
  const run = folded.run ?? replay(folded.input);
  const known = { row, input: folded.input, run, state, agreed };
  const next = await nextDates(work, plan, known);
  const isOver =
    next.next_due_date === null && plan.end_date !== null && plan.end_date < work.today;
  await plans.saveNextDates(work.tx, planId, { ...next, ...(isOver && { status: 'completed' }) });
}

/** Updates the next draw of the loan's plan after an event. */
export async function updateNextDraw(work: Work, plan: AutopayPlan, loan: FoldedLoan) {
  const next = await nextDates(work, plan, loan);
  const isSame = DATES.every((name) => next[name] === plan[name]);
  if (!isSame) await plans.saveNextDates(work.tx, plan.id, next);
}

const DATES = ['next_due_date', 'next_run_date', 'next_draw_date', 'next_draw_amount'] as const;

async function nextDates(work: Work, plan: AutopayPlan, loan: FoldedLoan) {
  const { today } = work;
  const due = nextAutopayDueDate(plan, loan.state);
  const draw = await nextDrawOf(work, plan, loan);
  return {
    next_due_date: due,
    next_run_date: due === null ? null : displayedRunDate(today, autopayRunDate(plan, due)),
    next_draw_date: draw?.date ?? null,
    next_draw_amount: draw?.amount ?? null,
  };
}

/** The next autopay draw of a loan, as the close of its day will make it. */
export async function nextDrawOf(work: Work, plan: AutopayPlan, loan: FoldedLoan) {
  const paysBills = await paysBillsFromSuspense(work, loan);
  return findNextDraw(plan, {
    today: work.today,
    state: loan.state,
    stateOn: (day, draws) => stateAhead({ ...loan, paysBills }, day, draws),
    penaltyOn: (state) => prepaymentPenalty(loan.row, state),
  });
}

/** Whether the closes until the draw may pay bills from suspense. */
async function paysBillsFromSuspense({ tx }: Work, { row, state, agreed }: FoldedLoan) {
  const mayHold = parseMoney(state.suspense_balance).gt(0) || agreed.length > 0;
  return row.status === 'active' && mayHold && (await settingsOf(tx)).suspense.pays_bills;
}

type LoanAhead = FoldedLoan & { paysBills: boolean };

/** The loan at the close of a later day, after the given draws and before the day's other draws. */
function stateAhead(loan: LoanAhead, day: string, draws: readonly EventDraft[]): LoanState {
  const { input, run, agreed, paysBills } = loan;
  if (agreed.length === 0 && draws.length === 0 && !paysBills)
    return day === input.as_of ? loan.state : toLoanState(positionOn(run, day), day);
  const now = startFuture(input, agreed);
  const future = paysBills ? payBills(now, input.as_of, day) : now;
  const { history } = takeSteps(future, { date: day, at: 'close' });
  const drawn = draws.map((draw, at): LoanEvent => ({ ...draw, id: `draw-${at}` }));
  return fold({ ...history, events: [...history.events, ...drawn], as_of: day });
}

/** Pays bills from suspense at the close of each day on which a bill falls due or a step is taken. */
function payBills(now: Future, today: string, until: string): Future {
  let future = now;
  let day: string | undefined = today;
  while (day !== undefined && day <= until) {
    const on: string = day;
    future = takeSteps(future, { date: on, at: 'close' });
    const state = fold({ ...future.history, as_of: on });
    const amount = billsPaidFromSuspense(state, on);
    if (amount !== null) future = withApplication(future, on, amount);
    const due = state.installments.filter(({ status }) => status !== 'paid');
    const step = nextStep(future);
    day = [...due.map(({ due_date }) => due_date), ...(step ? [step.date] : [])]
      .filter((date) => date > on)
      .toSorted()[0];
  }
  return future;
}

function withApplication(future: Future, on: string, amount: string): Future {
  const application: LoanEvent = {
    id: `suspense-${on}`,
    kind: 'suspense_application',
    effective_date: on,
    amount,
    payment_type: 'regular',
  };
  const { history } = future;
  return { ...future, history: { ...history, events: [...history.events, application] } };
}
