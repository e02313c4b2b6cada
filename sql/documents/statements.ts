import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { addresseeOf, estateOf } from '../communications/estates.ts';
import { addressLines, selectAsText } from '../communications/recipients.ts';
import { isInChunk, type LoanIdRange } from '../loans/chunk.ts';
import { loans } from '../loans/loans.ts';
import { loansWithEndedRelief } from '../loans/workouts/reliefs.ts';
import { endedCycle, lineFigures } from './statement-cycle.ts';
import { activityFigures } from './statement-activity.ts';
import { joinActivityTotals } from './statement-totals.ts';
import { isAddresseeDebtor, legalFigures, planFigures } from './statement-bankruptcy.ts';
import { dueFigures } from './statement-due.ts';
import {
  recipientFigures,
  loanFigures,
  summaryFigures,
  yearToDateFigures,
} from './statement-figures.ts';
import { statementWording } from './wordings.ts';
import { joinOutlook } from '../loans/outlook.ts';

/** Loans billed per statement of SQL, so that none exceeds its time limit. */
const SLICE = 2_000;
const NIL_ID = '00000000-0000-0000-0000-000000000000';

/** The sender of the statements, and the loan's values that messages about them may contain. */
type Sender = {
  letter: object;
  loan_values: readonly string[];
  /** The language in which a statement is printed for a borrower with this preference. */
  languageFor: (preference: string) => string;
};

/**
 * The loans that a morning bills. On the first of a month: loans not billed by cycle, for the previous
 * month. On any day: lines of credit whose cycle ended the day before. A loan whose relief ended that
 * morning is billed in the transaction that ends the relief, before any other event.
 */
const BILLED_LOANS = {
  month: sql.fragment`not loan.is_billed_by_cycle`,
  month_after_relief: sql.fragment`not loan.is_billed_by_cycle`,
  cycle: sql.fragment`loan.cycle_start_date = app.business_date()`,
};
type BilledLoans = keyof typeof BILLED_LOANS;

/** A condition that limits the loans to bill, by their id. */
type LoanFilter = (id: SqlFragment) => SqlFragment;
const LOAN = sql.fragment`loan.id`;
const LOAN_ROW = sql.fragment`loan`;

/**
 * Stores the statement figures of active loans for the month, optionally limited to some loans. A repeated
 * call changes nothing. Each slice runs in `step`, which may open a transaction for it.
 */
export async function billStatements(
  step: <Result>(steps: (tx: Transaction) => Promise<Result>) => Promise<Result>,
  month: string,
  sender: Sender,
  whom: BilledLoans,
  among: LoanFilter = () => sql.fragment`true`,
) {
  for (let after: string | null = NIL_ID; after !== null;) {
    const since: string = after;
    after = await step(async (tx) => {
      const slice = await tx.maybeOne(nextSlice(since, whom, among));
      if (slice === null || slice.last === null) return null;
      const languages = slice.spoken.map((wanted) => [wanted, sender.languageFor(wanted)] as const);
      const { last } = slice;
      await billSlice(
        tx,
        month,
        { ...sender, spoken: languages },
        { after: since, last, whom, among },
      );
      return last;
    });
  }
}

const Sliced = z.object({ last: z.string().nullable(), spoken: z.array(z.string()) });

const nextSlice = (after: string, whom: BilledLoans, among: LoanFilter) =>
  prepared(sql.type(Sliced)`
    select (array_agg(slice.id order by slice.id desc))[1] as last,
           coalesce(array_agg(distinct borrower.language_preference order by borrower.language_preference)
             filter (where borrower.language_preference is not null), '{}') as spoken
    from (
      select loan.id, ${addresseeOf(LOAN_ROW)} as borrower_id from loans as loan
      where ${BILLED_LOANS[whom]} and ${among(LOAN)} and loan.status = 'active' and loan.id > ${after}
      order by loan.id limit ${SLICE}
    ) as slice
    join borrowers as borrower on borrower.id = slice.borrower_id
  `);

export const loansInChunk =
  (chunk: LoanIdRange): LoanFilter =>
  (id) =>
    isInChunk(chunk, id);
export const loansWithIds =
  (ids: readonly string[]): LoanFilter =>
  (id) =>
    sql.fragment`${id} = any(${sql.array([...ids], 'uuid')})`;

type WithWording = { spoken: Parameters<typeof statementWording>[0] };
type Slice = { after: string; last: string; whom: BilledLoans; among: LoanFilter };

/**
 * Applied to the ids of both joined loan rows (see isInChunk), so that figures are computed only for billed
 * loans and a loan with bad data cannot stop another.
 */
const inSlice = ({ after, last, among }: Slice, id: SqlFragment) => sql.fragment`
  ${id} > ${after} and ${id} <= ${last} and ${among(id)}`;

/**
 * The loan has no event since the day began. Requests bill an active loan before they change it, so the
 * order in which loans are billed does not matter, and a loan that became active today is not billed. The
 * events that end reliefs when the date moves are part of the morning. A subselect, because Postgres turns
 * `exists` into a scan of all loans' events.
 */
const isUnchangedSinceClose = sql.fragment`(
  select coalesce(max(event.recorded_on), '-infinity') from loan_events as event
  where event.loan_id = loan.id and event.recorded_at is distinct from (
    select run.finished_at from cob_runs as run where run.cob_date = today.day - 1
  )
) < today.day`;

/**
 * Which of the loans get a statement. A line of credit with a zero balance gets one only if there was
 * activity (12 CFR 1026.5(b)(2)(i)).
 */
const isMonthEnded = (month: string) => sql.fragment`
  origin.opened_on < today.day and today.day = ${month}::date + interval '1 month'`;
const BILLED = {
  month: (month: string) => sql.fragment`${isMonthEnded(month)} and ${isUnchangedSinceClose}`,
  month_after_relief: isMonthEnded,
  cycle: () => sql.fragment`
    cycle.begins is not null and (
      balance.owed > 0 or row.suspense_balance > 0 or moved.previous_balance > 0
      or moved.disbursed <> 0 or moved.interest <> 0 or moved.fees <> 0 or moved.payments <> 0
    )`,
};

/**
 * Inserts one row per loan of the slice, as of the business date, with the same columns that the API
 * returns on that day.
 */
const billSlice = (tx: Transaction, month: string, sender: Sender & WithWording, slice: Slice) =>
  tx.query(
    prepared(sql.typeAlias('void')`
    insert into statements (loan_id, statement_month, statement_date, figures)
    select row.id, ${month}::date, today.day,
           jsonb_build_object(
             'period_start', period.first, 'period_end', today.day - 1,
             'summary', ${summaryFigures}, 'due', ${dueFigures}, 'loan', ${loanFigures}, 'line', ${lineFigures},
             'activity', ${activityFigures}, 'year_to_date', ${yearToDateFigures},
             'letter', ${JSON.stringify(sender.letter)}::jsonb || ${recipientFigures},
             'language', borrower.language_preference, 'wording', ${statementWording(sender.spoken)},
             'borrower', jsonb_build_object(
               'first_name', borrower.first_name, 'last_name', borrower.last_name
             ),
             'loan_then', ${selectAsText(sender.loan_values)},
             'legal', legal.conditions,
             'plan', case when legal.conditions is not null then ${planFigures} end,
             'is_addressee_debtor', legal.conditions is not null and ${isAddresseeDebtor},
             'counters', jsonb_build_object(
               'accrued', total.accrued::text, 'disbursed', total.disbursed::text,
               'fees', total.fees::text, 'paid', total.paid::text
             )
           )
    from (${loans.rows}) as row
    join loans as loan on loan.id = row.id
    join products as product on product.id = loan.product_id
    join borrowers as borrower on borrower.id = ${addresseeOf(LOAN_ROW)}
    left join lateral (${addressLines}) as address on true
    left join lateral (${estateOf(sql.fragment`borrower.id`)}) as estate on true
    -- "offset 0" keeps Postgres from computing an expression again for each use.
    cross join (select app.business_date() as day offset 0) as today
    left join lateral (select ${legalFigures} as conditions offset 0) as legal on true
    ${joinOutlook(sql.fragment`today.day`, { loan: 'loan' })}
    left join lateral ${endedCycle} as cycle on true
    ${joinActivityTotals(month)}
    where ${inSlice(slice, sql.fragment`row.id`)} and row.status = 'active'
      and ${inSlice(slice, LOAN)} and ${BILLED_LOANS[slice.whom]} and ${BILLED[slice.whom](month)}
    on conflict do nothing
  `),
  );

/** Excludes loans whose relief ended before the morning and is still in force. */
export const withoutEndedRelief =
  (morning: string): LoanFilter =>
  (id) =>
    sql.fragment`${id} not in (select loan_id from (${loansWithEndedRelief(morning)}) as ended)`;

export const endedCycles = sql.fragment`
  select from loans as loan where ${BILLED_LOANS.cycle} and status = 'active'
`;
