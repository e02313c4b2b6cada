import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { prepared, sql } from '../database/db.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';
import { EventsFromText, eventsAsText } from './events.ts';
import { rowsAsText, RowsFromText } from './installments.ts';
import { acquireLoanLocks, RawLoanRow, rawColumns } from './loans.ts';
import { AutopayPlan, openAutopayPlan } from './open-autopay-plan.ts';
import { lateFeeFacts, LateFeeFacts } from './fees/late-fee-facts.ts';
import { loansWithEndedRelief } from './workouts/reliefs.ts';
import { hasAgreedRecords } from './agreed-records.ts';

const History = RawLoanRow.extend({
  /** The current date. It may have moved since the transaction read it. */
  business_date: z.string(),
  /** The first day whose interest is not posted: today, or tomorrow if tonight's close has passed the loan. */
  posted_until: z.string(),
  /**
   * The month for which the loan is not billed yet, because the close of its last day has only just
   * finished.
   */
  unbilled_month: z.string().nullable(),
  /** Whether a relief of the loan ended with the previous day and the close has not ended it yet. */
  has_ended_relief: z.boolean(),
  /** Whether anything is agreed for a later day, for example the end of a relief. */
  has_agreed_records: z.boolean(),
  quote_id: z.string().nullable(),
  late_fee_facts: LateFeeFacts.nullable(),
  /** The active or paused autopay plan. */
  autopay_plan: AutopayPlan.nullable(),
  schedule: RowsFromText,
  events: EventsFromText,
});

/**
 * 1 if tonight's close has already posted the loan's interest for today, otherwise 0. The loan's lock also
 * keeps the chunk from changing.
 */
const POSTED_TODAY = sql.fragment`coalesce((
  select chunk.is_accrued::integer from cob_chunks as chunk
  where chunk.cob_date = day.today and chunk.first_loan_id <= loan.id
    and (chunk.before_loan_id is null or loan.id < chunk.before_loan_id)
), 0)`;
const ROW = rawColumns(sql.fragment`day.today`);

/** Locks each loan and returns it with its history. Null if there is no such loan. */
export const lockLoanHistory = batchByTransaction(async (tx, ids: readonly string[]) => {
  await acquireLoanLocks(tx, ids);
  return orderByIds(ids, await tx.any(openingHistories(ids)));
});

/** Returns each loan without a lock. Null if there is no such loan. */
export const readLoanHistory = batchByTransaction(async (tx, ids: readonly string[]) =>
  orderByIds(ids, await tx.any(readHistories(ids))),
);

const orderByIds = (ids: readonly string[], found: readonly z.output<typeof History>[]) => {
  const byId = new Map(found.map((loan) => [loan.id, loan]));
  return ids.map((id) => byId.get(id) ?? null);
};

/** The bare row, the original schedule, and the events in the order in which they became known. */
const historyOf = (ids: readonly string[], postedDays: FragmentSqlToken) =>
  prepared(sql.type(History)`
    with day as materialized (select app.business_date() as today)
    select ${ROW}, day.today as business_date, day.today + ${postedDays} as posted_until,
           (
             select chunk.unbilled_month from cob_chunks as chunk
             where chunk.cob_date = day.today - 1 and chunk.unbilled_month is not null
               and chunk.first_loan_id <= loan.id
               and (chunk.before_loan_id is null or loan.id < chunk.before_loan_id)
           ) as unbilled_month,
           exists (
             select from cob_chunks as chunk
             where chunk.cob_date = day.today - 1 and chunk.has_ended_reliefs and chunk.first_loan_id <= loan.id
               and (chunk.before_loan_id is null or loan.id < chunk.before_loan_id)
               and exists (
                 select from (${loansWithEndedRelief(sql.fragment`day.today`)}) as ended where ended.loan_id = loan.id
               )
           ) as has_ended_relief,
           ${hasAgreedRecords} as has_agreed_records,
           (
             select quote.id from payoff_quotes as quote
             where quote.loan_id = loan.id and quote.status = 'active'
               and quote.good_through_date >= day.today
           ) as quote_id,
           ${lateFeeFacts} as late_fee_facts,
           ${openAutopayPlan} as autopay_plan,
           (
             select ${rowsAsText}
             from installments as row where row.loan_id = loan.id and row.version = 1
           ) as schedule,
           (
             select ${eventsAsText} from loan_events as row where row.loan_id = loan.id
           ) as events
    from loans as loan cross join day where ${hasLoanId(ids)}
  `);

/** The statement for one loan is long and constant, so it is built once and only the id is replaced. */
function historiesOf(postedDays: FragmentSqlToken) {
  const NOBODY = '00000000-0000-0000-0000-000000000000';
  const ofOne = historyOf([NOBODY], postedDays);
  return (ids: readonly string[]) => {
    const [id = NOBODY, ...others] = ids;
    if (others.length > 0) return historyOf(ids, postedDays);
    const values = ofOne.values.map((value) => (value === NOBODY ? id : value));
    return Object.freeze({ ...ofOne, values });
  };
}

/**
 * With a list of unknown length, Postgres expects more rows and plans the statement on each call, which
 * takes longer than running it. A single id avoids that.
 */
function hasLoanId(ids: readonly string[]) {
  const [first = null, ...others] = ids;
  return others.length === 0
    ? sql.fragment`loan.id = ${first}`
    : sql.fragment`loan.id = any(${sql.array([...ids], 'uuid')})`;
}

const openingHistories = historiesOf(POSTED_TODAY);
const readHistories = historiesOf(sql.fragment`0`);
