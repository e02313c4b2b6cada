import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { compare } from '../conditions.ts';
import { sql } from '../database/db.ts';
import type { Condition, Found, Ordered, OrderedPart, Table } from '../table.ts';
import { bucketColumn, daysPastDueOn, holdsOn, joinOutlookRow, singleAmountOn } from './outlook.ts';

/**
 * Filters and sorts loans by fields of their outlook. The business date selects a row of `loan_outlook` per loan.
 * Conditions and orders use indexed columns of that row instead of computed values.
 */

/** Joins the loan's row of the day if the conditions hold for it. */
const joinAhead = (day: SqlFragment, where: SqlFragment) => sql.fragment`
  join loan_outlook as ahead on ahead.loan_id = row.id and ${holdsOn(day)} and ${where}`;

/** Whether the conditions hold for the loan's row of the day. */
const isAhead = (day: SqlFragment, where: SqlFragment) => sql.fragment`exists (
  select from loan_outlook as ahead
  where ahead.loan_id = row.id and ${holdsOn(day)} and ${where}
)`;

/** All loans, with a value from their row of the day. */
const allLoans = (day: SqlFragment, value: SqlFragment): OrderedPart => ({
  joins: joinOutlookRow(day, { loan: 'row' }),
  value,
});

const anyOf = (clauses: readonly SqlFragment[]) =>
  clauses.length === 0
    ? sql.fragment`false`
    : sql.fragment`(${sql.join(clauses, sql.fragment` or `)})`;

/** A range of days past due: the first and the last day (null: no limit), both included. */
type Days = readonly [first: number, last: number | null];

/** Rows whose days past due count from a date. The count is at least 1. */
const isCounting = (day: SqlFragment, [first, last]: Days) => sql.fragment`(
  ahead.past_due_from <= ${day} - ${first}::integer
  ${last === null ? sql.fragment`` : sql.fragment`and ahead.past_due_from >= ${day} - ${last}::integer`}
)`;

/** Rows whose count of days is paused, for example by a forbearance. */
const isPaused = ([first, last]: Days) => sql.fragment`(
  ahead.paused_days >= ${first}
  ${last === null ? sql.fragment`` : sql.fragment`and ahead.paused_days <= ${last}`}
)`;

const ANY: Days = [1, null];

const isLate = (day: SqlFragment, ranges: readonly Days[]) =>
  isAhead(day, anyOf(ranges.flatMap((days) => [isCounting(day, days), isPaused(days)])));

/**
 * The loans with certain days past due. Most loans are not past due. If the ranges include 0, the search finds the
 * loans that do not match.
 */
function findByDays(day: SqlFragment, ranges: readonly Days[]): Found {
  const late = clip(ranges);
  const isCurrent = ranges.some(([first, last]) => first <= 0 && (last === null || last >= 0));
  return isCurrent
    ? { isFound: isLate(day, gapsBetween(late)), isExcluded: true }
    : { isFound: isLate(day, late) };
}

/** The ranges clipped to days from 1 on, in order and without overlaps. */
function clip(ranges: readonly Days[]): Days[] {
  const clipped: Days[] = [];
  const sorted = ranges
    .map(([first, last]): Days => [Math.max(first, 1), last])
    .filter(([first, last]) => last === null || last >= first)
    .toSorted(([one], [other]) => one - other);
  for (const [first, last] of sorted) {
    const before = clipped.at(-1);
    if (before === undefined || (before[1] !== null && before[1] < first - 1))
      clipped.push([first, last]);
    else if (before[1] !== null && (last === null || last > before[1]))
      clipped[clipped.length - 1] = [before[0], last];
  }
  return clipped;
}

/** The days from 1 on that no clipped range contains. */
function gapsBetween(ranges: readonly Days[]): Days[] {
  const gaps: Days[] = [];
  let next: number | null = 1;
  for (const [first, last] of ranges) {
    if (next !== null && first > next) gaps.push([next, first - 1]);
    next = last === null ? null : last + 1;
  }
  return next === null ? gaps : [...gaps, [next, null]];
}

const NONE: Found = { isFound: sql.fragment`false` };
const ALL: Found = { isFound: sql.fragment`false`, isExcluded: true };

/** More days than any loan can be past due, but few enough that Postgres has a date this long ago. */
const MANY_DAYS = 100_000;

function findByDaysPastDue({ comparison, values }: Condition, day: SqlFragment): Found {
  const numbers = values.map((value) => Math.min(Number(value), MANY_DAYS));
  const [value = 0] = numbers;
  if (comparison === 'isnull') return values[0] === 'true' ? NONE : ALL;
  if (comparison === 'in')
    return findByDays(
      day,
      numbers.map((one): Days => [one, one]),
    );
  if (comparison === 'gte') return findByDays(day, [[value, null]]);
  if (comparison === 'gt') return findByDays(day, [[value + 1, null]]);
  if (comparison === 'lte') return findByDays(day, [[0, value]]);
  if (comparison === 'lt') return findByDays(day, [[0, value - 1]]);
  return opposite(findByDays(day, [[value, value]]));
}

const opposite = ({ isFound, isExcluded = false }: Found): Found => ({
  isFound,
  isExcluded: !isExcluded,
});

/** The days of a bucket, read from its name. */
function daysOfBucket(bucket: string): Days[] {
  if (bucket === 'current') return [[0, 0]];
  const [, first, last] = /^dpd_(\d{1,3})_(\d{1,3}|plus)$/.exec(bucket) ?? [];
  return first === undefined ? [] : [[Number(first), last === 'plus' ? null : Number(last)]];
}

function findByBucket(condition: Condition, day: SqlFragment): Found {
  const { comparison, values } = condition;
  const found = findByDays(day, values.flatMap(daysOfBucket));
  if (comparison === 'in') return found;
  if (comparison === 'ne') return opposite(found);
  if (comparison === 'isnull') return values[0] === 'true' ? NONE : ALL;
  // Other comparisons treat the name as text. They are rare and need no index.
  const named = isAhead(day, compare(sql.identifier(['ahead', 'delinquency_bucket']), condition));
  const isCurrent = compare(sql.fragment`'current'::text`, condition);
  const isNamed = sql.fragment`(${named} or (${isCurrent} and not ${isAhead(day, sql.fragment`true`)}))`;
  return { isFound: sql.fragment`(not ${isNamed})`, isExcluded: true };
}

/** The past-due loans, sorted by days. */
const lateByDays = (day: SqlFragment): OrderedPart[] => [
  {
    joins: joinAhead(day, isCounting(day, ANY)),
    value: sql.fragment`${day} - ahead.past_due_from`,
    index: { column: sql.fragment`ahead.past_due_from`, isReversed: true },
  },
  {
    joins: joinAhead(day, isPaused(ANY)),
    value: sql.fragment`ahead.paused_days`,
    index: { column: sql.fragment`ahead.paused_days`, isReversed: false },
  },
];

/** The past-due loans, sorted by the name of their bucket. */
const lateByBucket = (day: SqlFragment): OrderedPart[] =>
  [isCounting(day, ANY), isPaused(ANY)].map((where) => ({
    joins: joinAhead(day, where),
    value: sql.fragment`ahead.delinquency_bucket`,
  }));

/**
 * The loans without such a row. They all have the same value, so their ids decide the order. `offset 0` makes
 * Postgres check one loan after another until the page is full, instead of joining all rows first.
 */
const allOthers = (day: SqlFragment, where: SqlFragment, value: SqlFragment): OrderedPart => ({
  isRest: true,
  where: sql.fragment`not ${isAhead(day, sql.fragment`${where} offset 0`)}`,
  value,
  index: { column: sql.fragment`row.id`, isReversed: false },
});

const current = (day: SqlFragment, value: SqlFragment) =>
  allOthers(day, anyOf([isCounting(day, ANY), isPaused(ANY)]), value);

const currentFirst = <Part>(isDescending: boolean, currentOnes: Part, late: readonly Part[]) =>
  isDescending ? [late, [currentOnes]] : [[currentOnes], late];

/**
 * The next payment date is never before the row's last day, except after maturity: then it is the maturity date,
 * which is before the row's first day.
 */
const isDue = (day: SqlFragment) =>
  sql.fragment`(ahead.next_payment_date >= ahead.from_date and ahead.next_payment_date >= ${day})`;
const IS_MATURED = sql.fragment`ahead.next_payment_date < ahead.from_date`;

function findByNextPaymentDate(condition: Condition, day: SqlFragment): Found {
  const column = sql.identifier(['ahead', 'next_payment_date']);
  const isDated = (where: SqlFragment) =>
    isAhead(day, sql.fragment`${where} and (${isDue(day)} or ${IS_MATURED})`);
  const { comparison, values } = condition;
  if (comparison === 'isnull') {
    const isFound = isDated(sql.fragment`${column} is not null`);
    return { isFound, isExcluded: values[0] === 'true' };
  }
  if (comparison !== 'ne') return { isFound: isDated(compare(column, condition)) };
  return opposite({ isFound: isDated(compare(column, { ...condition, comparison: 'in' })) });
}

function byNextPaymentDate(day: SqlFragment, isDescending: boolean): Ordered {
  const column = sql.fragment`ahead.next_payment_date`;
  const dated = (where: SqlFragment): OrderedPart => ({
    joins: joinAhead(day, where),
    value: column,
    index: { column, isReversed: false },
  });
  const [due, matured] = [dated(isDue(day)), dated(IS_MATURED)];
  const undated = allOthers(
    day,
    sql.fragment`(${isDue(day)} or ${IS_MATURED})`,
    sql.fragment`null::date`,
  );
  return {
    all: allLoans(day, column),
    groups: isDescending ? [[due], [matured], [undated]] : [[matured], [due], [undated]],
  };
}

/**
 * No index can sort by an amount, because interest changes it from day to day. These lists read the day's row of
 * each loan.
 */
const byAmount =
  (name: Parameters<typeof singleAmountOn>[0], more = sql.fragment``) =>
  (day: SqlFragment): Ordered => ({
    all: allLoans(day, sql.fragment`${singleAmountOn(name, day, 'row')} ${more}`),
  });

/** Sorts by a stored column that a loan shows in another form. */
const byColumn = (column: string) => (): Ordered => ({
  all: { value: sql.fragment`${sql.identifier(['row', column])}` },
});

export const loanLookups: NonNullable<Table['lookups']> = {
  days_past_due: findByDaysPastDue,
  delinquency_bucket: findByBucket,
  next_payment_date: findByNextPaymentDate,
};

export const loanOrders: NonNullable<Table['orders']> = {
  days_past_due: (day, isDescending) => ({
    all: allLoans(day, daysPastDueOn(day)),
    groups: currentFirst(isDescending, current(day, sql.fragment`0`), lateByDays(day)),
  }),
  delinquency_bucket: (day, isDescending) => ({
    all: allLoans(day, bucketColumn),
    groups: currentFirst(isDescending, current(day, sql.fragment`'current'`), lateByBucket(day)),
  }),
  next_payment_date: byNextPaymentDate,
  amount_due: byAmount('amount_due'),
  past_due_amount: byAmount('past_due_amount'),
  past_due_principal: byAmount('past_due_principal'),
  past_due_interest: byAmount('past_due_interest'),
  past_due_30_amount: byAmount('past_due_30_amount'),
  fees_due: byAmount('fees_due'),
  next_payment_amount: byAmount('next_payment_amount'),
  accrued_interest: byAmount('accrued_interest'),
  total_balance: byAmount(
    'accrued_interest',
    sql.fragment`+ row.principal_balance + row.outstanding_fees`,
  ),
  interest_rate: byColumn('interest_rate'),
  apr: byColumn('apr'),
};
