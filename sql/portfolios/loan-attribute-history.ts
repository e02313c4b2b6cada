import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { isSecuring } from '../collateral/items.ts';
import { sql, deferred, type Transaction } from '../database/db.ts';
import {
  chargeOffDateColumn,
  investorColumnOfMany,
  ownersJoin,
  type LoanIdCondition,
} from '../loans/loan-facts.ts';

/**
 * Slowly changing attributes and how they are read. The aliases are: the loan (`record`), its `borrower`,
 * their `home` address, the `portfolio`, the sum of the collateral (`backing`), whether any of the loans has
 * `collateral`, and the `day`. Each attribute is a column of loan_attribute_history.
 */
const ATTRIBUTES = {
  external_id: sql.fragment`record.external_id`,
  borrower_name: sql.fragment`borrower.first_name || ' ' || borrower.last_name`,
  borrower_state: sql.fragment`home.state`,
  borrower_zip: sql.fragment`home.postal_code`,
  program: sql.fragment`program.name`,
  product: sql.fragment`product.name`,
  origination_date: sql.fragment`coalesce(record.origination_date, record.disbursement_date)`,
  first_payment_date: sql.fragment`record.first_payment_date`,
  apr: sql.fragment`record.apr`,
  term_months: sql.fragment`record.term_months`,
  payment_amount: sql.fragment`record.payment_amount`,
  payment_frequency: sql.fragment`record.payment_frequency`,
  modification_count: sql.fragment`coalesce(changed.days, 0)`,
  charge_off_date: chargeOffDateColumn('record'),
  charge_off_amount: sql.fragment`record.charge_off_amount`,
  recovery_amount: sql.fragment`
    case when record.charge_off_amount is not null then record.recovered_amount end`,
  collateral_type: sql.fragment`backing.collateral_type`,
  collateral_value: sql.fragment`backing.value`,
  lien_position: sql.fragment`case when collateral.is_any then (
    select min(lien.lien_position)
    from liens as lien join collateral_items as item on item.id = lien.collateral_id
    where item.loan_id = record.id and lien.status = 'active'
  ) end`,
  investor: sql.fragment`investor.name`,
  portfolio: sql.fragment`portfolio.name`,
  credit_score_origination: sql.fragment`record.metadata ->> 'credit_score'`,
} as const;

const NAMES = Object.keys(ATTRIBUTES);
export const isAttribute = (name: string) => NAMES.includes(name);

export const attributesIn = (alias: string) =>
  sql.join(
    NAMES.map((name) => sql.identifier([alias, name])),
    sql.fragment`, `,
  );

export const attributesNow = (day: string, among: LoanIdCondition) => sql.fragment`
  select record.id as loan_id, ${sql.join(
    Object.entries(ATTRIBUTES).map(
      ([name, value]) => sql.fragment`${value} as ${sql.identifier([name])}`,
    ),
    sql.fragment`, `,
  )}
  from loans as record
  cross join (select ${day}::date as day) as today
  -- If no loan has collateral, none is looked up.
  cross join (
    select exists (
      select from collateral_items as item where ${among(sql.fragment`item.loan_id`)}
    ) as is_any
  ) as collateral
  join programs as program on program.id = record.program_id
  join products as product on product.id = record.product_id
  ${ownersJoin(among)}
  cross join lateral (select ${investorColumnOfMany} as id offset 0) as owner
  left join investors as investor on investor.id = owner.id
  -- As a JSON list, of which Postgres expects 100 rows. If it expected one, it would scan the list for each loan.
  left join jsonb_to_recordset((
    select jsonb_agg(change) from (
      select loan_id, count(distinct effective_date)::integer as days from loan_events
      where ${among(sql.fragment`loan_id`)} and effective_date <= ${day}::date and reversed_by is null
        and kind in ('rate_change', 'capitalization', 'forgiveness', 'schedule_agreed')
      group by loan_id
    ) as change
  )) as changed (loan_id uuid, days integer) on changed.loan_id = record.id
  -- Loan by loan: a join would read all borrowers of the tenant for each chunk of loans.
  cross join lateral (
    select first_name, last_name from borrowers where id = record.borrower_id offset 0
  ) as borrower
  left join lateral (
    select address.state, address.postal_code from addresses as address
    where address.borrower_id = record.borrower_id and address.is_primary
      and not address.is_archived
    order by array_position(array['residential', 'mailing'], address.address_type),
             address.created_at
    limit 1
  ) as home on true
  cross join lateral (
    select (array_agg(item.collateral_type order by item.created_at))[1] as collateral_type,
           sum(coalesce((app.current_valuation(item.id)).appraised_value, item.estimated_value))
             as value
    from collateral_items as item
    where item.loan_id = record.id and ${isSecuring} and collateral.is_any
  ) as backing
  where ${among(sql.fragment`record.id`)}
`;

/** The latest attributes of a loan on or before a day. */
export const attributesOn = (loan: SqlFragment, day: SqlFragment) => sql.fragment`(
  select * from loan_attribute_history as latest
  where latest.loan_id = ${loan} and latest.from_date <= ${day}
  order by latest.from_date desc limit 1
)`;

/**
 * The latest attributes of many loans. Reads the history in the order of its key, several times faster than
 * per loan, and Postgres may use parallel workers. Run it in withoutNestedLoops.
 */
export const attributesOfLoansOn = (day: string, among: LoanIdCondition) => sql.fragment`(
  select distinct on (latest.loan_id) latest.* from loan_attribute_history as latest
  where latest.from_date <= ${day} and ${among(sql.fragment`latest.loan_id`)}
  order by latest.loan_id desc, latest.from_date desc
)`;

/** Records the attributes of loans on the books that differ from their latest record. */
export const recordAttributes = (tx: Transaction, day: string, among: LoanIdCondition) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    insert into loan_attribute_history (loan_id, from_date, ${sql.join(
      NAMES.map((name) => sql.identifier([name])),
      sql.fragment`, `,
    )})
    select now.loan_id, ${day}::date, ${attributesIn('now')}
    from (${attributesNow(day, among)} and record.status in ('active', 'charged_off')) as now
    left join lateral ${attributesOn(sql.fragment`now.loan_id`, sql.fragment`${day}::date`)} as stored on true
    where stored.loan_id is null
      or (${attributesIn('now')}) is distinct from (${attributesIn('stored')})
    on conflict (tenant_id, loan_id, from_date) do nothing
  `),
  );

const MissingHistory = z.object({ is_lacking: z.boolean(), known_from: z.string().nullable() });

/**
 * Whether any loan with a snapshot of the day has no attributes from that time and, if so, the first day
 * with attributes. The day is given to both tables, so that Postgres can use a hash or merge join, which
 * takes a quarter of the time.
 */
export const findMissingAttributes = (tx: Transaction, day: string) =>
  tx.one(sql.type(MissingHistory)`
    select is_lacking,
           case when is_lacking then (select min(from_date) from loan_attribute_history) end as known_from
    from (
      select exists (
        select from loan_snapshots as snapshot
        where snapshot.snapshot_date = ${day} and not exists (
          select from loan_attribute_history as attributes
          where attributes.loan_id = snapshot.loan_id and attributes.from_date <= ${day}
        )
      ) as is_lacking
      offset 0
    ) as day
  `);
