import { Big } from 'big.js';
import * as plans from '../../../sql/loans/payment-plans.ts';
import { findLocked } from '../../../sql/table.ts';
import { audited } from '../../audit.ts';
import { addDays } from '../../dates.ts';
import { min, money, sum, ZERO } from '../../money.ts';
import type { Work } from '../../work.ts';
import { paidBetween, reachedOn, type Known, type Receipt } from './receipts.ts';

type Agreed = Pick<plans.Plan, 'agreed_on' | 'installments' | 'grace_days'>;
type Installment = Agreed['installments'][number];

export type Progress = {
  status: 'active' | 'completed' | 'broken';
  installments: Installment[];
  paid_amount: string;
};

/**
 * How far a payment plan has come. Money covers the installments in their order. An installment that is
 * not covered when its grace is over is missed, which breaks the plan; money that comes later does not
 * mend it.
 */
export function progressOf(plan: Agreed, receipts: readonly Receipt[], known: Known): Progress {
  const paidBy = (last: string) => paidBetween(receipts, plan.agreed_on, last);
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

/** The first day by which all that the plan asks for was paid; null while something is missing. */
export const coveredOn = ({ installments, agreed_on }: Agreed, receipts: readonly Receipt[]) =>
  reachedOn(receipts, agreed_on, sum(installments.map(({ amount }) => new Big(amount))));

/**
 * Judges again the plans that were completed or broken. One that asks for money again is in force, and the
 * close of business completes it when it is paid. Answers a sentence for each whose status is another.
 */
export async function rejudgePlans(
  work: Work,
  loanId: string,
  receipts: readonly Receipt[],
  known: Known,
): Promise<string[]> {
  const sentences: string[] = [];
  for (const plan of await plans.judgedOf(work.tx, loanId)) {
    const progress = progressOf(plan, receipts, known);
    if (progress.status === plan.status && progress.paid_amount === plan.paid_amount) continue;
    const status = await standingOf(work, loanId, plan, progress);
    const before = await findLocked(work.tx, plans.paymentPlans, plan.id);
    await audited(work, plans.paymentPlans, 'update', before, async () => {
      await plans.progress(work.tx, plan.id, { ...progress, status });
      if (status === 'broken') await plans.cancelOrdered(work.tx, plan.id);
      return plan.id;
    });
    if (status !== plan.status) sentences.push(sentenceOf(plan, { ...progress, status }));
  }
  return sentences;
}

/** A loan has one plan in force: what was agreed since then replaces a plan that asks for money again. */
async function standingOf(work: Work, loanId: string, plan: plans.Judged, { status }: Progress) {
  if (status === plan.status || status === 'broken') return status;
  return (await plans.activeOf(work.tx, loanId)) === null ? 'active' : 'canceled';
}

function sentenceOf(
  plan: plans.Judged,
  { status, paid_amount }: Pick<Progress, 'paid_amount'> & { status: string },
): string {
  const name = plan.plan_type === 'settlement' ? 'settlement' : 'payment plan';
  const again = status === 'active' ? 'in force again' : status;
  const sentence = `The ${name} of ${plan.total_amount} is ${again}: ${paid_amount} of it is paid.`;
  const isUncollected = status === 'active' && plan.auto_collect;
  return isUncollected ? `${sentence} Order the payments that are still missing.` : sentence;
}

/**
 * The day on which a settlement was fulfilled, as its payments are known now; null where it is not
 * fulfilled any more.
 */
export function fulfilledOn(plan: Agreed, receipts: readonly Receipt[], known: Known) {
  const isFulfilled = progressOf(plan, receipts, known).status === 'completed';
  return isFulfilled ? coveredOn(plan, receipts) : null;
}

export const isSettlement = ({
  plan_type,
  waive_remaining,
}: Pick<plans.Plan, 'plan_type' | 'waive_remaining'>) =>
  plan_type === 'settlement' && waive_remaining;
