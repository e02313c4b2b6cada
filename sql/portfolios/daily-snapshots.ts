import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { prepared, sql, deferred, type Transaction } from '../database/db.ts';
import type { LoanIdCondition } from '../loans/loan-facts.ts';
import { loanColumnsForMany, loanSourceForMany } from '../loans/loan-view.ts';
import {
  recordAttributes,
  attributesIn,
  attributesNow,
  attributesOn,
  attributesOfLoansOn,
} from './loan-attribute-history.ts';

const TOTAL = sql.fragment`row.principal_balance + day_end.interest + row.outstanding_fees`;

/**
 * The columns of loan_snapshots, and how each is read at the end of the day: from the loan as the API shows
 * it (`row`), and with the day's own interest included (`day_end`).
 */
const SNAPSHOT_COLUMNS = {
  status: sql.fragment`row.status`,
  sub_status: sql.fragment`row.sub_status`,
  principal_balance: sql.fragment`row.principal_balance`,
  interest_free_balance: sql.fragment`row.interest_free_balance`,
  accrued_interest: sql.fragment`day_end.interest`,
  outstanding_fees: sql.fragment`row.outstanding_fees`,
  total_balance: TOTAL,
  suspense_balance: sql.fragment`row.suspense_balance`,
  payoff_amount: sql.fragment`greatest(
    ${TOTAL} + row.penalty
      + case when row.status = 'active' then row.charge_off_balance else 0 end
      - greatest(row.interest_settled - row.after, 0) - row.suspense_balance, 0
  )`,
  per_diem: sql.fragment`day_end.accrued`,
  interest_accrued_today: sql.fragment`day_end.accrued`,
  past_due_amount: sql.fragment`row.past_due_amount`,
  past_due_principal: sql.fragment`row.past_due_principal`,
  past_due_interest: sql.fragment`row.past_due_interest`,
  past_due_fees: sql.fragment`row.past_due_fees`,
  past_due_30_amount: sql.fragment`row.past_due_30_amount`,
  days_past_due: sql.fragment`row.days_past_due`,
  delinquency_bucket: sql.fragment`row.delinquency_bucket`,
  first_delinquency_date: sql.fragment`row.first_delinquency_date`,
  first_delinquency_30_date: sql.fragment`row.first_delinquency_30_date`,
  times_delinquent_30: sql.fragment`row.times_delinquent_30`,
  times_delinquent_60: sql.fragment`row.times_delinquent_60`,
  times_delinquent_90: sql.fragment`row.times_delinquent_90`,
  next_payment_date: sql.fragment`row.next_payment_date`,
  next_payment_amount: sql.fragment`row.next_payment_amount`,
  last_payment_date: sql.fragment`row.last_payment_date`,
  last_payment_amount: sql.fragment`row.last_payment_amount`,
  total_paid_principal: sql.fragment`row.paid_principal`,
  total_paid_interest: sql.fragment`row.paid_interest`,
  total_paid_fees: sql.fragment`row.paid_fees`,
  interest_rate: sql.fragment`row.current_rate::numeric`,
  term: sql.fragment`row.term_months`,
  remaining_term: sql.fragment`row.remaining_term`,
  payments_remaining: sql.fragment`coalesce(row.payments_remaining, 0)`,
  maturity_date: sql.fragment`row.maturity_date`,
  final_payment_amount: sql.fragment`row.final_payment_amount`,
  credit_limit: sql.fragment`row.credit_limit`,
  available_credit: sql.fragment`row.available_credit`,
  is_frozen: sql.fragment`row.is_frozen`,
  is_in_disaster: sql.fragment`coalesce(row.is_frozen and row.freeze_reason = 'disaster', false)`,
  is_accelerated: sql.fragment`row.is_accelerated`,
  is_non_accrual: sql.fragment`row.is_non_accrual`,
  charge_off_balance: sql.fragment`row.charge_off_balance`,
  net_charge_off: sql.fragment`row.net_charge_off`,
  portfolio_id: sql.fragment`row.portfolio_id`,
  investor_id: sql.fragment`row.investor_id`,
  loan_officer_id: sql.fragment`row.loan_officer_id`,
  labels: sql.fragment`row.labels`,
  schedule_version: sql.fragment`row.schedule_version`,
} as const;

const names = (alias?: string) =>
  sql.join(
    ['snapshot_date', 'loan_id', ...Object.keys(SNAPSHOT_COLUMNS)].map((name) =>
      sql.identifier(alias === undefined ? [name] : [alias, name]),
    ),
    sql.fragment`, `,
  );

export const SNAPSHOT_STATUSES: readonly string[] = ['active', 'charged_off'];

/** Zero before a loan is funded. An open loan without a row for the day has no amount, so its snapshot fails. */
const unlessUnfunded = (amount: SqlFragment) => sql.fragment`
  case when ahead.loan_id is null and record.status <> all (${sql.array([...SNAPSHOT_STATUSES], 'text')}) then 0
    else ${amount} end`;

/** Each loan at the end of the day, with the values that the API answers for that day. */
export const loansAtDayEnd = (
  day: string,
  among: LoanIdCondition,
  statuses = SNAPSHOT_STATUSES,
) => sql.fragment`
  select ${day}::date as snapshot_date, row.id as loan_id, ${sql.join(
    Object.entries(SNAPSHOT_COLUMNS).map(
      ([name, value]) => sql.fragment`${value} as ${sql.identifier([name])}`,
    ),
    sql.fragment`, `,
  )}
  from (
    select ${loanColumnsForMany}, record.schedule_version, record.interest_settled,
           case when record.status = 'active' then ahead.first_delinquency_30_date
             else record.first_delinquency_30_date end as first_delinquency_30_date,
           ${unlessUnfunded(sql.fragment`grown.earned`)} as before,
           ${unlessUnfunded(sql.fragment`grown.earned + grown.of_day`)} as after,
           coalesce(ahead.prepayment_penalty, 0) as penalty
    ${loanSourceForMany(day, among, {
      where: sql.fragment`record.status = any(${sql.array([...statuses], 'text')})`,
    })}
  ) as row
  cross join lateral (
    select greatest(row.after - row.interest_settled, 0) as interest,
           row.after - row.before as accrued
    offset 0
  ) as day_end
`;

/**
 * Writes one snapshot per loan for the day. With `mayBeDone`, repeating it changes nothing. Without it, a
 * second writer fails, and no existing row is looked up, which saves a tenth of the time.
 */
export async function writeDailySnapshots(
  tx: Transaction,
  day: string,
  among: LoanIdCondition,
  mayBeDone: boolean,
) {
  await recordAttributes(tx, day, among);
  // The tenant is given once, because the column's default would be evaluated for each row.
  return tx.any(
    prepared(sql.typeAlias('void')`
    insert into loan_snapshots (tenant_id, ${names()})
    select (select app.current_tenant()), day_end.* from (${loansAtDayEnd(day, among)}) as day_end
    ${mayBeDone ? sql.fragment`on conflict do nothing` : NOTHING}
  `),
  );
}

const DelinquencyCounts = z.object({
  loan_id: z.string(),
  times_delinquent_30: z.int(),
  times_delinquent_60: z.int(),
  times_delinquent_90: z.int(),
});
export type DelinquencyCounts = z.output<typeof DelinquencyCounts>;

/**
 * Rewrites the open day's snapshots of loans that changed since. The delinquency counts keep their first
 * values, because the loans may already be aged for the morning. Returns these counts.
 */
export async function rewriteDailySnapshots(
  tx: Transaction,
  day: string,
  loans: readonly string[],
): Promise<readonly DelinquencyCounts[]> {
  const ids = sql.array([...loans], 'uuid');
  const among: LoanIdCondition = (id) => sql.fragment`${id} = any(${ids})`;
  const before = await tx.any(sql.type(DelinquencyCounts)`
    select loan_id, times_delinquent_30, times_delinquent_60, times_delinquent_90
    from app.delete_snapshots(${ids})
  `);
  await recordAttributes(tx, day, among);
  const columns = Object.keys(SNAPSHOT_COLUMNS).map((name) =>
    name in DelinquencyCounts.shape
      ? sql.fragment`case when before.loan_id is null then ${sql.identifier(['day_end', name])}
          else ${sql.identifier(['before', name])} end`
      : sql.identifier(['day_end', name]),
  );
  await tx.query(
    deferred(sql.typeAlias('void')`
    insert into loan_snapshots (${names()})
    select day_end.snapshot_date, day_end.loan_id, ${sql.join(columns, sql.fragment`, `)}
    from (${loansAtDayEnd(day, among)}) as day_end
    left join jsonb_to_recordset(${JSON.stringify(before)}::jsonb) as before (
      loan_id uuid, times_delinquent_30 integer, times_delinquent_60 integer, times_delinquent_90 integer
    ) on before.loan_id = day_end.loan_id
  `),
  );
  return before;
}

/**
 * The snapshots of a closed day, with their slowly changing attributes if `isWhole`. Attributes of days
 * before they were recorded are empty, so check findMissingAttributes first. With attributes, run it in
 * withoutNestedLoops.
 */
export const snapshotsOfClosedDay = (day: string, among: LoanIdCondition, isWhole: boolean) =>
  selectSnapshots(day, among, isWhole ? joinAttributesOfAll(day, among) : null);

const selectSnapshots = (
  day: string,
  among: LoanIdCondition,
  particulars: SqlFragment | null,
) => sql.fragment`
  select ${names('snapshot')} ${particulars ? attributeColumns : NOTHING}
  from loan_snapshots as snapshot ${particulars ?? NOTHING}
  where snapshot.snapshot_date = ${day} and ${among(sql.fragment`snapshot.loan_id`)}
`;

/**
 * The loans of the open day: their snapshots if the close has written them and the loan has not changed
 * since, otherwise what the close would write now.
 */
export const snapshotsOfOpenDay = (
  day: string,
  among: LoanIdCondition,
  isWhole: boolean,
  statuses: readonly string[],
) => sql.fragment`
  ${selectSnapshots(day, among, isWhole ? joinAttributesThen : null)} and ${isUnchangedSinceSnapshot(day)}
  union all
  select ${names('day_end')} ${isWhole ? attributeColumns : NOTHING}
  from (${loansAtDayEnd(day, among, statuses)}) as day_end ${isWhole ? joinAttributesNow(day) : NOTHING}
  where (
    select snapshot.loan_id from loan_snapshots as snapshot
    where snapshot.snapshot_date = ${day} and snapshot.loan_id = day_end.loan_id and ${isUnchangedSinceSnapshot(day)}
  ) is null
`;

const isUnchangedSinceSnapshot = (day: string) => sql.fragment`
  not exists (
    select from cob_changed_loans as changed
    where changed.cob_date = ${day} and changed.loan_id = snapshot.loan_id
  )`;

const NOTHING = sql.fragment``;
const attributeColumns = sql.fragment`, ${attributesIn('attributes')}`;

const joinAttributesOfAll = (day: string, among: LoanIdCondition) => sql.fragment`
  left join ${attributesOfLoansOn(day, among)} as attributes on attributes.loan_id = snapshot.loan_id`;

const joinAttributesThen = sql.fragment`
  left join lateral ${attributesOn(sql.fragment`snapshot.loan_id`, sql.fragment`snapshot.snapshot_date`)} as attributes on true`;

/**
 * "offset 0" and the subquery in snapshotsOfOpenDay make Postgres look up each loan. Without statistics it
 * would otherwise scan all rows for each loan.
 */
const joinAttributesNow = (day: string) => sql.fragment`
  cross join lateral (
    ${attributesNow(day, (id) => sql.fragment`${id} = day_end.loan_id`)} offset 0
  ) as attributes`;
