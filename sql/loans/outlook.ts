import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { sql } from '../database/db.ts';
import type { LoanIdCondition } from './loan-facts.ts';

/** Amounts that may grow with interest. The compiler holds them equal to the amounts of the engine's rows. */
const GROWING = [
  'accrued_interest',
  'unearned_interest',
  'past_due_amount',
  'past_due_principal',
  'past_due_interest',
  'past_due_30_amount',
  'next_payment_amount',
  'fees_due',
  'amount_due',
  'payoff_amount',
  'final_payment_amount',
] as const;
type GrowingAmount = (typeof GROWING)[number];

/** All columns except the tenant, in the order of the table. */
export const OUTLOOK_COLUMNS = [
  'loan_id',
  'number',
  'from_date',
  'until_date',
  'is_last',
  'interest_base',
  'interest_per_basis',
  'interest_units',
  'units_per_day',
  'interest_basis',
  'interest_earned',
  'last_day_interest',
  'past_due_from',
  'paused_days',
  'delinquency_bucket',
  'oldest_unpaid_due_date',
  'first_delinquency_date',
  'first_delinquency_30_date',
  'next_payment_date',
  'payments_remaining',
  'current_rate',
  'interest_free_balance',
  'prepayment_penalty',
  'late_fee_amount',
  'late_fee_after',
  'cure_fee_amount',
  'cure_fee_after',
  'late_fee_decision_on',
  ...GROWING,
  ...GROWING.map((name) => `${name}_growth`),
];

type OutlookRow = Record<string, unknown> & {
  amounts: Record<GrowingAmount, string | null>;
  growth: Record<GrowingAmount, number>;
};
export type LoanOutlook = { loan_id: string; rows: readonly OutlookRow[] };

const list = (names: readonly string[], toSql: (name: string) => SqlFragment) =>
  sql.join(names.map(toSql), sql.fragment`, `);
const columnList = list(OUTLOOK_COLUMNS, (name) => sql.fragment`${sql.identifier([name])}`);

/**
 * The rows as the text of a Postgres array, which Postgres parses twice as fast as JSON. No value needs quotes.
 */
const toRowsText = (outlooks: readonly LoanOutlook[]) =>
  `{${outlooks.flatMap(toRowTexts).join(',')}}`;

const toRowTexts = ({ loan_id, rows }: LoanOutlook) =>
  rows.map(({ amounts, growth, ...row }, at) => {
    const values: Record<string, unknown> = { ...row, ...amounts, loan_id, number: at + 1 };
    values['is_last'] = at === rows.length - 1;
    for (const name of GROWING) values[`${name}_growth`] = growth[name];
    return `"(,${OUTLOOK_COLUMNS.map((column) => values[column] ?? '').join(',')})"`;
  });

/** The constant parts of the statement. Composing them each time would take as long as running it. */
const INSERT = sql.fragment`insert into loan_outlook (${columnList}) select ${columnList}`;
const REPLACE = sql.fragment`
  on conflict (tenant_id, loan_id, number) do update
  set ${list(
    OUTLOOK_COLUMNS.filter((name) => name !== 'loan_id' && name !== 'number'),
    (name) => sql.fragment`${sql.identifier([name])} = ${sql.identifier(['excluded', name])}`,
  )}`;

/** Replaces the rows of loans. */
export const writeOutlooksSql = (outlooks: readonly LoanOutlook[]) => sql.fragment`
  ${INSERT} from unnest(${toRowsText(outlooks)}::loan_outlook[]) ${REPLACE}
`;

/** Deletes rows beyond the new ones. */
export const trimOutlooksSql = (outlooks: readonly LoanOutlook[]) => {
  const [only, ...others] = outlooks;
  if (only && others.length === 0)
    return sql.fragment`
      delete from loan_outlook where loan_id = ${only.loan_id} and number > ${only.rows.length}`;
  return sql.fragment`
    delete from loan_outlook as row
    using unnest(
      ${sql.array(
        outlooks.map(({ loan_id }) => loan_id),
        'uuid',
      )},
      ${sql.array(
        outlooks.map(({ rows }) => rows.length),
        'int4',
      )}
    ) as one (loan_id, kept)
    where row.loan_id = one.loan_id and row.number > one.kept`;
};

/** Whether a row (`ahead`) holds on the day. */
export const holdsOn = (day: SqlFragment) =>
  sql.fragment`ahead.from_date <= ${day} and ahead.until_date >= ${day}`;

type JoinOptions = {
  /** The alias of the loans to which the rows are joined. */
  loan?: string;
  /** Repeats the condition on the loans, so that Postgres can read their rows in order. */
  among?: LoanIdCondition;
  /** Set if the loans belong to several tenants. */
  isOfAllTenants?: true;
};

/**
 * Joins the row of a day (`ahead`) to loans, and the interest that has accrued (`grown`): all interest up to the
 * start of the day (`earned`), the part of it since the row's first day (`amount`), and the interest of the day itself
 * (`of_day`). A left join, because a loan that is not funded has no rows.
 */
export const joinOutlook = (day: SqlFragment, options: JoinOptions = {}) => sql.fragment`
  ${joinOutlookRow(day, options)}
  left join lateral (
    select accrued.earned, accrued.earned - ahead.interest_earned as amount,
           case when ahead.until_date = ${day} then ahead.last_day_interest
             else ${earnedOn(sql.fragment`(${day} + 1)`, options)} - accrued.earned end as of_day
    from (select ${earnedOn(day, options)} as earned offset 0) as accrued
    offset 0
  ) as grown on true
`;

/** Like `joinOutlook` without interest, for columns that do not change within a row. */
export function joinOutlookRow(
  day: SqlFragment,
  { loan = 'record', among, isOfAllTenants }: JoinOptions = {},
) {
  return sql.fragment`
  left join loan_outlook as ahead
    on ahead.loan_id = ${sql.identifier([loan, 'id'])} and ${holdsOn(day)}
      ${among ? sql.fragment`and ${among(sql.fragment`ahead.loan_id`)}` : sql.fragment``}
      ${isOfAllTenants ? sql.fragment`and ahead.tenant_id = ${sql.identifier([loan, 'tenant_id'])}` : sql.fragment``}
`;
}

/** The cents accrued by a day of the row. */
function earnedOn(day: SqlFragment, { loan = 'record' }: JoinOptions) {
  return sql.fragment`app.earned_on(
    ahead.interest_base, ahead.interest_per_basis,
    ahead.interest_units + ahead.units_per_day * (${day} - ahead.from_date)::bigint, ahead.interest_basis,
    ${sql.identifier([loan, 'rounding_mode'])}
  )`;
}

/** An amount on the day. Null if the loan has no outlook. Most amounts do not grow, so it adds only if necessary. */
export const amountOn = (name: GrowingAmount) => {
  const amount = sql.identifier(['ahead', name]);
  return sql.fragment`case ${sql.identifier(['ahead', `${name}_growth`])}
    when 0 then ${amount} when 1 then ${amount} + grown.amount else ${amount} - grown.amount end`;
};

/**
 * Like `amountOn` without `grown`, for a list sorted by one amount: computes interest only for rows whose amount
 * grows. 0 if the loan has no outlook.
 */
export const singleAmountOn = (
  name: Exclude<GrowingAmount, 'final_payment_amount'>,
  day: SqlFragment,
  loan: string,
) => {
  const [amount, growth] = [
    sql.identifier(['ahead', name]),
    sql.identifier(['ahead', `${name}_growth`]),
  ];
  return sql.fragment`coalesce(case ${growth}
    when 0 then ${amount} else ${amount} + ${growth} * (${earnedOn(day, { loan })} - ahead.interest_earned) end, 0.00)`;
};

/** An amount of `grown`. Fails if the loan has no row for the day, because zero would be wrong. */
export const requiredAmount = (amount: SqlFragment) => sql.fragment`
  case when ahead.loan_id is null then app.required(${amount}, 'The loan has no outlook for the day.') else ${amount} end`;

export const daysPastDueOn = (day: SqlFragment) => sql.fragment`
  coalesce(${day} - ahead.past_due_from, ahead.paused_days, 0)`;

export const bucketColumn = sql.fragment`coalesce(ahead.delinquency_bucket, 'current')`;
