import type { QuerySqlToken } from 'slonik';
import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { isInChunk, type LoanChunk } from '../loans/chunk.ts';
import { daysPastDueOn, holdsOn, joinOutlookRow } from '../loans/outlook.ts';

/** A query for loans of a chunk that need work on the chunk's day. */
export type DueQuery<Row = unknown> = (chunk: LoanChunk) => QuerySqlToken<z.ZodType<Row>>;

const First = z.object({ first: z.int() });

/** The index of the first query that finds a row; the number of queries if none does. */
export const indexOfFirstMatch = (
  tx: Transaction,
  chunk: LoanChunk,
  searches: readonly { find: DueQuery }[],
) =>
  tx.oneFirst(
    prepared(sql.type(First)`
    select case
      ${sql.join(
        searches.map(
          ({ find }, index) => sql.fragment`when exists (${find(chunk)}) then ${index}::integer`,
        ),
        sql.fragment` `,
      )}
      else ${searches.length}::integer
    end as first
  `),
  );

const Due = z.object({ id: z.string() });

export const loansWithEndingFreeze = (chunk: LoanChunk) =>
  prepared(sql.type(Due)`
    select loan.id from loans as loan
    where ${isInChunk(chunk)} and loan.is_frozen and loan.freeze_until <= ${chunk.cob_date} order by loan.id
  `);

/** Lines of credit whose billing cycle ends on or before the chunk's day. */
export const loansWithEndingCycle = (chunk: LoanChunk) =>
  prepared(sql.type(Due)`
    select loan.id from loans as loan
    where ${isInChunk(chunk)} and loan.cycle_end_date <= ${chunk.cob_date} and loan.status = 'active' order by loan.id
  `);

/**
 * Loans whose outlook ends within two weeks. The id decides the night, so that loans with the same due date are
 * not all refolded in one night.
 */
export const loansToRefold = (chunk: LoanChunk) =>
  prepared(sql.type(Due)`
    select loan.id
    from loan_outlook as ahead join loans as loan on loan.id = ahead.loan_id
    where ${isInChunk(chunk, sql.fragment`ahead.loan_id`)} and ahead.is_last
      and ahead.until_date < ${chunk.cob_date}::date + 14
      and ahead.until_date < ${chunk.cob_date}::date + 2 + get_byte(uuid_send(ahead.loan_id), 15) % 13
      and loan.status in ('active', 'charged_off')
    order by loan.id
  `);

/** Quarantined loans. Whatever failed, their interest may have been booked for changes that did not happen. */
export const loansWithMissedInterest = (chunk: LoanChunk) =>
  prepared(sql.type(Due)`
    select distinct loan.id
    from cob_loan_errors as error join loans as loan on loan.id = error.loan_id
    where ${isInChunk(chunk)} and error.resolved_at is null
    order by loan.id
  `);

const ScheduledPayment = z.object({ id: z.string(), loan_id: z.string() });

export const dueScheduledPayments = (type: 'payoff' | 'other') => (chunk: LoanChunk) =>
  prepared(sql.type(ScheduledPayment)`
    select payment.id, payment.loan_id
    from payments as payment join loans as loan on loan.id = payment.loan_id
    where payment.status = 'scheduled' and payment.payment_date <= ${chunk.cob_date} and ${isInChunk(chunk)}
      and ${type === 'payoff' ? sql.fragment`payment.payment_type = 'payoff'` : sql.fragment`payment.payment_type <> 'payoff'`}
    order by payment.loan_id, payment.payment_date, payment.id
  `);

/** Loans with a late fee that this close decides about, or that an earlier close missed. */
export const loansToAssessLateFees = (chunk: LoanChunk) =>
  prepared(sql.type(Due)`
    select loan.id
    from loan_outlook as ahead join loans as loan on loan.id = ahead.loan_id
    where ${isInChunk(chunk, sql.fragment`ahead.loan_id`)}
      and ${holdsOn(sql.fragment`${chunk.cob_date}::date`)}
      and ahead.late_fee_decision_on <= ${chunk.cob_date} and loan.status = 'active'
    order by loan.id
  `);

/**
 * Active loans that have reached the days past due at which their terms charge them off or put them on
 * non-accrual.
 */
export const loansPastDaysPastDueThreshold =
  (action: 'charge_off' | 'non_accrual') => (chunk: LoanChunk) =>
    prepared(sql.type(Due)`
    select loan.id from loans as loan
    ${joinOutlookRow(sql.fragment`${chunk.cob_date}::date`, { loan: 'loan' })}
    where ${isInChunk(chunk)} and loan.status = 'active' and loan.oldest_unpaid_due_date < ${chunk.cob_date}
      and (${action} = 'charge_off' or not loan.is_non_accrual)
      and ${daysPastDueOn(sql.fragment`${chunk.cob_date}::date`)}
        >= (loan.terms ->> (${action} || '_dpd_threshold'))::integer
    order by loan.id
  `);
