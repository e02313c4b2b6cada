import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import type { OwnerConnection } from '../queue/workers.ts';

/** Totals of a tenant's servicing for the dashboard. */
const ServicingTotals = z.object({
  payments: z.int(),
  payments_amount: z.string(),
  accrued_interest: z.string(),
  statements: z.int(),
  mails: z.int(),
  letters: z.int(),
  webhooks_delivered: z.int(),
  snapshots: z.int(),
  lien_alerts: z.int(),
});
export type ServicingTotals = z.output<typeof ServicingTotals>;

export const servicingTotals = (tx: Transaction) =>
  tx.one(sql.type(ServicingTotals)`
    select
      paid.count as payments, paid.amount as payments_amount,
      (select coalesce(sum(amount), 0.00) from interest_accruals) as accrued_interest,
      (
        select count(*)::integer from documents
        where document_type = 'monthly_statement' and status = 'uploaded'
      ) as statements,
      sent.mails, sent.letters,
      hooks.delivered as webhooks_delivered,
      (select count(*)::integer from portfolio_snapshots) as snapshots,
      (select count(*)::integer from lien_alerts) as lien_alerts
    from
      (
        select count(*)::integer, coalesce(sum(amount), 0.00) as amount
        from payments where posted_at is not null and reversed_at is null
      ) as paid,
      (
        select count(*) filter (where channel = 'email')::integer as mails,
               count(*) filter (where channel = 'letter')::integer as letters
        from communication_logs where status in ('sent', 'delivered')
      ) as sent,
      (
        select count(*)::integer as delivered from webhook_deliveries where status = 'delivered'
      ) as hooks
  `);

/** Undelivered webhooks and events. Called often, so it reads only indexes. */
export const countUndelivered = (tx: Transaction) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select (
      (select count(*) from webhook_deliveries where status = 'scheduled')
      + (select count(*) from events where relayed_at is null)
    )::integer as count
  `);

const Bucket = z.object({ bucket: z.string(), loans: z.int(), principal: z.string() });

/** The tenant's loans by days past due; closed loans by status. */
export const loansByBucket = (tx: Transaction) =>
  tx.any(sql.type(Bucket)`
    select bucket, count(*)::integer as loans, sum(principal_balance) as principal
    from (
      select status, principal_balance,
             case status when 'active' then delinquency_bucket else status end as bucket
      from loans
    ) as loan
    group by bucket order by min(status), bucket = 'dpd_180_plus', bucket
  `);

const Runs = z.object({
  task: z.string(),
  pool: z.string(),
  runs: z.int(),
  failures: z.int(),
  seconds: z.string(),
});

/** Total runs and times of each kind of job since the database was created. */
export const jobRunTotals = (owner: OwnerConnection) =>
  owner.any(sql.type(Runs)`
    select task, pool, sum(runs)::integer as runs, sum(failures)::integer as failures,
           round(sum(seconds)::numeric, 1) as seconds
    from app.job_runs group by task, pool order by pool, task
  `);

export const countIssuedStatements = (tx: Transaction, month: string) =>
  tx.oneFirst(sql.type(z.object({ count: z.int() }))`
    select count(*)::integer from statements
    where statement_month = ${month} and document_id is not null
  `);
