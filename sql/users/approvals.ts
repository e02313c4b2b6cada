import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { isUndecided, subjectEnded } from './approval-subjects.ts';

const rows = (
  more: ReturnType<typeof sql.fragment>,
  where: ReturnType<typeof sql.fragment>,
) => sql.fragment`
  select record.id, record.kind, record.endpoint, record.params, record.body, record.if_match, ${more}
         record.content_fingerprint, record.changed_fields,
         case
           when record.status <> 'pending' then record.status
           when record.expires_at <= now() then 'expired'
           when subject.ended_because is not null then 'outdated'
           else record.status
         end as status,
         subject.ended_because,
         record.reason, record.requested_by, record.requested_by_email, record.decided_by,
         record.decided_at, record.expires_at, record.created_at, record.updated_at
  from approvals as record
  cross join lateral (
    select case when ${isUndecided} then ${subjectEnded} end as ended_because
    offset 0
  ) as subject
  where ${where}
`;

/**
 * An undecided request is shown as expired after its deadline, and as outdated once its record has ended; it
 * can then no longer be approved. The content is left out, so that the history does not repeat names and
 * addresses.
 */
export const approvals = table({
  name: 'approvals',
  rows: rows(sql.fragment``, sql.fragment`true`),
});

const CONTENT = sql.fragment`record.content,`;

/** The same with the content, for the transaction that decides. */
export const approvalsWithContent = table({
  name: 'approvals',
  rows: rows(CONTENT, sql.fragment`true`),
});

/** The requests that a user may see: their own, and those that they may decide. */
export type ApprovalViewer = {
  user_id: string;
  /** Endpoints that the user may call for every record. */
  endpoints: readonly string[];
  /** Endpoints that the user may call for single records. */
  records: readonly { endpoint: string; id: string }[];
};

/** The requests with their content that this user may see. */
export const approvalsVisibleTo = ({ user_id, endpoints, records }: ApprovalViewer) =>
  table({
    name: 'approvals',
    rows: rows(
      CONTENT,
      sql.fragment`
        record.requested_by = ${user_id}
        or record.endpoint = any(${sql.array([...endpoints], 'text')})
        or record.endpoint || ' ' || (record.params ->> 'id')
          = any(${sql.array(
            records.map(({ endpoint, id }) => `${endpoint} ${id}`),
            'text',
          )})
      `,
    ),
  });

export const findSealedSecrets = (tx: Transaction, id: string) =>
  tx.oneFirst(sql.type(z.object({ secrets_sealed: z.string().nullable() }))`
    select secrets_sealed from approvals where id = ${id}
  `);
