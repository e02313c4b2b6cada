import { z } from 'zod';
import { prepared, sql, deferred, type Transaction } from '../database/db.ts';
import { isInChunk, type LoanChunk } from '../loans/chunk.ts';
import type { LoanIdCondition } from '../loans/loan-facts.ts';
import { amountOn, daysPastDueOn, joinOutlook, requiredAmount } from '../loans/outlook.ts';
import { loansWithReliefEndingOn } from '../loans/workouts/reliefs.ts';
import {
  rewriteDailySnapshots,
  writeDailySnapshots,
  type DelinquencyCounts,
} from '../portfolios/daily-snapshots.ts';

const AccruedSum = z.object({
  interest_receivable: z.string().nullable(),
  interest_income: z.string().nullable(),
  loans: z.int(),
  interest: z.string(),
});
export type AccruedSum = z.output<typeof AccruedSum>;

/**
 * Accrues the day's interest for every loan of the chunk, in cents. Each amount is the rounded interest to
 * the day's end less the rounded interest to its start, so the rows of a loan always add up to its rounded
 * total. Returns the sums by the accounts that the loans' terms map interest to; null means the chart's
 * account. The partition of the month exists, because locking the chunk creates it.
 */
export const accrueInterest = (tx: Transaction, chunk: LoanChunk, day: string, entryId: string) =>
  tx.any(
    prepared(sql.type(AccruedSum)`
    with earned as (
      select record.id as loan_id, record.terms -> 'gl_map' as gl_map, ${requiredAmount(sql.fragment`grown.of_day`)} as amount
      from loans as record ${joinOutlook(sql.fragment`${day}::date`, {
        among: (id) => isInChunk(chunk, id),
      })}
      where ${isInChunk(chunk, sql.fragment`record.id`)} and record.status = 'active'
        -- A loan without a row for the day fails, because its interest is unknown.
        and (ahead.loan_id is null or ahead.interest_per_basis <> 0 or ahead.last_day_interest <> 0)
    ), written as (
      -- The tenant is given once, because the column's default would be evaluated for each row.
      insert into interest_accruals (tenant_id, accrual_date, loan_id, amount, entry_id)
      select (select app.current_tenant()), ${day}::date, loan_id, amount, ${entryId}
      from earned where amount <> 0
    )
    select gl_map ->> 'interest_receivable' as interest_receivable,
           gl_map ->> 'interest_income' as interest_income,
           count(*)::integer as loans, sum(amount)::numeric(15, 2) as interest
    from earned where amount <> 0 group by 1, 2 order by 1 nulls first, 2 nulls first
  `),
  );

const AgedLoan = z.object({
  loan_id: z.string(),
  old_bucket: z.string(),
  new_bucket: z.string(),
  days_past_due: z.int(),
  past_due_amount: z.string(),
});
export type AgedLoan = z.output<typeof AgedLoan>;

/** Reaching this many days past due counts once, until the loan falls below it again. */
const reachedBucket = (days: number) => sql.fragment`
  (aged.days >= ${days} and loan.delinquency_days_counted < ${days})::integer`;

/**
 * Moves the loans of the chunk whose delinquency bucket changes on that morning, and returns them. Also
 * counts how often each loan reached a bucket. A loan whose relief ends in that morning follows once the
 * relief has ended (`ageLoansById`), because its end can move due dates.
 */
export const ageLoans = (tx: Transaction, chunk: LoanChunk, morning: string) =>
  ageMatchingLoans(tx, (id) => isInChunk(chunk, id), morning);

/** The same for these loans. */
export const ageLoansById = (tx: Transaction, loans: readonly string[], morning: string) =>
  ageMatchingLoans(
    tx,
    (id) => sql.fragment`${id} = any(${sql.array([...loans], 'uuid')})`,
    morning,
  );

const ageMatchingLoans = (tx: Transaction, among: LoanIdCondition, morning: string) =>
  tx.any(
    prepared(sql.type(AgedLoan)`
    with aged as (
      select record.id, record.delinquency_bucket as old_bucket, late.days,
             ahead.delinquency_bucket as new_bucket, ahead.first_delinquency_date,
             ahead.first_delinquency_30_date,
             record.oldest_unpaid_due_date, record.delinquency_pauses,
             ${amountOn('past_due_amount')} as past_due_amount
      from loans as record ${joinOutlook(sql.fragment`${morning}::date`, { among })}
      cross join lateral (select ${daysPastDueOn(sql.fragment`${morning}::date`)} as days) as late
      where ${among(sql.fragment`record.id`)} and record.status = 'active'
        and ahead.loan_id is not null and record.id not in (${loansWithReliefEndingOn(morning)}) and (
        ahead.delinquency_bucket <> record.delinquency_bucket
        or least(late.days / 30 * 30, 90) <> record.delinquency_days_counted
        or (late.days > 0) <> (record.first_delinquency_date is not null)
      )
    ), moved as (
      update loans as loan
      set delinquency_bucket = aged.new_bucket,
          first_delinquency_date = case
            when aged.new_bucket = 'current' then null
            else coalesce(loan.first_delinquency_date, aged.first_delinquency_date)
          end,
          first_delinquency_30_date = aged.first_delinquency_30_date,
          times_delinquent_30 = loan.times_delinquent_30 + ${reachedBucket(30)},
          times_delinquent_60 = loan.times_delinquent_60 + ${reachedBucket(60)},
          times_delinquent_90 = loan.times_delinquent_90 + ${reachedBucket(90)},
          delinquency_days_counted = least(aged.days / 30 * 30, 90)
      from aged
      -- A payment that commits while this statement waits for its lock moves the loan itself.
      where loan.id = aged.id and loan.delinquency_bucket = aged.old_bucket
        and loan.delinquency_pauses = aged.delinquency_pauses
        and loan.oldest_unpaid_due_date is not distinct from aged.oldest_unpaid_due_date
      returning loan.id
    )
    select aged.id as loan_id, aged.old_bucket, aged.new_bucket, aged.days as days_past_due, aged.past_due_amount
    from aged join moved on moved.id = aged.id
    where aged.new_bucket <> aged.old_bucket order by aged.id
  `),
  );

/** Writes the day's snapshot of every open loan of the chunk. */
export const snapshotLoans = (tx: Transaction, chunk: LoanChunk, day: string, mayBeDone: boolean) =>
  writeDailySnapshots(tx, day, (id) => isInChunk(chunk, id), mayBeDone);

/**
 * Repeats the snapshot and the ageing for loans that changed after their chunk was closed. Returns the
 * loans whose bucket moved again.
 */
export async function resnapshotAndAge(
  tx: Transaction,
  loans: readonly string[],
  day: string,
  morning: string,
): Promise<readonly AgedLoan[]> {
  const before = await rewriteDailySnapshots(tx, day, loans);
  await revertDelinquencyCounts(tx, before);
  return ageLoansById(tx, loans, morning);
}

/**
 * Reverts the delinquency counts of tonight's first ageing. The second ageing counts again where still
 * true.
 */
const revertDelinquencyCounts = (tx: Transaction, before: readonly DelinquencyCounts[]) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    update loans as loan
    set times_delinquent_30 = counted.times_delinquent_30,
        times_delinquent_60 = counted.times_delinquent_60,
        times_delinquent_90 = counted.times_delinquent_90,
        delinquency_days_counted = case
          when loan.times_delinquent_30 > counted.times_delinquent_30 then 0
          when loan.times_delinquent_60 > counted.times_delinquent_60 then 30
          else 60
        end
    from jsonb_to_recordset(${JSON.stringify(before)}::jsonb) as counted (
      loan_id uuid, times_delinquent_30 integer, times_delinquent_60 integer, times_delinquent_90 integer
    )
    where loan.id = any(${sql.array(
      before.map(({ loan_id }) => loan_id),
      'uuid',
    )})
      and loan.id = counted.loan_id and loan.status = 'active' and (
      loan.times_delinquent_30 > counted.times_delinquent_30
      or loan.times_delinquent_60 > counted.times_delinquent_60
      or loan.times_delinquent_90 > counted.times_delinquent_90
    )
  `),
  );
