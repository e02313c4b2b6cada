import { Big } from 'big.js';
import * as plans from '../../../sql/loans/workouts/payment-plans.ts';
import { findLocked } from '../../../sql/table.ts';
import { auditChange } from '../../audit.ts';
import { addDays } from '../../dates.ts';
import { min, money, sum, ZERO } from '../../money.ts';
import type { Work } from '../../work.ts';
import {
  amountPaidBetween,
  firstDayPaid,
  type EvaluationCutoff,
  type Receipt,
} from './receipts.ts';

type PlanTerms = Pick<plans.PaymentPlan, 'agreed_on' | 'installments' | 'grace_days'>;
type Installment = PlanTerms['installments'][number];

export type PlanProgress = {
  status: 'active' | 'completed' | 'broken';
  installments: Installment[];
  paid_amount: string;
};

/**
 * Evaluates a payment plan. Money covers its installments in order. An installment not covered at the end
 * of its grace days is missed and breaks the plan. Later money does not restore a broken plan.
 */
export function evaluatePlanProgress(
  plan: PlanTerms,
  receipts: readonly Receipt[],
  known: EvaluationCutoff,
): PlanProgress {
  const paidBy = (last: string) => amountPaidBetween(receipts, plan.agreed_on, last);
  let due = ZERO;
  const parts = plan.installments.map(({ due_date, amount }) => {
    due = due.plus(amount);
    return { due_date, amount, due, deadline: addDays(due_date, plan.grace_days) };
  });
  const isOver = (deadline: string) => known.judged_through >= deadline;
  const missed = parts.find(({ deadline, due }) => isOver(deadline) && paidBy(deadline).lt(due));
  const paid = paidBy(missed?.deadline ?? known.paid_through);
  const installments = parts.map((part) => ({
    due_date: part.due_date,
    amount: part.amount,
    status: statusOf(part, paid, missed?.deadline),
  }));
  const isCovered = paid.gte(due);
  return {
    status: missed ? 'broken' : isCovered ? 'completed' : 'active',
    installments,
    paid_amount: money(min(paid, due)),
  };
}

function statusOf(
  { due, deadline }: { due: Big; deadline: string },
  paid: Big,
  broken_on: string | undefined,
) {
  if (paid.gte(due)) return 'paid';
  return broken_on !== undefined && deadline <= broken_on ? 'missed' : 'pending';
}

/** The first day on which the whole plan was paid, or null. */
export const planCoveredDate = (
  { installments, agreed_on }: PlanTerms,
  receipts: readonly Receipt[],
) => firstDayPaid(receipts, agreed_on, sum(installments.map(({ amount }) => new Big(amount))));

/**
 * Reevaluates completed and broken plans. A plan with a new open amount becomes active again, and a later
 * close completes it. Returns a sentence for each plan whose status changed.
 */
export async function reevaluatePlans(
  work: Work,
  loanId: string,
  receipts: readonly Receipt[],
  known: EvaluationCutoff,
): Promise<string[]> {
  const sentences: string[] = [];
  for (const plan of await plans.lockEndedPlans(work.tx, loanId)) {
    const progress = evaluatePlanProgress(plan, receipts, known);
    if (progress.status === plan.status && progress.paid_amount === plan.paid_amount) continue;
    const status = await planProgress(work, loanId, plan, progress);
    const before = await findLocked(work.tx, plans.paymentPlans, plan.id);
    await auditChange(work, plans.paymentPlans, 'update', before, async () => {
      await plans.saveProgress(work.tx, plan.id, { ...progress, status });
      if (status === 'broken') await plans.cancelScheduledPayments(work.tx, plan.id);
      return plan.id;
    });
    if (status !== plan.status) sentences.push(outcomeMessage(plan, { ...progress, status }));
  }
  return sentences;
}

/** A loan has one active plan. If a newer plan exists, a reopened older plan is canceled. */
async function planProgress(
  work: Work,
  loanId: string,
  plan: plans.EndedPlan,
  { status }: PlanProgress,
) {
  if (status === plan.status || status === 'broken') return status;
  return (await plans.lockActivePlan(work.tx, loanId)) === null ? 'active' : 'canceled';
}

function outcomeMessage(
  plan: plans.EndedPlan,
  { status, paid_amount }: Pick<PlanProgress, 'paid_amount'> & { status: string },
): string {
  const name = plan.plan_type === 'settlement' ? 'settlement' : 'payment plan';
  const newStatus = status === 'active' ? 'active again' : status;
  const sentence = `The ${name} of ${plan.total_amount} is ${newStatus}: ${paid_amount} of it has been paid.`;
  const isUncollected = status === 'active' && plan.auto_collect;
  return isUncollected ? `${sentence} Schedule the missing payments again.` : sentence;
}

/** The day on which a settlement was fulfilled, by today's knowledge. Null if it is not fulfilled. */
export function settlementFulfilledDate(
  plan: PlanTerms,
  receipts: readonly Receipt[],
  known: EvaluationCutoff,
) {
  const isFulfilled = evaluatePlanProgress(plan, receipts, known).status === 'completed';
  return isFulfilled ? planCoveredDate(plan, receipts) : null;
}

export const isSettlement = ({
  plan_type,
  waive_remaining,
}: Pick<plans.PaymentPlan, 'plan_type' | 'waive_remaining'>) =>
  plan_type === 'settlement' && waive_remaining;
