import type { FragmentSqlToken } from 'slonik';
import { z } from 'zod';
import { prepared, sql } from '../database/db.ts';
import { batchByTransaction } from '../database/batch-by-transaction.ts';
import { EventsFromText, eventsAsText } from './events.ts';
import { rowsAsText, RowsFromText } from './installments.ts';
import { acquireLocks, RawLoanRow, rawColumns } from './loans.ts';
import { loansWithEndedRelief } from './reliefs.ts';

const History = RawLoanRow.extend({
  /** As it is now: it may have moved on since the transaction asked what day it is. */
  business_date: z.string(),
  posted_until: z.string(),
  /** The month that it is not billed for yet, since the day that ended it was only just closed. */
  unbilled_month: z.string().nullable(),
  /** Whether a relief of the loan ended with the day before and is still to be ended by the close. */
  has_ended_relief: z.boolean(),
  /** The payoff quote that holds today. */
  quote_id: z.string().nullable(),
  schedule: RowsFromText,
  events: EventsFromText,
});

/** Whether tonight's close has passed the loan. Its lock holds the chunk that says so as it is. */
const POSTED_TODAY = sql.fragment`coalesce((
  select chunk.is_accrued::integer from cob_chunks as chunk
  where chunk.cob_date = day.today and chunk.first_loan_id <= loan.id
    and (chunk.before_loan_id is null or loan.id < chunk.before_loan_id)
), 0)`;
const ROW = rawColumns(sql.fragment`day.today`);

/**
 * The loan under its lock, with the day from which its interest is not posted yet: today, or tomorrow
 * where tonight's close has passed it already. Null: there is none.
 */
export const lockAndRead = batchByTransaction(async (tx, ids: readonly string[]) => {
  await acquireLocks(tx, ids);
  return each(ids, await tx.any(opening(ids)));
});

/** The same without a lock, to look at. */
export const read = batchByTransaction(async (tx, ids: readonly string[]) =>
  each(ids, await tx.any(reading(ids))),
);

const each = (ids: readonly string[], found: readonly z.output<typeof History>[]) => {
  const byId = new Map(found.map((loan) => [loan.id, loan]));
  return ids.map((id) => byId.get(id) ?? null);
};

/** The bare row, the schedule that the loan began with, and its events in the order they became known. */
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
           (
             select quote.id from payoff_quotes as quote
             where quote.loan_id = loan.id and quote.status = 'active'
               and quote.good_through_date >= day.today
           ) as quote_id,
           (
             select ${rowsAsText}
             from installments as row where row.loan_id = loan.id and row.version = 1
           ) as schedule,
           (
             select ${eventsAsText} from loan_events as row where row.loan_id = loan.id
           ) as events
    from loans as loan cross join day where ${among(ids)}
  `);

/** The text for one loan is long and always the same: it is put together once, and given its id. */
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
 * Of several Postgres expects more than there are as long as it does not know them, and so plans the
 * statement anew each time, which takes longer than to run it. One is one.
 */
function among(ids: readonly string[]) {
  const [first = null, ...others] = ids;
  return others.length === 0
    ? sql.fragment`loan.id = ${first}`
    : sql.fragment`loan.id = any(${sql.array([...ids], 'uuid')})`;
}

const opening = historiesOf(POSTED_TODAY);
const reading = historiesOf(sql.fragment`0`);
