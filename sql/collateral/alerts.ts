import { z } from 'zod';
import { PRIORITIES } from '../borrowers/tasks.ts';
import { sql, deferred, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const alerts = table({
  name: 'lien_alerts',
  rows: sql.fragment`
    select record.id, record.lien_id, record.loan_id, record.expiration_date,
           record.expiration_date - app.business_date() as days_to_expiry, record.severity,
           record.status, record.created_at, record.updated_at
    from lien_alerts as record
  `,
});

const Warned = z.object({ raised: z.string(), tasks: z.string() });

/**
 * Raises an alert with a task for each active lien that expires within the window and has no alert for that
 * day. Skips closed loans and archived items.
 */
export const raiseAlerts = (tx: Transaction, today: string, windowDays: number) =>
  tx.one(sql.type(Warned)`
    with lapsing as (
      select lien.id, lien.lien_type, lien.filing_number, lien.expiration_date, item.loan_id,
             loan.loan_number, loan.borrower_id,
             ${severity(today, sql.fragment`lien.expiration_date`)} as severity
      from liens as lien
      join collateral_items as item on item.id = lien.collateral_id and not item.is_archived
      join loans as loan on loan.id = item.loan_id
      where lien.status = 'active' and lien.expiration_date <= ${today}::date + ${windowDays}::integer
        and loan.status not in ('denied', 'canceled', 'paid_off', 'settled', 'transferred')
    ), raised as (
      insert into lien_alerts (lien_id, loan_id, expiration_date, severity)
      select id, loan_id, expiration_date, severity from lapsing
      on conflict (tenant_id, lien_id, expiration_date) do nothing
      returning lien_id, expiration_date
    ), tasks_added as (
      insert into tasks
        (borrower_id, loan_id, title, description, task_type, due_date, priority, source,
         related_type, related_id)
      select lapsing.borrower_id, lapsing.loan_id,
             'Renew the ' || replace(lapsing.lien_type, '_', ' ') || ' lien on loan '
               || lapsing.loan_number || ' before ' || lapsing.expiration_date,
             case when lapsing.filing_number is null then null
               else 'Filing number ' || lapsing.filing_number end,
             'lien_renewal', lapsing.expiration_date, ${priority(sql.fragment`lapsing.severity`)},
             'system', 'lien', lapsing.id
      from raised join lapsing on lapsing.id = raised.lien_id
      returning id
    )
    select (select count(*) from raised) as raised, (select count(*) from tasks_added) as tasks
  `);

const Escalated = z.object({ lien_id: z.string(), priority: z.string() });

/** Raises the severity of open alerts as expiry approaches. Returns the new task priorities. */
export const escalateAlerts = (tx: Transaction, today: string) =>
  tx.any(sql.type(Escalated)`
    update lien_alerts as alert
    set severity = ${severity(today, sql.fragment`alert.expiration_date`)}
    where alert.status <> 'resolved'
      and alert.severity > ${severity(today, sql.fragment`alert.expiration_date`)}
    returning alert.lien_id, ${priority(sql.fragment`alert.severity`)} as priority
  `);

/**
 * Raises the priority of the open tasks of these liens; never lowers it. The liens are passed as one list,
 * because without statistics Postgres would compare every pair in a join.
 */
export const raiseTaskPriority = (tx: Transaction, lienIds: string[], to: string) =>
  tx.query(sql.typeAlias('void')`
    update tasks set priority = ${to}
    where task_type = 'lien_renewal' and related_type = 'lien'
      and related_id = any(${sql.array(lienIds, 'uuid')}) and status in ('open', 'in_progress')
      and array_position(${RANKS}, ${to}) > array_position(${RANKS}, priority)
  `);

export const anyLien = sql.fragment`select from liens`;

const hasLapsed = (today: string) => sql.fragment`status = 'active' and expiration_date < ${today}`;

export const lapsedLiens = (today: string) =>
  sql.fragment`select from liens where ${hasLapsed(today)}`;

export const expireLapsedLiens = (tx: Transaction, today: string) =>
  tx.query(
    deferred(sql.typeAlias('void')`update liens set status = 'expired' where ${hasLapsed(today)}`),
  );

const RANKS = sql.array(PRIORITIES, 'text');

/** The last mark (in days before expiry) that has passed. */
function severity(today: string, expiration: ReturnType<typeof sql.fragment>) {
  const days = sql.fragment`(${expiration} - ${today}::date)`;
  return sql.fragment`
    case when ${days} < 0 then 0 when ${days} <= 7 then 7 when ${days} <= 30 then 30
         when ${days} <= 60 then 60 when ${days} <= 90 then 90 else 180 end`;
}

const priority = (mark: ReturnType<typeof sql.fragment>) => sql.fragment`
  case when ${mark} <= 7 then 'urgent' when ${mark} <= 60 then 'high' else 'normal' end`;
