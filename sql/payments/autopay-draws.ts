import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const autopayDraws = table({
  name: 'autopay_draws',
  rows: sql.fragment`
    select record.id, record.autopay_plan_id, record.loan_id, record.due_date, record.run_date,
           record.amount, record.payment_id, record.status, record.reason, record.attempts,
           record.retry_on, record.created_at, record.updated_at
    from autopay_draws as record
  `,
});

type NewDraw = {
  autopay_plan_id: string;
  loan_id: string;
  due_date: string;
  run_date: string;
  amount: string;
  status: string;
  reason: string | null;
};

/** Claims the due date for this plan. Returns null if another process has claimed it. */
export const claimDueDate = (tx: Transaction, draw: NewDraw) =>
  tx.maybeOneFirst(sql.typeAlias('id')`
    insert into autopay_draws (
      autopay_plan_id, loan_id, due_date, run_date, amount, status, reason, attempts
    )
    values (
      ${draw.autopay_plan_id}, ${draw.loan_id}, ${draw.due_date}, ${draw.run_date},
      ${draw.amount}::numeric, ${draw.status}, ${draw.reason},
      case when ${draw.status} = 'skipped' then 0 else 1 end
    )
    on conflict (tenant_id, autopay_plan_id, due_date) do nothing
    returning id
  `);

const Draw = z.object({
  id: z.string(),
  autopay_plan_id: z.string(),
  due_date: z.string(),
  amount: z.string(),
  attempts: z.int(),
});
export type Draw = z.output<typeof Draw>;

const DRAW = sql.fragment`id, autopay_plan_id, due_date, amount, attempts`;

export const lockDrawsToRetry = (tx: Transaction, planId: string, day: string) =>
  tx.any(sql.type(Draw)`
    select ${DRAW} from autopay_draws
    where autopay_plan_id = ${planId} and status = 'retrying' and retry_on <= ${day}
    order by due_date for update
  `);

export const lockDrawOfPayment = (tx: Transaction, paymentId: string) =>
  tx.maybeOne(sql.type(Draw)`
    select ${DRAW} from autopay_draws where payment_id = ${paymentId} for update
  `);

/** Cancels pending retries, because the plan ended or was paused. */
export const cancelRetries = (tx: Transaction, planId: string) =>
  tx.query(sql.typeAlias('void')`
    update autopay_draws set status = 'returned', retry_on = null
    where autopay_plan_id = ${planId} and status = 'retrying'
  `);

/** Whether the last draw before this due date was paid, as far as the bank has reported. */
export const wasLastDrawPaid = (tx: Transaction, planId: string, dueDate: string) =>
  tx.exists(sql.typeAlias('void')`
    select from (
      select status from autopay_draws
      where autopay_plan_id = ${planId} and due_date < ${dueDate} and status <> 'skipped'
      order by due_date desc limit 1
    ) as last
    where last.status = 'drawn'
  `);
