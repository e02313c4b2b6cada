import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

export const ScheduledRow = z.object({
  period_number: z.int(),
  due_date: z.string(),
  payment_amount: z.string(),
  principal_amount: z.string(),
  interest_amount: z.string(),
  fees_amount: z.string(),
  beginning_balance: z.string(),
  ending_balance: z.string(),
  days_in_period: z.int(),
});

/**
 * All rows of one schedule as one text, in the order of its fields, none of which is empty. As JSON it
 * would take Postgres three times as long, and this is half of the time to read a loan.
 */
export const rowsAsText = sql.fragment`
  string_agg(concat_ws(' ',
    row.period_number, row.due_date, row.payment_amount, row.principal_amount, row.interest_amount,
    row.fees_amount, row.beginning_balance, row.ending_balance, row.days_in_period
  ), E'\n' order by row.period_number)
`;

/** Parses that text into rows; empty if there are none. */
export const RowsFromText = z
  .string()
  .nullable()
  .transform((text) => (text === null ? [] : text.split('\n').map(rowOf)));

function rowOf(line: string): z.output<typeof ScheduledRow> {
  const fields = line.split(' ');
  const [period, due_date, payment, principal, interest, fees, beginning, ending, days] = fields;
  if (fields.length !== 9) throw new Error(`A row of a schedule has nine fields: ${line}`);
  return {
    period_number: Number(period),
    due_date: due_date ?? '',
    payment_amount: payment ?? '',
    principal_amount: principal ?? '',
    interest_amount: interest ?? '',
    fees_amount: fees ?? '',
    beginning_balance: beginning ?? '',
    ending_balance: ending ?? '',
    days_in_period: Number(days),
  };
}

type Covered = z.output<typeof ScheduledRow> & {
  paid_amount: string;
  paid_date: string | null;
  status: string;
};

/**
 * An installment is open (see `isSatisfied` in the engine) if its unpaid rest exceeds the tolerance. An
 * installment without any payment is always open, however small it is.
 */
export const isOpenInstallment = (table: string, tolerance: SqlFragment) => {
  const its = (column: string) => sql.identifier([table, column]);
  return sql.fragment`(
    not ${its('is_canceled')} and ${its('payment_amount')} - ${its('paid_amount')}
      > case when ${its('paid_amount')} > 0 then ${tolerance} else 0 end)`;
};

export type NewScheduleVersion = {
  loan_id: string;
  version: number;
  reason: string;
  rows: readonly Covered[];
};

/**
 * Writes versions of schedules and their coverage. Each column is passed as the text of an array, which
 * Postgres parses twice as fast as one JSON object per row.
 */
export const insertSchedulesSql = (schedules: readonly NewScheduleVersion[]) => sql.fragment`
  insert into installments
    (loan_id, version, period_number, due_date, payment_amount, principal_amount, interest_amount,
     fees_amount, beginning_balance, ending_balance, days_in_period, paid_amount, paid_date,
     is_canceled, reason)
  select schedule.loan_id, schedule.version, row.*, schedule.reason
  from jsonb_to_recordset(${JSON.stringify(schedules.map(toColumnArrays))}::jsonb) as schedule (
    loan_id uuid, version integer, reason text, period_number integer[], due_date date[],
    payment_amount numeric[], principal_amount numeric[], interest_amount numeric[],
    fees_amount numeric[], beginning_balance numeric[], ending_balance numeric[],
    days_in_period integer[], paid_amount numeric[], paid_date date[], is_canceled boolean[]
  )
  cross join lateral unnest(
    schedule.period_number, schedule.due_date, schedule.payment_amount, schedule.principal_amount,
    schedule.interest_amount, schedule.fees_amount, schedule.beginning_balance, schedule.ending_balance,
    schedule.days_in_period, schedule.paid_amount, schedule.paid_date, schedule.is_canceled
  ) as row
`;

function toColumnArrays({ rows, ...schedule }: NewScheduleVersion) {
  const column = (valueOf: (row: Covered) => string | number | boolean | null) =>
    `{${rows.map((row) => valueOf(row) ?? 'null').join()}}`;
  return {
    ...schedule,
    period_number: column((row) => row.period_number),
    due_date: column((row) => row.due_date),
    payment_amount: column((row) => row.payment_amount),
    principal_amount: column((row) => row.principal_amount),
    interest_amount: column((row) => row.interest_amount),
    fees_amount: column((row) => row.fees_amount),
    beginning_balance: column((row) => row.beginning_balance),
    ending_balance: column((row) => row.ending_balance),
    days_in_period: column((row) => row.days_in_period),
    paid_amount: column((row) => row.paid_amount),
    paid_date: column((row) => row.paid_date),
    is_canceled: column(({ status }) => status === 'canceled'),
  };
}

export type InstallmentCoverage = Pick<
  Covered,
  'period_number' | 'paid_amount' | 'paid_date' | 'status'
> & {
  loan_id: string;
  version: number;
};

/** Updates the coverage of the current versions. A single installment uses bound values. */
export const updateCoverageSql = (rows: readonly InstallmentCoverage[]) => {
  const [only, ...others] = rows;
  return only && others.length === 0 ? updateOneCoverage(only) : updateManyCoverages(rows);
};

const updateOneCoverage = (row: InstallmentCoverage) => sql.fragment`
  update installments as installment
  set paid_amount = ${row.paid_amount}, paid_date = ${row.paid_date},
      is_canceled = ${row.status === 'canceled'}
  where installment.loan_id = ${row.loan_id} and installment.version = ${row.version}
    and installment.period_number = ${row.period_number}
`;

/**
 * Postgres expects few rows where it filters by a JSON type, so it looks the rows up by index instead of
 * scanning the table.
 */
const updateManyCoverages = (rows: readonly InstallmentCoverage[]) => sql.fragment`
  update installments as installment
  set paid_amount = row.paid_amount, paid_date = row.paid_date,
      is_canceled = row.status = 'canceled'
  from jsonb_array_elements(${JSON.stringify(rows)}::jsonb) as given (row)
  cross join lateral jsonb_to_record(given.row) as row (
    loan_id uuid, version integer, period_number integer, paid_amount numeric, paid_date date, status text
  )
  where installment.loan_id = row.loan_id and installment.version = row.version
    and installment.period_number = row.period_number and jsonb_typeof(given.row) = 'object'
`;

const Version = z.object({
  version: z.int(),
  is_current: z.boolean(),
  reason: z.string().nullable(),
  created_at: z.string(),
  number_of_payments: z.int(),
  payment_amount: z.string(),
  first_due_date: z.string(),
  last_due_date: z.string(),
  total_of_payments: z.string(),
  installments: z.array(ScheduledRow).nullable(),
});

/** The versions of a loan's schedule, newest first. If a version is given, only that one, with its rows. */
export const listVersions = (tx: Transaction, loanId: string, version: number | null) =>
  tx.any(sql.type(Version)`
    select row.version, row.version = loan.schedule_version as is_current, min(row.reason) as reason,
           min(row.created_at) as created_at, count(*)::integer as number_of_payments,
           mode() within group (order by row.payment_amount) as payment_amount,
           min(row.due_date) as first_due_date, max(row.due_date) as last_due_date,
           sum(row.payment_amount)::numeric(15, 2) as total_of_payments,
           case when ${version}::integer is not null then json_agg(json_build_object(
             'period_number', row.period_number, 'due_date', row.due_date,
             'payment_amount', row.payment_amount::text,
             'principal_amount', row.principal_amount::text,
             'interest_amount', row.interest_amount::text, 'fees_amount', row.fees_amount::text,
             'beginning_balance', row.beginning_balance::text,
             'ending_balance', row.ending_balance::text, 'days_in_period', row.days_in_period
           ) order by row.period_number) end as installments
    from loans as loan
    join installments as row on row.loan_id = loan.id
    where loan.id = ${loanId} and (${version}::integer is null or row.version = ${version})
    group by row.version, loan.schedule_version
    order by row.version desc
  `);
