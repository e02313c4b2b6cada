import * as plans from '../../../sql/payments/autopay-plans.ts';
import type { AutopayPlan } from '../../../sql/loans/open-autopay-plan.ts';
import { newId } from '../../../sql/new-id.ts';
import * as draws from '../../../sql/payments/autopay-draws.ts';
import { openTasksForLoans } from '../../../sql/borrowers/tasks.ts';
import { insert, update } from '../../../sql/write.ts';
import { isBusinessDay } from '../../banks/bank-calendar.ts';
import { allows, conditionsWithout } from '../../cases/rules/loan-effects.ts';
import {
  canRunOn,
  nextAutopayDueDate,
  autopayRunDate,
} from '../../loans/history/autopay/autopay-dates.ts';
import { openLoan, type OpenLoan } from '../../loans/history/open-loan.ts';
import { drawAmount } from '../../loans/history/autopay/draw-amount.ts';
import { extraPayment, isAutopayPaused } from '../../loans/history/autopay/next-draw.ts';
import { saveNextDraw } from '../../loans/history/autopay/save-next-draw.ts';
import { prepaymentPenalty } from '../../loans/products/prepayment-penalty.ts';
import { min, money, parseMoney } from '../../money.ts';
import { emit } from '../../webhooks/emit.ts';
import type { Work } from '../../work.ts';
import { canStillDraw } from '../nacha/bank-order.ts';
import { NewPayment, paymentColumns, postPayment } from '../receive.ts';

/**
 * Makes the draws of a plan that are due today, and retries returned draws. A unique row claims each due
 * date, so running a day twice draws once. Cancellation takes the same loan lock.
 */
export async function runAutopay(work: Work, planId: string) {
  const loanId = await plans.findLoanOfAutopayPlan(work.tx, planId);
  if (loanId === null) return;
  let loan = await openLoan(work, loanId);
  for (
    let plan = await findRunnablePlan(work, loan, planId);
    plan;
    plan = await findRunnablePlan(work, loan, planId)
  ) {
    if (!(await processNextDraw(work, loan, plan))) break;
    loan = await openLoan(work, loanId);
  }
  await saveNextDraw(work, loan, planId);
}

async function findRunnablePlan(
  { tx }: Work,
  { row }: OpenLoan,
  planId: string,
): Promise<AutopayPlan | null> {
  const plan = await plans.lockAutopayPlan(tx, planId);
  return plan?.status === 'active' && plan.is_enabled && row.status === 'active' ? plan : null;
}

/** Handles one retry or one due date. Returns false when nothing is left for today. */
async function processNextDraw(work: Work, loan: OpenLoan, plan: AutopayPlan): Promise<boolean> {
  const { tx, today } = work;
  if (!isBusinessDay(today)) return false;
  const [drawToRetry] = await draws.lockDrawsToRetry(tx, plan.id, today);
  if (drawToRetry) {
    await retry(work, loan, plan, drawToRetry);
    return true;
  }
  const due = nextAutopayDueDate(plan, loan.state);
  if (due === null || !canRunOn(today, autopayRunDate(plan, due))) return false;
  await drawFor(work, loan, plan, due);
  return true;
}

const amountOf = (plan: AutopayPlan, { row, state }: OpenLoan, dueDate: string) =>
  drawAmount(plan, state, dueDate, prepaymentPenalty(row, state));

async function drawFor(work: Work, loan: OpenLoan, plan: AutopayPlan, dueDate: string) {
  const { tx, today } = work;
  const amount = amountOf(plan, loan, dueDate);
  const reason = reasonToSkip(plan, loan, today) ?? (amount.gt(0) ? null : 'nothing_due');
  const id = await draws.claimDueDate(tx, {
    autopay_plan_id: plan.id,
    loan_id: plan.loan_id,
    due_date: dueDate,
    run_date: today,
    amount: reason === null ? money(amount) : '0.00',
    status: reason === null ? 'drawn' : 'skipped',
    reason,
  });
  const wasPaid = await draws.wasLastDrawPaid(tx, plan.id, dueDate);
  await update(tx, 'autopay_plans', plan.id, {
    drawn_through: dueDate,
    ...(wasPaid && { consecutive_failures: 0 }),
  });
  if (reason === 'legal_condition') await askForAnotherPayer(work, loan, plan);
  if (id !== null && reason === null)
    await collectDraw(work, loan, plan, { id, amount: money(amount) }, plan.payment_instrument_id);
}

/**
 * Creates one task if a loan is not drawn any more because its payer died: those who go on owing it do not know. Other
 * conditions, such as a bankruptcy, also protect them.
 */
async function askForAnotherPayer({ tx, today }: Work, { row }: OpenLoan, plan: AutopayPlan) {
  const forbidding = plan.legal && conditionsWithout(plan.legal, 'autopay', today);
  if (forbidding?.some((condition) => condition !== 'deceased')) return;
  const title = `Agree on how loan ${row.loan_number} is paid`;
  await openTasksForLoans(tx, [row.id], { title, due_date: today });
}

function reasonToSkip(plan: AutopayPlan, { state }: OpenLoan, today: string) {
  if (!allows(plan.legal, 'autopay', today)) return 'legal_condition';
  return isAutopayPaused(state, today) ? 'payments_paused' : null;
}

/** Retries a draw that was returned for insufficient funds, minus what the borrower has paid since. */
async function retry(work: Work, loan: OpenLoan, plan: AutopayPlan, draw: draws.Draw) {
  const { tx } = work;
  const amount = min(parseMoney(draw.amount), amountOf(plan, loan, draw.due_date));
  const isForbidden = !allows(plan.legal, 'autopay', work.today);
  const isOver = isForbidden || amount.lte(0);
  await update(tx, 'autopay_draws', draw.id, {
    status: isOver ? 'skipped' : 'drawn',
    reason: isForbidden ? 'legal_condition' : isOver ? 'paid_meanwhile' : null,
    retry_on: null,
    attempts: draw.attempts + (isOver ? 0 : 1),
  });
  if (isOver) return;
  const from = plan.backup_payment_instrument_id ?? plan.payment_instrument_id;
  await collectDraw(work, loan, plan, { id: draw.id, amount: money(amount) }, from);
}

type Collection = { id: string; amount: string };

/** Records the payment, as failed if the instrument cannot be used. */
async function collectDraw(
  work: Work,
  loan: OpenLoan,
  plan: AutopayPlan,
  draw: Collection,
  instrumentId: string,
) {
  const { tx, today } = work;
  const payment_id = newId();
  const payment = {
    ...NewPayment.parse({
      amount: draw.amount,
      payment_instrument_id: instrumentId,
      payment_method: 'ach',
      payment_type: plan.amount_type === 'payoff' ? 'payoff' : 'regular',
    }),
    payment_date: today,
    effective_date: today,
    source: 'autopay' as const,
    autopay_plan_id: plan.id,
    payer_id: plan.borrower_id,
    ...extraPayment(plan),
  };
  // `runAutopay` saves the plan's next draw after all draws of the day.
  const withoutPlan = { ...loan, row: { ...loan.row, autopay_plan: null } };
  if (await canStillDraw(work, instrumentId))
    await postPayment(work, withoutPlan, payment_id, payment);
  else await failDraw(work, plan, draw, paymentColumns(loan, payment_id, payment));
  await update(tx, 'autopay_draws', draw.id, { payment_id });
  await update(tx, 'autopay_plans', plan.id, { last_payment_id: payment_id });
}

async function failDraw(
  work: Work,
  plan: AutopayPlan,
  { id }: Collection,
  columns: ReturnType<typeof paymentColumns>,
) {
  const failure_reason = 'The payment instrument cannot be used.';
  const failed_at = new Date().toISOString();
  await insert(work.tx, 'payments', { ...columns, status: 'failed', failed_at, failure_reason });
  await update(work.tx, 'autopay_draws', id, { status: 'failed', reason: 'instrument_not_usable' });
  await update(work.tx, 'autopay_plans', plan.id, {
    status: 'paused',
    consecutive_failures: plan.consecutive_failures + 1,
  });
  await emit(work, 'payment.failed', {
    payment_id: columns.id,
    loan_id: plan.loan_id,
    amount: columns.amount,
    failure_reason,
    will_retry: false,
  });
}
