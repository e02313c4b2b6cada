import { z } from 'zod';
import { canDrawNext } from '../borrowers/payment-instruments.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';
import { deferred, prepared, sql, type Transaction } from '../database/db.ts';
import { isInChunk, type LoanChunk } from '../loans/chunk.ts';
import { AutopayPlan, autopayPlanColumns } from '../loans/open-autopay-plan.ts';
import { table } from '../table.ts';
import { setClause } from '../write.ts';

/** A missed draw is not announced again, and a blocked account is not drawn on. */
const isAnnounced = sql.fragment`
  record.next_draw_date >= app.business_date() and ${canDrawNext(sql.fragment`record`)}
`;

export const autopayPlans = table({
  name: 'autopay_plans',
  owner: 'loans',
  rows: sql.fragment`
    select record.id, record.borrower_id, record.loan_id, record.payment_instrument_id,
           record.backup_payment_instrument_id, record.amount_type, record.fixed_amount,
           record.extra_amount, record.extra_toward, record.frequency, record.days_before_due,
           record.day_of_month, record.start_date, record.end_date, record.next_due_date,
           record.next_run_date,
           case when ${isAnnounced} then record.next_draw_date end as next_draw_date,
           case when ${isAnnounced} then record.next_draw_amount end as next_draw_amount,
           record.status, record.is_enabled, record.retry_count,
           record.retry_interval_days, record.consecutive_failures, record.canceled_at,
           record.cancel_reason, record.consent_id, record.last_payment_id, record.created_at,
           record.updated_at
    from autopay_plans as record
  `,
});

/** Locks the plan. The caller has locked its loan. */
export const lockAutopayPlan = batchByTransaction(async (tx, ids: readonly string[]) => {
  const found = await tx.any(
    prepared(sql.type(AutopayPlan)`
    select ${autopayPlanColumns} from autopay_plans as plan
    where plan.id = any(${sql.array([...ids], 'uuid')}) order by plan.id for update
  `),
  );
  const plans = new Map(found.map((plan) => [plan.id, plan]));
  return ids.map((id) => plans.get(id) ?? null);
});

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
        next_due_date = null, next_run_date = null, next_draw_date = null, next_draw_amount = null
    where id = ${id}
  `);

type NextDates = Pick<
  AutopayPlan,
  'next_due_date' | 'next_run_date' | 'next_draw_date' | 'next_draw_amount'
>;

/** Saves the next dates of a plan, unless it has ended. */
export const saveNextDates = (tx: Transaction, id: string, next: NextDates & { status?: string }) =>
  tx.query(
    deferred(sql.typeAlias('void')`
      update autopay_plans set ${setClause(next)} where id = ${id} and status in ('active', 'paused')
    `),
  );

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

/** Autopay plans of the chunk that have work on the day: a due date, a retry, or their end. */
export const duePlans = (chunk: LoanChunk) =>
  prepared(sql.type(Due)`
    select plan.id, plan.loan_id
    from autopay_plans as plan
    join loans as loan on loan.id = plan.loan_id
    where ${isInChunk(chunk)} and loan.status = 'active' and plan.status = 'active' and plan.is_enabled
      and (
        plan.next_run_date <= ${chunk.cob_date}
        or plan.end_date < ${chunk.cob_date}
        or exists (
          select from autopay_draws as draw
          where draw.autopay_plan_id = plan.id and draw.status = 'retrying' and draw.retry_on <= ${chunk.cob_date}
        )
      )
    order by plan.loan_id, plan.id
  `);
