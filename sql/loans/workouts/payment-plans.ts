import { z } from 'zod';
import { prepared, sql, type Transaction } from '../../database/db.ts';
import { table } from '../../table.ts';
import { isInChunk, type LoanChunk } from '../chunk.ts';

export const paymentPlans = table({
  name: 'payment_plans',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.loan_id, loan.borrower_id, record.plan_type, record.agreed_on, record.total_amount,
           record.installments, record.start_date, record.frequency, record.number_of_payments,
           record.amount, record.settlement_amount, record.waive_remaining, record.grace_days,
           record.payment_instrument_id, record.auto_collect, record.notes, record.status,
           record.paid_amount, record.completed_at, record.broken_at, record.created_by,
           record.created_at, record.updated_at
    from payment_plans as record left join loans as loan on loan.id = record.loan_id
  `,
});

export const loansWithActivePlan = (chunk: LoanChunk) =>
  prepared(sql.type(z.object({ id: z.string() }))`
    select distinct loan.id
    from payment_plans as plan join loans as loan on loan.id = plan.loan_id
    where plan.status = 'active' and ${isInChunk(chunk)} order by loan.id
  `);

const PaymentPlan = z.object({
  id: z.string(),
  plan_type: z.string(),
  agreed_on: z.string(),
  total_amount: z.string(),
  installments: z.array(z.object({ due_date: z.string(), amount: z.string(), status: z.string() })),
  waive_remaining: z.boolean(),
  grace_days: z.int(),
});
export type PaymentPlan = z.output<typeof PaymentPlan>;

/** The payment plan in force, locked. A loan has at most one. */
export const lockActivePlan = (tx: Transaction, loanId: string) =>
  tx.maybeOne(sql.type(PaymentPlan)`
    select id, plan_type, agreed_on, total_amount, installments, waive_remaining, grace_days
    from payment_plans where loan_id = ${loanId} and status = 'active' for update
  `);

const EndedPlan = PaymentPlan.extend({
  status: z.string(),
  paid_amount: z.string(),
  auto_collect: z.boolean(),
});
export type EndedPlan = z.output<typeof EndedPlan>;

/** Payment plans that ended because of payments, locked, newest first. */
export const lockEndedPlans = (tx: Transaction, loanId: string) =>
  tx.any(sql.type(EndedPlan)`
    select id, plan_type, agreed_on, total_amount, installments, waive_remaining, grace_days, status,
           paid_amount, auto_collect
    from payment_plans where loan_id = ${loanId} and status in ('completed', 'broken')
    order by agreed_on desc, id desc for update
  `);

type Progress = { status: string; paid_amount: string; installments: unknown };

export const saveProgress = (
  tx: Transaction,
  id: string,
  { status, paid_amount, installments }: Progress,
) =>
  tx.query(sql.typeAlias('void')`
    update payment_plans
    set status = ${status}, paid_amount = ${paid_amount}::numeric,
        installments = ${JSON.stringify(installments)}::jsonb,
        completed_at = case when ${status} = 'completed' then now() end,
        broken_at = case when ${status} = 'broken' then now() end
    where id = ${id}
  `);

/** Activates an accepted proposal. Payments from today on count. */
export const activatePlan = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update payment_plans set status = 'active', agreed_on = app.business_date() where id = ${id}
  `);

export const cancelScheduledPayments = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update payments set status = 'canceled'
    where payment_plan_id = ${id} and status = 'scheduled'
  `);
