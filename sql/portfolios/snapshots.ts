import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { sql, deferred, type Transaction } from '../database/db.ts';
import { investorColumn } from '../loans/loan-facts.ts';
import { table } from '../table.ts';
import { narrowSum, wideSum } from '../wide-sums.ts';
import { attributesOn } from './loan-attribute-history.ts';
import { joinOutlook } from '../loans/outlook.ts';

export const snapshots = table({
  name: 'portfolio_snapshots',
  rows: sql.fragment`
    select record.id, record.portfolio_id, record.investor_id, record.snapshot_date, record.total_loans,
           coalesce(record.total_principal, record.wide_principal) as total_principal,
           coalesce(record.total_outstanding, record.wide_outstanding) as total_outstanding,
           case when record.total_loans = 0 then 0::numeric else record.weighted_average_rate end
             as weighted_average_rate,
           record.weighted_average_term, record.delinquency_rate, record.default_rate,
           record.by_bucket, record.created_at, record.updated_at
    from portfolio_snapshots as record
  `,
});

/** One row per loan on the books of a portfolio, with what it owes at the end of the day. */
const liveLoans = (day: string) => sql.fragment`
  select record.portfolio_id, ${investorColumn} as investor_id, record.status,
         record.delinquency_bucket as bucket, record.principal_balance as principal,
         record.interest_rate as rate, record.term_months as term,
         record.principal_balance + record.outstanding_fees
           + coalesce(greatest(grown.earned + grown.of_day - record.interest_settled, 0), 0) as outstanding
  from loans as record
  ${joinOutlook(sql.fragment`${day}::date`)}
  where record.portfolio_id is not null and record.status in ('active', 'charged_off')
`;

/** The loan's term on the day: from its snapshot, or for older snapshots from the attribute history. */
const termOnDay = sql.fragment`
  case when snapshot.term is not null then snapshot.term else (
    select attributes.term_months
    from ${attributesOn(sql.fragment`snapshot.loan_id`, sql.fragment`snapshot.snapshot_date`)} as attributes
  ) end`;

/** The same for a closed day, from the loan snapshots. */
const recordedLoans = (day: string) => sql.fragment`
  select snapshot.portfolio_id, snapshot.investor_id, snapshot.status, snapshot.delinquency_bucket as bucket,
         snapshot.principal_balance as principal, snapshot.interest_rate as rate, ${termOnDay} as term,
         snapshot.total_balance as outstanding
  from loan_snapshots as snapshot
  where snapshot.snapshot_date = ${day} and snapshot.portfolio_id is not null
    and snapshot.status in ('active', 'charged_off')
`;

export type LoanSource = 'live' | 'recorded';

/**
 * Writes the day's snapshots of all portfolios, or of one, in one pass over the loans. Charged-off loans
 * count as loans and defaults, but belong to no bucket and no balance.
 */
export async function writePortfolioSnapshots(
  tx: Transaction,
  day: string,
  source: LoanSource,
  portfolioId: string | null = null,
) {
  if (portfolioId !== null) return insertSnapshots(tx, day, source, portfolioId);
  // Postgres has no statistics about a day that was just closed and expects one loan. It would aggregate
  // all loans again for each portfolio, and sort them on disk.
  const may = (loopAndSort: 'on' | 'off') =>
    tx.query(
      deferred(sql.typeAlias('void')`
        select set_config('enable_nestloop', ${loopAndSort}, true),
               set_config('enable_sort', ${loopAndSort}, true),
               set_config('enable_incremental_sort', ${loopAndSort}, true)
      `),
    );
  await may('off');
  const written = await insertSnapshots(tx, day, source, null);
  await may('on');
  return written;
}

const insertSnapshots = (
  tx: Transaction,
  day: string,
  source: LoanSource,
  portfolioId: string | null,
) =>
  tx.any(sql.type(z.object({ id: z.string(), portfolio_id: z.string() }))`
    insert into portfolio_snapshots
      (portfolio_id, investor_id, snapshot_date, total_loans, total_principal, total_outstanding,
       wide_principal, wide_outstanding, weighted_average_rate, weighted_average_term, delinquency_rate, default_rate, by_bucket)
    select portfolio.id, figures.investor_id, ${day}::date, coalesce(figures.loans, 0),
           ${narrowSum(PRINCIPAL)}, ${narrowSum(OUTSTANDING)}, ${wideSum(PRINCIPAL)}, ${wideSum(OUTSTANDING)},
           coalesce(round(figures.rate_weight / nullif(figures.principal, 0), 6), 0),
           coalesce(round(figures.term_weight / nullif(figures.principal, 0)), 0)::integer,
           coalesce(round(figures.late_principal / nullif(figures.principal, 0), 6), 0),
           coalesce(round(figures.defaults::numeric / nullif(figures.loans, 0), 6), 0),
           coalesce(figures.by_bucket, ${NO_LOANS})
    from portfolios as portfolio
    left join (${figures(source === 'live' ? liveLoans(day) : recordedLoans(day), portfolioId)}) as figures
      on figures.portfolio_id = portfolio.id
    where ${
      portfolioId === null
        ? sql.fragment`not portfolio.is_archived`
        : sql.fragment`portfolio.id = ${portfolioId}`
    }
    order by portfolio.id
    on conflict (tenant_id, portfolio_id, snapshot_date) do update set
      investor_id = excluded.investor_id,
      total_loans = excluded.total_loans, total_principal = excluded.total_principal,
      total_outstanding = excluded.total_outstanding,
      wide_principal = excluded.wide_principal, wide_outstanding = excluded.wide_outstanding,
      weighted_average_rate = excluded.weighted_average_rate,
      weighted_average_term = excluded.weighted_average_term,
      delinquency_rate = excluded.delinquency_rate, default_rate = excluded.default_rate,
      by_bucket = excluded.by_bucket
    returning id, portfolio_id
  `);

const PRINCIPAL = sql.fragment`coalesce(figures.principal, 0)`;
const OUTSTANDING = sql.fragment`coalesce(figures.outstanding, 0)`;

/**
 * Aggregates loans with the same values first and then these few groups, so each loan is summed only once.
 */
const figures = (loans: SqlFragment, portfolioId: string | null) => sql.fragment`
  select portfolio_id, sum(loans)::integer as loans,
         -- count(distinct) would make Postgres sort all loans.
         case when count(investor_id) = count(*) and min(investor_id::text) = max(investor_id::text)
           then min(investor_id::text)::uuid end as investor_id,
         sum(principal) filter (where status = 'active') as principal,
         sum(outstanding) filter (where status = 'active') as outstanding,
         sum(rate_weight) filter (where status = 'active') as rate_weight,
         sum(term_weight) filter (where status = 'active') as term_weight,
         sum(principal) filter (where status = 'active' and bucket not in ('current', 'dpd_1_29'))
           as late_principal,
         coalesce(sum(loans) filter (
           where status = 'charged_off'
             or bucket not in ('current', 'dpd_1_29', 'dpd_30_59', 'dpd_60_89')
         ), 0) as defaults,
         jsonb_build_object(
           'current', ${inBucket('current')}, 'dpd_1_29', ${inBucket('dpd_1_29')},
           'dpd_30_59', ${inBucket('dpd_30_59')}, 'dpd_60_89', ${inBucket('dpd_60_89')},
           'dpd_90_119', ${inBucket('dpd_90_119')}
         ) || jsonb_strip_nulls(jsonb_build_object(
           'dpd_120_149', nullif(${inBucket('dpd_120_149')}, 0),
           'dpd_150_179', nullif(${inBucket('dpd_150_179')}, 0),
           'dpd_180_plus', nullif(${inBucket('dpd_180_plus')}, 0)
         )) as by_bucket
  from (
    select portfolio_id, investor_id, status, bucket, count(*) as loans,
           sum(principal) as principal, sum(outstanding) as outstanding,
           sum(principal * rate) as rate_weight, sum(principal * term) as term_weight
    from (${loans}) as loan
    ${portfolioId === null ? sql.fragment`` : sql.fragment`where portfolio_id = ${portfolioId}`}
    group by portfolio_id, investor_id, status, bucket
  ) as alike
  group by portfolio_id
`;

const inBucket = (bucket: string) => sql.fragment`coalesce(
  sum(loans) filter (where status = 'active' and bucket = ${sql.literalValue(bucket)}), 0
)`;

const NO_LOANS = sql.fragment`
  '{"current": 0, "dpd_1_29": 0, "dpd_30_59": 0, "dpd_60_89": 0, "dpd_90_119": 0}'::jsonb`;

/** Whether the close has written the day's snapshots, or found no loans. */
export const areSnapshotsRecorded = (tx: Transaction, day: string) =>
  tx.exists(sql.typeAlias('void')`
    select from loan_snapshots where tenant_id = app.current_tenant() and snapshot_date = ${day}
    union all
    select from cob_runs where cob_date = ${day} and status = 'finished'
  `);

/** The first day with loan snapshots. */
export const firstRecordedDay = (tx: Transaction) =>
  tx.oneFirst(sql.type(z.object({ day: z.string().nullable() }))`
    select min(snapshot_date) as day from loan_snapshots
    where tenant_id = app.current_tenant()
  `);
