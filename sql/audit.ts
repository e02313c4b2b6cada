import { sql } from './database/db.ts';
import { table } from './table.ts';
import { batchedInsert } from './write.ts';

/** Histories are always read newest first. */
export const audit = table({
  name: 'audit_log',
  rows: sql.fragment`
    select record.id, record.entity_type, record.entity_id, record.borrower_id, record.loan_id,
           record.action, record.actor_type, record.actor_id, record.actor_email, record.changes,
           record.reason, record.request_id, record.ip_address, record.created_at
    from audit_log as record
  `,
});

export const writeAuditEntry = batchedInsert('audit_log');
