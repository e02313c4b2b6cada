import { sql, deferred, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const securityLog = table({
  name: 'security_log',
  rows: sql.fragment`
    select record.id, record.event, record.outcome, record.reason, record.user_id,
           record.attempted_identifier, record.subject_id, record.route, record.ip_address,
           record.request_id, record.occurrences, record.created_at
    from security_log as record
  `,
  own: [
    'id',
    'event',
    'outcome',
    'reason',
    'user_id',
    'attempted_identifier',
    'subject_id',
    'ip_address',
    'request_id',
    'created_at',
  ],
});

export const OUTCOMES = ['done', 'refused', 'failed'] as const;

export type SecurityRow = {
  event: string;
  outcome: (typeof OUTCOMES)[number];
  reason: string | null;
  user_id: string | null;
  /** The address that was tried. The statement replaces it by the account that has it. */
  email: string | null;
  attempted_identifier: string | null;
  subject_id: string | null;
  route: string;
  ip_address: string | null;
  request_id: string | null;
  occurrences: number;
};

/** The statement is the same whether or not the account exists, so its duration reveals nothing. */
export const writeSecurityLog = (tx: Transaction, row: SecurityRow) =>
  tx.query(
    deferred(sql.typeAlias('void')`
    insert into security_log (
      event, outcome, reason, user_id, attempted_identifier, subject_id, route, ip_address, request_id,
      occurrences
    )
    select ${row.event}, ${row.outcome}, ${row.reason}, coalesce(${row.user_id}::uuid, account.id),
           case when account.id is null then ${row.attempted_identifier} end, ${row.subject_id}::uuid,
           ${row.route}, ${row.ip_address}, ${row.request_id}, ${row.occurrences}::integer
    from (select) as one left join users as account on account.email = ${row.email}
  `),
  );
