import { sql, type Transaction } from '../../database/db.ts';

export const markApproved = (tx: Transaction, id: string, by: string | null) =>
  tx.query(sql.typeAlias('void')`
    update loans
    set status = 'approved', approved_at = now(), approved_on = app.business_date(),
        approved_by = ${by}
    where id = ${id}
  `);

export const markDenied = (tx: Transaction, id: string, reasons: readonly string[]) =>
  tx.query(sql.typeAlias('void')`
    update loans set denied_at = now(), denial_reasons = ${JSON.stringify(reasons)}::jsonb
    where id = ${id}
  `);

/** The reasons that were stated to the applicant later. */
export const setDenialReasons = (tx: Transaction, id: string, reasons: readonly string[]) =>
  tx.query(sql.typeAlias('void')`
    update loans set denial_reasons = ${JSON.stringify(reasons)}::jsonb where id = ${id}
  `);

export const markCanceled = (tx: Transaction, id: string, reason: string | null) =>
  tx.query(sql.typeAlias('void')`
    update loans set canceled_at = now(), cancel_reason = ${reason} where id = ${id}
  `);

export const setLabels = (tx: Transaction, id: string, labels: readonly string[]) =>
  tx.query(sql.typeAlias('void')`
    update loans set labels = ${JSON.stringify(labels)}::jsonb where id = ${id}
  `);

export const setOfficer = (tx: Transaction, id: string, officerId: string | null) =>
  tx.query(sql.typeAlias('void')`update loans set loan_officer_id = ${officerId} where id = ${id}`);

/** Whether the user may service loans: active, and in one of these roles. */
export const canServiceLoans = (tx: Transaction, userId: string, roles: readonly string[]) =>
  tx.exists(sql.typeAlias('void')`
    select from users
    where id = ${userId} and is_active and tenant_role = any(${sql.array([...roles], 'text')})
  `);
