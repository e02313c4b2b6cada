import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { isInChunk, type LoanChunk } from '../loans/chunk.ts';
import { table } from '../table.ts';
import { joinOutlookRow } from '../loans/outlook.ts';

export const autopayPlans = table({
  name: 'autopay_plans',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.borrower_id, record.loan_id, record.payment_instrument_id,
           record.backup_payment_instrument_id, record.amount_type, record.fixed_amount,
           record.extra_amount, record.extra_toward, record.frequency, record.days_before_due,
           record.day_of_month, record.start_date, record.end_date, record.next_due_date,
           record.next_run_date, record.status, record.is_enabled, record.retry_count,
           record.retry_interval_days, record.consecutive_failures, record.canceled_at,
           record.cancel_reason, record.consent_id, record.last_payment_id, record.created_at,
           record.updated_at
    from autopay_plans as record
  `,
});

const AutopayPlan = z.object({
  id: z.string(),
  borrower_id: z.string(),
  loan_id: z.string(),
  payment_instrument_id: z.string(),
  backup_payment_instrument_id: z.string().nullable(),
  amount_type: z.string(),
  fixed_amount: z.string().nullable(),
  extra_amount: z.string().nullable(),
  extra_toward: z.string(),
  frequency: z.string(),
  days_before_due: z.int(),
  day_of_month: z.int().nullable(),
  start_date: z.string(),
  end_date: z.string().nullable(),
  drawn_through: z.string(),
  status: z.string(),
  is_enabled: z.boolean(),
  retry_count: z.int(),
  retry_interval_days: z.int(),
  consecutive_failures: z.int(),
  cancel_reason: z.string().nullable(),
});
export type AutopayPlan = z.output<typeof AutopayPlan>;

/** Locks the plan. The caller has locked its loan. */
export const lockAutopayPlan = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(AutopayPlan)`
    select id, borrower_id, loan_id, payment_instrument_id, backup_payment_instrument_id,
           amount_type, fixed_amount, extra_amount, extra_toward, frequency, days_before_due,
           day_of_month, start_date, end_date, drawn_through, status, is_enabled, retry_count,
           retry_interval_days, consecutive_failures, cancel_reason
    from autopay_plans where id = ${id} for update
  `);

export const findLoanOfAutopayPlan = (tx: Transaction, id: string) =>
  tx.maybeOneFirst(
    sql.type(z.object({ loan_id: z.string() }))`select loan_id from autopay_plans where id = ${id}`,
  );

export const hasOpenPlan = (tx: Transaction, loanId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from autopay_plans where loan_id = ${loanId} and status in ('active', 'paused')
  `);

/** Whether an autopay plan of the loan ended only because the loan was closed. */
export const hasEndedWithLoan = (tx: Transaction, loanId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from autopay_plans
    where loan_id = ${loanId} and status = 'canceled' and cancel_reason = 'loan_closed'
  `);

/** The loan's active or paused autopay plan. A loan has at most one. */
export const findOpenPlanId = (tx: Transaction, loanId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select id from autopay_plans where loan_id = ${loanId} and status in ('active', 'paused')
  `);

export const markAutopayPlanCanceled = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update autopay_plans
    set status = 'canceled', canceled_at = now(), cancel_reason = ${reason},
        next_due_date = null, next_run_date = null
    where id = ${id}
  `);

/**
 * Reopens a plan that ended with its loan. Used when the loan reopens because the plan's own last draw was
 * returned.
 */
export const reopenAutopayPlan = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update autopay_plans set status = 'active', canceled_at = null, cancel_reason = null
    where id = ${id}
  `);

const Consent = z.object({ id: z.string(), borrower_id: z.string() });

/** The consents in force behind the open autopay plans that draw on an account. */
export const consentsForInstrument = (tx: Transaction, instrumentId: string) =>
  tx.any(sql.type(Consent)`
    select distinct consent.id, consent.borrower_id
    from autopay_plans as plan join borrower_consents as consent on consent.id = plan.consent_id
    where ${instrumentId} in (plan.payment_instrument_id, plan.backup_payment_instrument_id)
      and plan.status in ('active', 'paused') and consent.revoked_at is null
    order by consent.id
  `);

export const isConsentRevoked = (tx: Transaction, id: string) =>
  tx.exists(sql.typeAlias('void')`
    select from autopay_plans as plan
    join borrower_consents as consent on consent.id = plan.consent_id
    where plan.id = ${id} and consent.revoked_at is not null
  `);

const Due = z.object({ id: z.string(), loan_id: z.string() });

/**
 * Autopay plans of the chunk that have work on the day: a draw, a retry, or a next draw date that changed
 * because the loan's due dates moved.
 */
export const duePlans = (chunk: LoanChunk) =>
  prepared(sql.type(Due)`
    select plan.id, plan.loan_id
    from autopay_plans as plan
    join loans as loan on loan.id = plan.loan_id
    cross join lateral (
      select min(installment.due_date) as due_date
      from installments as installment
      where installment.loan_id = loan.id and installment.version = loan.schedule_version
        and not installment.is_canceled and installment.due_date > plan.drawn_through
        and installment.due_date >= plan.start_date
    ) as next
    ${joinOutlookRow(sql.fragment`${chunk.cob_date}::date`, { loan: 'loan' })}
    where ${isInChunk(chunk)} and loan.status = 'active' and plan.status = 'active' and plan.is_enabled
      and (
        plan.next_run_date <= ${chunk.cob_date}
        or (plan.frequency = 'on_due_date' and next.due_date <> coalesce(plan.next_due_date, '-infinity'))
        -- All installments were drawn, but something is owed again after a returned payment or a late fee entry.
        or (plan.frequency = 'on_due_date' and next.due_date is null and plan.next_due_date is null
          and not loan.is_accelerated and ahead.oldest_unpaid_due_date is not null)
        or exists (
          select from autopay_draws as draw
          where draw.autopay_plan_id = plan.id and draw.status = 'retrying' and draw.retry_on <= ${chunk.cob_date}
        )
      )
    order by plan.loan_id, plan.id
  `);
