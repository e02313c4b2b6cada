import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { borrowersWithStatus, isInForce } from '../../cases/conditions.ts';
import { prepared, sql, type Transaction } from '../../database/db.ts';
import { isInformationBlocked } from './credit-blocks.ts';
import {
  CoConsumer,
  coConsumersJson,
  consumerJson,
  contactJoins,
  LegalFacts,
  legalFactsJson,
  wasReportedDeceased,
} from './consumers.ts';
import { conditionsOfLoans } from '../legal-conditions.ts';
import { chargeOffDateColumn } from '../loan-facts.ts';

/** When the delinquency began, and when the one began that is at least 30 days past due. */
const firstDelinquencies = {
  first_delinquency_date: z.string().nullable(),
  first_delinquency_30_date: z.string().nullable(),
};

const CreditFacts = z.object({
  loan_id: z.string(),
  loan_number: z.string(),
  reporting_period: z.string(),
  status: z.string(),
  loan_type: z.string(),
  portfolio_type: z.string(),
  account_type: z.string(),
  date_opened: z.string(),
  principal_amount: z.string(),
  disbursed_amount: z.string(),
  credit_limit: z.string().nullable(),
  charge_off_amount: z.string().nullable(),
  charge_off_date: z.string().nullable(),
  term_months: z.int(),
  periods: z.int().nullable(),
  payment_frequency: z.string(),
  payment_amount: z.string().nullable(),
  maturity_date: z.string().nullable(),
  last_payment_date: z.string().nullable(),
  closed_on: z.string().nullable(),
  paid_in_month: z.string(),
  total_balance: z.string(),
  charge_off_balance: z.string(),
  past_due_30_amount: z.string(),
  /** The highest principal since the last record, of a line of credit; otherwise zero. */
  highest_balance: z.string(),
  previous_highest: z.string().nullable(),
  days_past_due: z.int(),
  ...firstDelinquencies,
  /**
   * The loan on the night before it was closed, and whether its days past due were paused on the day itself. Null
   * while it is open, or if no close recorded that night.
   */
  before_close: z
    .object({
      status: z.string(),
      days_past_due: z.int(),
      is_paused: z.boolean(),
      ...firstDelinquencies,
    })
    .nullable(),
  /** How and when the lender took the collateral, if it still had it; null if not. */
  possession: z.object({ kind: z.string(), date: z.string() }).nullable(),
  /** A block of information that results from identity theft was in force that night. */
  is_information_blocked: z.boolean(),
  /** The loan came from another servicer shortly before, so a payment that makes it current may be on its way. */
  is_payment_on_its_way: z.boolean(),
  is_in_forbearance: z.boolean(),
  suspends_reporting: z.boolean(),
  is_in_disaster: z.boolean(),
  compliance_condition_code: z.string().nullable(),
  borrower_id: z.string(),
  borrower_type: z.string(),
  is_deceased: z.boolean(),
  was_reported_deceased: z.boolean(),
  /** From the borrower's cases. */
  legal: LegalFacts.nullable(),
  consumer: z.record(z.string(), z.string().nullable()),
  co_consumers: z.array(CoConsumer),
  previous_period: z.string().nullable(),
  previous_status: z.string().nullable(),
  previous_profile: z.string().nullable(),
  /** Null if the loan was not boarded, or if nothing of its past matters for this record. */
  boarded_on: z.string().nullable(),
  /** The first day whose events are known: the boarding, or the start of the history that the loan brought. */
  history_from: z.string().nullable(),
  is_boarded_charged_off: z.boolean(),
  /** The first delinquency that the previous servicer reported. */
  boarded_delinquency_date: z.string().nullable(),
  boarded_profile: z.string().nullable(),
  previous_balance: z.string().nullable(),
  previous_first_delinquency: z.string().nullable(),
  /** The loan was less than 30 days past due on a later day, so the reported delinquency has ended. */
  was_current_since: z.boolean(),
  /** The last record reported the discharge of the debt, or was not sent because an earlier one did. */
  was_reported_discharged: z.boolean(),
});
export type CreditFacts = z.output<typeof CreditFacts>;

/** The last day on which an event reduced the debt. Money that came later is in suspense. */
const closedOn = sql.fragment`(
  select max(effective_date) from loan_events
  where loan_id = loan.id and effective_date <= period.month_end and reversed_by is null
    and kind in ('payment', 'service_credit', 'suspense_application', 'write_off', 'forgiveness',
                 'fee_waiver', 'liquidation', 'servicing_transfer')
)`;

/**
 * The snapshots of a loan (alias `loan`) from one day to another. `offset 0` makes Postgres look up each day. Otherwise it
 * reads the index of all snapshots for each loan, because the snapshots of one loan are far apart.
 */
const snapshotsOf = (from: SqlFragment, to: SqlFragment) => sql.fragment`
  generate_series(${from}, ${to}, interval '1 day') as night (day)
  cross join lateral (
    select * from loan_snapshots as each
    where each.snapshot_date = night.day::date and each.loan_id = loan.id
    offset 0
  ) as earlier`;

/** The first night since the last record without an open debt. */
const firstNightClosed = sql.fragment`(
  select max(earlier.snapshot_date) + 1
  from ${snapshotsOf(
    sql.fragment`coalesce(
      previous.reporting_period, (period.month_end + 1 - interval '1 month')::date - 1
    )`,
    sql.fragment`period.month_end`,
  )}
  where earlier.status = 'active' or earlier.charge_off_balance > 0
)`;

/** Reasons that the tenant can remove. The last record of a closed account then follows in a later month. */
const REMEDIABLE = [
  'account_number_not_unique',
  'address_missing',
  'date_of_birth_missing',
  'first_delinquency_unknown',
  'name_not_printable',
];

/** The last loan id of the next slice; null at the end. */
export const lastIdOfNextSlice = (tx: Transaction, after: string, limit: number) =>
  tx.maybeOneFirst(
    prepared(sql.typeAlias('id')`
    select id from (select id from loans where id > ${after} order by id limit ${limit}) as slice
    order by id desc limit 1
  `),
  );

/**
 * Loans of a slice that need a record for a month-end and have none: loans that were open then, as the
 * close recorded them, and loans that were closed since their last record.
 */
export const listUnreported = (
  tx: Transaction,
  period: string,
  { after, last }: { after: string; last: string },
) =>
  tx.any(
    prepared(sql.type(CreditFacts)`
    select loan.id as loan_id, loan.loan_number, period.month_end as reporting_period,
           coalesce(snapshot.status, loan.status) as status, loan.loan_type,
           product.metro2_portfolio_type as portfolio_type,
           product.metro2_account_type as account_type,
           coalesce(loan.origination_date, loan.disbursement_date) as date_opened,
           loan.principal_amount, loan.disbursed_amount - later.amount as disbursed_amount,
           coalesce(snapshot.credit_limit, loan.credit_limit) as credit_limit,
           case when attributes.is_known then attributes.charge_off_amount else loan.charge_off_amount end
             as charge_off_amount,
           case when attributes.is_known then attributes.charge_off_date else ${chargeOffDateColumn('loan')} end
             as charge_off_date,
           coalesce(attributes.term_months, loan.term_months) as term_months,
           coalesce(attributes.payment_frequency, loan.payment_frequency) as payment_frequency,
           coalesce(
             asked.amount,
             case when attributes.is_known then attributes.payment_amount else loan.payment_amount end
           ) as payment_amount,
           (
             select max(period_number) from installments
             where loan_id = loan.id
               and version = coalesce(snapshot.schedule_version, loan.schedule_version)
           ) as periods,
           snapshot.maturity_date, closed.day as closed_on, before.facts as before_close, taken.possession,
           -- The loan's own date may be later than the month.
           case when snapshot.loan_id is not null then snapshot.last_payment_date
             when loan.last_payment_date > closed.day then last_paid.day
             else loan.last_payment_date end as last_payment_date,
           paid.amount as paid_in_month, coalesce(snapshot.total_balance, 0.00) as total_balance,
           coalesce(snapshot.charge_off_balance, 0.00) as charge_off_balance,
           coalesce(snapshot.past_due_30_amount, 0.00) as past_due_30_amount,
           coalesce(snapshot.days_past_due, 0) as days_past_due, snapshot.first_delinquency_date,
           snapshot.first_delinquency_30_date, used.amount as highest_balance,
           ${isInformationBlocked({
             day: sql.fragment`${period}::date`,
             labels: sql.fragment`coalesce(snapshot.labels, loan.labels)`,
           })}
             as is_information_blocked,
           coalesce(snapshot.days_past_due >= 30 and exists (
             select from servicing_transfer_loans as part
             where part.loan_id = loan.id and part.waives_late_fees
               and period.month_end between part.protected_from and part.protected_until
               and snapshot.first_delinquency_date >= part.protected_from
           ), false) as is_payment_on_its_way,
           coalesce(forbearance.is_in, false) as is_in_forbearance,
           coalesce(forbearance.suspends, false) as suspends_reporting,
           (
             coalesce(snapshot.is_in_disaster, snapshot.is_frozen and loan.freeze_reason = 'disaster', false)
             or loan.id in (
               select held.loan_id from ${conditionsOfLoans} as held
               where held.condition = 'disaster' and held.role in ('borrower', 'co_borrower')
                 and ${isInForce(sql.fragment`held`, sql.fragment`${period}::date`)}
             )
           ) as is_in_disaster,
           dispute.compliance_condition_code, loan.borrower_id, borrower.borrower_type,
           borrower.is_deceased, ${wasReportedDeceased} as was_reported_deceased,
           ${legalFactsJson} as legal, ${consumerJson} as consumer,
           ${coConsumersJson} as co_consumers,
           previous.reporting_period as previous_period, previous.account_status as previous_status,
           previous.payment_history_profile as previous_profile,
           loan.payment_history_profile as boarded_profile, boarded.day as boarded_on,
           boarded.history_from,
           coalesce(boarded.is_charged_off, false) as is_boarded_charged_off, loan.boarded_delinquency_date,
           previous.current_balance::text as previous_balance,
           previous.highest_credit::text as previous_highest,
           previous.date_first_delinquency as previous_first_delinquency,
           previous.date_first_delinquency is not null and exists (
             select from ${snapshotsOf(
               sql.fragment`previous.reporting_period + 1`,
               sql.fragment`period.month_end`,
             )}
             where earlier.status = 'active' and earlier.days_past_due < 30
           ) as was_current_since,
           coalesce(
             previous.suppression_reason = 'reported_discharged'
             or (previous.status in ('queued', 'reported') and previous.current_balance = 0
               and previous.consumer_information_indicator in ('E', 'F', 'G', 'H')),
             false
           ) as was_reported_discharged
    from loans as loan
    cross join (select ${period}::date as month_end) as period
    join lateral ${borrowersWithStatus(sql.fragment`period.month_end`)} as borrower
      on borrower.id = loan.borrower_id
    join products as product on product.id = loan.product_id
    -- Loan by loan: without statistics about a day that was just closed, Postgres expects one row
    -- and would scan all rows for each loan.
    left join lateral (
      select * from loan_snapshots as day
      where day.snapshot_date = period.month_end and day.loan_id = loan.id
      offset 0
    ) as snapshot on true
    left join lateral (
      select reporting_period, account_status, payment_history_profile, current_balance,
             date_first_delinquency, date_closed, highest_credit, suppression_reason, status,
             consumer_information_indicator
      from credit_reporting_records
      where loan_id = loan.id and reporting_period < period.month_end
      order by reporting_period desc, created_at desc limit 1
    ) as previous on true
    left join lateral (
      select least(${closedOn}, ${firstNightClosed}) as day
      where snapshot.loan_id is null or (snapshot.status = 'charged_off' and snapshot.charge_off_balance = 0)
    ) as closed on true
    left join lateral (
      -- Money that came after the closing is in suspense.
      select max(effective_date) as day from loan_events
      where loan_id = loan.id and kind = 'payment' and reversed_by is null and effective_date <= closed.day
        and loan.last_payment_date > closed.day
    ) as last_paid on true
    left join lateral (
      select jsonb_build_object(
               'status', status, 'days_past_due', days_past_due,
               'is_paused', exists (
                 select from jsonb_to_recordset(loan.delinquency_pauses) as pause ("from" date, "to" date)
                 where closed.day between pause."from" and pause."to"
               ),
               'first_delinquency_date', first_delinquency_date,
               'first_delinquency_30_date', first_delinquency_30_date
             ) as facts
      from loan_snapshots as day
      where day.snapshot_date = closed.day - 1 and day.loan_id = loan.id
      offset 0
    ) as before on true
    left join lateral (
      select true as is_known, payment_amount, charge_off_amount, charge_off_date, term_months,
             payment_frequency
      from loan_attribute_history
      where loan_id = snapshot.loan_id and from_date <= snapshot.snapshot_date
      order by from_date desc limit 1
    ) as attributes on true
    -- The next installment billed that night, regardless of payments in advance; for the
    -- last one, the remaining debt until it is due.
    left join lateral (
      select case when due_date = snapshot.maturity_date and due_date > period.month_end
               then snapshot.next_payment_amount else payment_amount end as amount
      from installments
      where loan_id = snapshot.loan_id and version = snapshot.schedule_version
        and due_date = snapshot.next_payment_date and not is_canceled
        and due_date > (period.month_end + 1 - interval '1 month')::date - 1
      order by period_number limit 1
    ) as asked on true
    left join lateral (
      select coalesce((details #>> '{takeover,on}')::date, effective_date) as day,
             effective_date as history_from, details ? 'charge_off_balance' as is_charged_off
      from loan_events
      where loan_id = loan.id and kind = 'boarding'
        and (loan.payment_history_profile is not null or snapshot.days_past_due >= 30
          or snapshot.status is distinct from 'active')
      limit 1
    ) as boarded on true
    left join lateral (
      select jsonb_build_object('kind', possession, 'date', possession_date) as possession
      from collateral_items
      where loan_id = loan.id and possession_date <= period.month_end
        and coalesce(possession_ended_on, 'infinity') > coalesce(closed.day - 1, period.month_end)
      order by possession_date desc limit 1
    ) as taken on true
    cross join lateral (
      select coalesce(max(earlier.principal_balance), 0.00) as amount
      from ${snapshotsOf(
        sql.fragment`case when loan.loan_type = 'line_of_credit' then coalesce(
          previous.reporting_period, (period.month_end + 1 - interval '1 month')::date - 1
        ) + 1 end`,
        sql.fragment`period.month_end`,
      )}
    ) as used
    left join lateral (
      select true as is_in, bool_or(suspend_credit_reporting) as suspends
      from forbearances
      where loan_id = loan.id and status in ('active', 'completed')
        and period.month_end between start_date and end_date
      having count(*) > 0
    ) as forbearance on true
    left join lateral (
      select compliance_condition_code from credit_disputes
      where loan_id = loan.id and compliance_condition_code is not null
      order by created_at desc limit 1
    ) as dispute on true
    cross join lateral (
      -- Payments received by that night and not reversed by then.
      select coalesce(sum(payment.amount), 0.00)::numeric(15, 2) as amount
      from loan_events as event join payments as payment on payment.id = event.id
      where event.loan_id = loan.id and event.kind = 'payment' and not event.is_replayed
        and event.recorded_on <= period.month_end and event.effective_date <= period.month_end
        and event.effective_date > (period.month_end + 1 - interval '1 month')::date - 1
        and not exists (
          select from loan_events as reversal
          where reversal.id = event.reversed_by and reversal.recorded_on <= period.month_end
        )
    ) as paid
    cross join lateral (
      select coalesce(sum(amount), 0.00)::numeric(15, 2) as amount
      from (
        select amount, disbursement_date as date, status from disbursements where loan_id = loan.id
        union all
        select amount, draw_date, status from draws where loan_id = loan.id
      ) as paid_out
      where date > period.month_end and status = 'completed'
    ) as later
    ${contactJoins}
    where loan.id > ${after} and loan.id <= ${last} and loan.disbursed_amount > 0
      and coalesce(loan.origination_date, loan.disbursement_date) <= period.month_end
      and coalesce(previous.account_status, '') not in ('DA', 'DF')
      and case
        when snapshot.status = 'active' or snapshot.charge_off_balance > 0 then true
        -- An account reported as closed is reported again if it was reopened, or if its last record was not sent.
        else closed.day is not null
          and (snapshot.status = 'charged_off' or loan.status in ('paid_off', 'settled', 'transferred'))
          and (
            previous.date_closed is null or previous.current_balance > 0
            or previous.suppression_reason = any(${sql.array(REMEDIABLE, 'text')})
          )
      end
      and not exists (
        select from credit_reporting_records as record
        where record.loan_id = loan.id and record.reporting_period = period.month_end
          and record.correction_indicator = 0
      )
    order by loan.id
  `),
  );
