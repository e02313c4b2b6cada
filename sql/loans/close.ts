import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';
import { loans } from './loans.ts';

/** A day is planned, and its end booked, while nobody changes a loan of the tenant. */
export const alone = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    select pg_advisory_xact_lock(hashtextextended('close ' || app.current_tenant(), 0))
  `);

const Run = z.object({
  id: z.string(),
  cob_date: z.string(),
  through_date: z.string(),
  status: z.string(),
  chunks_total: z.int(),
});
export type Run = z.output<typeof Run>;

const RUN = sql.fragment`id, cob_date, through_date, status, chunks_total`;

export const runOf = (tx: Transaction, day: string) =>
  tx.maybeOne(sql.type(Run)`select ${RUN} from cob_runs where cob_date = ${day}`);

export const run = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Run)`select ${RUN} from cob_runs where id = ${id}`);

/** A running close that is asked to go further does so after its day. */
export const extend = (tx: Transaction, id: string, through: string) =>
  tx.query(sql.typeAlias('void')`
    update cob_runs set through_date = greatest(through_date, ${through}::date) where id = ${id}
  `);

/**
 * Writes a run over the day with its chunks: ranges of loan ids, the last one open-ended so that a
 * loan which is funded meanwhile belongs to it.
 */
export async function plan(
  tx: Transaction,
  day: string,
  through: string,
  chunkSize: number,
): Promise<Run> {
  return tx.one(sql.type(Run)`
    with bounds as (
      select id from (
        select id, row_number() over (order by id) as position
        from loans where status in ('active', 'charged_off')
      ) as numbered
      where (position - 1) % ${chunkSize}::integer = 0 and position > 1
    ), edges as (
      select '00000000-0000-0000-0000-000000000000'::uuid as first_loan_id
      union all select id from bounds
    ), ranges as (
      select row_number() over (order by first_loan_id)::integer as chunk, first_loan_id,
             lead(first_loan_id) over (order by first_loan_id) as before_loan_id
      from edges
    ), run as (
      insert into cob_runs (cob_date, through_date, chunks_total)
      select ${day}, ${through}, count(*) from ranges
      returning *
    ), chunks as (
      insert into cob_chunks (run_id, chunk, cob_date, first_loan_id, before_loan_id)
      select run.id, ranges.chunk, run.cob_date, ranges.first_loan_id, ranges.before_loan_id
      from run cross join ranges
    )
    select ${RUN} from run
  `);
}

const Chunk = z.object({
  first_loan_id: z.string(),
  before_loan_id: z.string().nullable(),
  cob_date: z.string(),
  is_accrued: z.boolean(),
  done_at: z.string().nullable(),
});
export type Chunk = z.output<typeof Chunk>;

/** The chunk; locked, no writer of one of its loans passes until this transaction has ended. */
export const chunk = (tx: Transaction, runId: string, number: number, isLocked: boolean) =>
  tx.maybeOne(sql.type(Chunk)`
    select first_loan_id, before_loan_id, cob_date, is_accrued, done_at
    from cob_chunks where run_id = ${runId} and chunk = ${number}
    ${isLocked ? sql.fragment`for update` : sql.fragment``}
  `);

/** The condition that `loan` belongs to the chunk. */
export const inChunk = ({ first_loan_id, before_loan_id }: Chunk) => sql.fragment`
  loan.id >= ${first_loan_id} and (${before_loan_id}::uuid is null or loan.id < ${before_loan_id}::uuid)
`;

const Accrued = z.object({ loans: z.int(), interest: z.string() });

/**
 * The day's cents of every loan of the chunk: the rounded interest to its end less the rounded interest
 * to its start, so that the rows of a loan always add up to the rounded whole.
 */
export async function accrue(tx: Transaction, chunk: Chunk, day: string, entryId: string) {
  await tx.query(sql.typeAlias('void')`select app.ensure_accrual_month(${day})`);
  return tx.one(sql.type(Accrued)`
    with earned as (
      select loan.id as loan_id,
             round(app.accrued(loan, ${day}::date + 1), 2) - round(app.accrued(loan, ${day}::date), 2) as amount
      from loans as loan
      where ${inChunk(chunk)} and loan.status = 'active' and loan.is_accruing
    ), written as (
      insert into interest_accruals (accrual_date, loan_id, amount, entry_id)
      select ${day}::date, loan_id, amount, ${entryId} from earned where amount <> 0
      returning amount
    )
    select count(*)::integer as loans, coalesce(sum(amount), 0)::numeric(15, 2) as interest from written
  `);
}

export const markAccrued = (
  tx: Transaction,
  runId: string,
  number: number,
  of: z.output<typeof Accrued>,
) =>
  tx.query(sql.typeAlias('void')`
    update cob_chunks set is_accrued = true, loans = ${of.loans}, interest = ${of.interest}::numeric
    where run_id = ${runId} and chunk = ${number}
  `);

const Aged = z.object({
  loan_id: z.string(),
  old_bucket: z.string(),
  new_bucket: z.string(),
  days_past_due: z.int(),
  past_due_amount: z.string(),
});

/** Moves the loans of the chunk whose bucket will be another on that morning, and names them. */
export const age = (tx: Transaction, chunk: Chunk, morning: string) =>
  tx.any(sql.type(Aged)`
    with aged as (
      select loan.id, loan.delinquency_bucket as old_bucket, late.days,
             app.bucket(late.days) as new_bucket, since.date as since,
             loan.principal_balance + app.interest_owed(loan, ${morning}::date) + loan.outstanding_fees as total,
             loan.maturity_date < ${morning}::date as is_matured
      from loans as loan
      cross join lateral (select app.unpaid_since(loan, ${morning}::date)) as since (date)
      cross join lateral (
        select app.days_past_due(since.date, ${morning}::date, loan.delinquency_pauses)
      ) as late (days)
      where ${inChunk(chunk)} and loan.status = 'active'
        and app.bucket(late.days) <> loan.delinquency_bucket
    ), moved as (
      update loans as loan
      set delinquency_bucket = aged.new_bucket,
          first_delinquency_date = case
            when aged.new_bucket = 'current' then null
            else coalesce(loan.first_delinquency_date, aged.since)
          end
      from aged where loan.id = aged.id
    )
    select aged.id as loan_id, aged.old_bucket, aged.new_bucket, aged.days as days_past_due,
           case
             when aged.days = 0 then 0.00
             when aged.is_matured then aged.total
             else least(aged.total, coalesce((
               select sum(installment.payment_amount - installment.paid_amount)
               from installments as installment
               join loans as loan on loan.id = installment.loan_id
               where installment.loan_id = aged.id and installment.version = loan.schedule_version
                 and installment.due_date < ${morning}::date and not installment.is_canceled
             ), 0.00))
           end as past_due_amount
    from aged order by aged.id
  `);

/**
 * One row per open loan: what the API answers for the day, at its end, with the interest of the day
 * itself already in. A repeat writes nothing.
 */
export async function snapshot(tx: Transaction, chunk: Chunk, day: string) {
  await tx.query(sql.typeAlias('void')`
    insert into loan_snapshots (
      snapshot_date, loan_id, status, sub_status, principal_balance, accrued_interest,
      outstanding_fees, total_balance, suspense_balance, payoff_amount, per_diem,
      interest_accrued_today, past_due_amount, days_past_due, delinquency_bucket,
      first_delinquency_date, next_payment_date, next_payment_amount, last_payment_date,
      last_payment_amount, total_paid_principal, total_paid_interest, total_paid_fees,
      interest_rate, remaining_term, maturity_date, is_frozen, is_accelerated, is_non_accrual,
      charge_off_balance, portfolio_id, loan_officer_id, labels
    )
    select ${day}::date, row.id, row.status, row.sub_status, row.principal_balance, ended.interest,
           row.outstanding_fees, row.principal_balance + ended.interest + row.outstanding_fees,
           row.suspense_balance,
           greatest(row.principal_balance + ended.interest + row.outstanding_fees - row.suspense_balance, 0),
           ended.accrued, ended.accrued, row.past_due_amount, row.days_past_due,
           row.delinquency_bucket, row.first_delinquency_date, row.next_payment_date,
           row.next_payment_amount, row.last_payment_date, row.last_payment_amount,
           row.paid_principal, row.paid_interest, row.paid_fees, row.current_rate::numeric,
           row.remaining_term, row.maturity_date, row.is_frozen, row.is_accelerated,
           row.is_non_accrual, row.charge_off_balance, row.portfolio_id, row.loan_officer_id,
           row.labels
    from (${loans.rows}) as row
    join loans as loan on loan.id = row.id
    cross join lateral (
      select app.interest_owed(loan, ${day}::date + 1) as interest,
             round(app.accrued(loan, ${day}::date + 1), 2) - round(app.accrued(loan, ${day}::date), 2) as accrued
    ) as ended
    where ${inChunk(chunk)} and row.status in ('active', 'charged_off')
    on conflict do nothing
  `);
}

export const markDone = (tx: Transaction, runId: string, number: number) =>
  tx.query(sql.typeAlias('void')`
    update cob_chunks set done_at = now() where run_id = ${runId} and chunk = ${number} and done_at is null
  `);

/** How many chunks of the run are still at work. */
export const chunksLeft = (tx: Transaction, runId: string) =>
  tx.oneFirst(sql.type(z.object({ left: z.int() }))`
    select count(*)::integer as left from cob_chunks where run_id = ${runId} and done_at is null
  `);

/** Closes the books of the run: what its chunks came to, and how many loans were set aside. */
export const finish = (tx: Transaction, runId: string) =>
  tx.query(sql.typeAlias('void')`
    update cob_runs
    set status = 'finished', finished_at = now(), chunks_done = chunks_total,
        loans = totals.loans, interest = totals.interest,
        parked = (select count(*) from cob_loan_errors where run_id = ${runId} and resolved_at is null)
    from (
      select coalesce(sum(loans), 0)::integer as loans, coalesce(sum(interest), 0) as interest
      from cob_chunks where run_id = ${runId}
    ) as totals
    where id = ${runId}
  `);

/** A loan whose own step failed is set aside with the reason; the day goes on. */
export const park = (tx: Transaction, runId: string, loanId: string, step: string, error: string) =>
  tx.query(sql.typeAlias('void')`
    insert into cob_loan_errors (run_id, loan_id, step, error)
    values (${runId}, ${loanId}, ${step}, ${error.slice(0, 2000)})
  `);

const Due = z.object({ id: z.string() });

/** Loans of the chunk whose interest takes another pace by then, to be folded again. */
export const toFold = (tx: Transaction, chunk: Chunk, day: string) =>
  tx.any(sql.type(Due)`
    select loan.id from loans as loan
    where ${inChunk(chunk)} and loan.linear_until <= ${day} and loan.status = 'active' order by loan.id
  `);

const ScheduledPayment = z.object({ id: z.string(), loan_id: z.string() });

/** Payments whose day has come. */
export const scheduledPayments = (tx: Transaction, chunk: Chunk, day: string) =>
  tx.any(sql.type(ScheduledPayment)`
    select payment.id, payment.loan_id
    from payments as payment join loans as loan on loan.id = payment.loan_id
    where payment.status = 'scheduled' and payment.payment_date <= ${day} and ${inChunk(chunk)}
    order by payment.loan_id, payment.payment_date, payment.id
  `);

const LateInstallment = z.object({ loan_id: z.string() });

/** Loans with an instalment past its grace on that day and no late fee for it yet. */
export const lateLoans = (tx: Transaction, chunk: Chunk, day: string) =>
  tx.any(sql.type(LateInstallment)`
    select distinct loan.id as loan_id
    from loans as loan
    join installments as installment
      on installment.loan_id = loan.id and installment.version = loan.schedule_version
    where ${inChunk(chunk)} and loan.status = 'active' and not loan.is_frozen
      and loan.terms @? '$.fee_rules[*] ? (@.trigger == "past_due")'
      and installment.due_date + (loan.terms ->> 'late_fee_grace_days')::integer < ${day}::date
      and installment.payment_amount - installment.paid_amount > loan.satisfied_tolerance
      and not installment.is_canceled
      and not exists (
        select from fees as fee
        where fee.loan_id = loan.id and fee.installment_number = installment.period_number
          and fee.fee_type = 'late' and fee.status <> 'reversed'
      )
    order by loan.id
  `);

const RunRow = z.object({
  id: z.string(),
  cob_date: z.string(),
  through_date: z.string(),
  status: z.string(),
  chunks_total: z.int(),
  chunks_done: z.int(),
  loans: z.int(),
  interest: z.string(),
  parked: z.int(),
  started_at: z.string(),
  finished_at: z.string().nullable(),
});

/** The latest runs, newest day first. */
export const runs = (tx: Transaction, limit: number) =>
  tx.any(sql.type(RunRow)`
    select id, cob_date, through_date, status, chunks_total, chunks_done, loans, interest, parked,
           started_at, finished_at
    from cob_runs order by cob_date desc limit ${limit}
  `);

/** The business date as it is now, which an earlier statement of the transaction may not have seen. */
export const today = (tx: Transaction) =>
  tx.oneFirst(sql.type(z.object({ today: z.string() }))`select app.business_date() as today`);
