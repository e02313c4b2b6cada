import type { Big } from 'big.js';
import * as plans from '../../../sql/loans/workouts/payment-plans.ts';
import type { Row } from '../../../sql/table.ts';
import { insert, update, type Values } from '../../../sql/write.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { parseMoney } from '../../money.ts';
import { assertBankOrder } from '../../payments/nacha/bank-order.ts';
import { NewPayment, receivePlanPayments } from '../../payments/receive.ts';
import type { Work } from '../../work.ts';
import { planCoveredDate, isSettlement, evaluatePlanProgress } from '../outcomes/payment-plans.ts';
import { endOfDayCutoff, listReceipts } from '../outcomes/receipts.ts';
import { eventsInForce } from '../engine/event-order.ts';
import { openLoan, type OpenLoan } from '../history/open-loan.ts';
import { updateAgreed } from '../history/record-events.ts';
import {
  recordCanceler,
  recordChanger,
  lockLoanAndRecord,
  openInService,
} from '../history/loan-records.ts';
import {
  buildPlanInstallments,
  sumInstallments,
  type PlanInstallment,
  type PlanScheduleInput,
} from './payment-plan-installments.ts';
import { completeSettlement } from './complete-settlement.ts';

export const PAYMENT_PLAN_TYPES = ['repayment', 'settlement', 'catch_up'] as const;
export const PAYMENT_PLAN_STATUSES = [
  'proposed',
  'active',
  'completed',
  'broken',
  'canceled',
] as const;

export type NewPaymentPlan = PlanScheduleInput & {
  loan_id: string;
  plan_type: (typeof PAYMENT_PLAN_TYPES)[number];
  total_amount?: string | null | undefined;
  settlement_amount?: string | null | undefined;
  waive_remaining: boolean;
  grace_days: number;
  payment_instrument_id?: string | null | undefined;
  auto_collect: boolean;
  notes?: string | null | undefined;
  status: string;
};

/**
 * Creates an active or proposed payment plan. The loan keeps its own schedule. The payment plan defines
 * which payments the lender waits for and, for a settlement, the amount it accepts for the whole debt.
 */
export async function addPaymentPlan(work: Work, input: NewPaymentPlan): Promise<string> {
  const loan = await openInService(work, input.loan_id, ['active', 'charged_off']);
  const parts = buildPlanInstallments(input, work.today, planTotal(input, loan.state));
  const total = sumInstallments(parts);
  assertTotals(input, total);
  assertCollectable(input);
  await assertBankOrder(work, loan.row.borrower_id, input);
  const status = input.status === 'proposed' ? 'proposed' : 'active';
  if (status === 'active') await assertNoActivePlan(work, loan.row.id);
  const { plan_type, start_date, frequency, number_of_payments, amount } = input;
  const { settlement_amount, waive_remaining, grace_days, payment_instrument_id } = input;
  const id = await insert(work.tx, 'payment_plans', {
    loan_id: loan.row.id,
    plan_type,
    total_amount: total,
    settlement_amount,
    start_date,
    frequency,
    number_of_payments,
    amount,
    waive_remaining,
    grace_days,
    payment_instrument_id,
    auto_collect: input.auto_collect,
    notes: input.notes,
    status,
    installments: parts.map((part) => ({ ...part, status: 'pending' })),
    created_by: work.actor.id,
  });
  if (status === 'active') await startPlan(work, id, input, parts);
  return id;
}

/**
 * The plan's total when it names no amounts. A catch-up plan covers the past due amount and the fees due.
 */
function planTotal(
  { plan_type, total_amount, settlement_amount }: NewPaymentPlan,
  { bill }: OpenLoan['state'],
): Big | null {
  if (settlement_amount) return parseMoney(settlement_amount);
  if (total_amount) return parseMoney(total_amount);
  return plan_type === 'catch_up' ? parseMoney(bill.past_due.amount).plus(bill.fees_due) : null;
}

function assertTotals(input: NewPaymentPlan, total: string) {
  const { plan_type, settlement_amount, total_amount } = input;
  if (plan_type === 'settlement' && !settlement_amount)
    throw new Invalid({ settlement_amount: 'Is required for a settlement.' });
  if (plan_type !== 'settlement' && (settlement_amount || input.waive_remaining))
    throw new Invalid({ plan_type: 'Only a settlement can waive the remaining balance.' });
  if (total_amount && total_amount !== total)
    throw new Invalid({ total_amount: `The installments add up to ${total}.` });
  if (settlement_amount && settlement_amount !== total)
    throw new Invalid({ settlement_amount: `The installments add up to ${total}.` });
}

/** A plan with automatic collection schedules bank payments, so it needs an account. */
function assertCollectable(plan: Pick<NewPaymentPlan, 'auto_collect' | 'payment_instrument_id'>) {
  if (!plan.auto_collect || plan.payment_instrument_id) return;
  const message = 'Is required for a plan with automatic collection.';
  throw new Invalid({ payment_instrument_id: message });
}

async function assertNoActivePlan(work: Work, loanId: string) {
  if ((await plans.lockActivePlan(work.tx, loanId)) === null) return;
  throw activePlanExists();
}

/** Also updates the outlook, because no late fee is charged while a plan is in force. */
async function startPlan(
  work: Work,
  planId: string,
  input: Pick<NewPaymentPlan, 'loan_id' | 'payment_instrument_id' | 'auto_collect'>,
  parts: readonly PlanInstallment[],
) {
  if (input.auto_collect) await schedulePayments(work, planId, input, parts);
  else await updateAgreed(work, input.loan_id);
}

/** Schedules the payments of a plan with automatic collection. Payments due today start immediately. */
async function schedulePayments(
  work: Work,
  planId: string,
  { loan_id, payment_instrument_id }: Pick<NewPaymentPlan, 'loan_id' | 'payment_instrument_id'>,
  parts: readonly PlanInstallment[],
) {
  const payments = parts.map(({ due_date: payment_date, amount }) => ({
    ...NewPayment.parse({ amount, payment_instrument_id }),
    payment_date,
    payment_plan_id: planId,
  }));
  await receivePlanPayments(work, loan_id, payments);
}

const kind = {
  table: 'payment_plans',
  noun: 'payment plan',
  cancelable: ['proposed', 'active'],
  async cancel(work: Work, loanId: string, id: string) {
    await plans.cancelScheduledPayments(work.tx, id);
    await updateAgreed(work, loanId);
  },
} as const;

/**
 * Activates a proposed plan when the change sets its status to active. Other changes follow the rules for
 * all workout records.
 */
export async function changePaymentPlan(work: Work, id: string, changes: Values, row: Row) {
  if (changes['status'] !== 'active' || row['status'] !== 'proposed')
    return recordChanger(kind)(work, id, changes, row);
  const plan = await lockLoanAndRecord(work, kind.table, row);
  if (plan.status !== 'proposed') return recordChanger(kind)(work, id, changes, row);
  await assertNoActivePlan(work, plan.loan_id);
  assertCollectable(row as Row & NewPaymentPlan);
  const { status: _, ...described } = changes;
  await update(work.tx, 'payment_plans', id, described);
  await plans.activatePlan(work.tx, id);
  const { installments, auto_collect, payment_instrument_id } = row as Row & NewPaymentPlan;
  const order = { loan_id: plan.loan_id, payment_instrument_id, auto_collect };
  await startPlan(work, id, order, installments);
}

export const cancelPaymentPlan = recordCanceler(kind);

/** Evaluates the loan's active payment plan at close of business, when the day's payments are recorded. */
export async function evaluatePaymentPlan(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const plan = await plans.lockActivePlan(work.tx, loanId);
  if (plan === null) return;
  const receipts = listReceipts(loan.events, eventsInForce(loan.events, work.today));
  const progress = evaluatePlanProgress(plan, receipts, endOfDayCutoff(work.today));
  await plans.saveProgress(work.tx, plan.id, progress);
  if (progress.status === 'broken') await plans.cancelScheduledPayments(work.tx, plan.id);
  const isSettled =
    progress.status === 'completed' &&
    isSettlement(plan) &&
    ['active', 'charged_off'].includes(loan.row.status);
  if (isSettled)
    await completeSettlement(work, loan, planCoveredDate(plan, receipts) ?? work.today);
  else if (progress.status !== 'active') await updateAgreed(work, loanId);
}

export const activePlanExists = () =>
  new Conflict('The loan already has an active payment plan. Cancel it first.', 'already_exists');
