import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

/** A request that nobody has decided about in time is shown as expired, and stays undone. */
export const approvals = table({
  name: 'approvals',
  rows: sql.fragment`
    select record.id, record.kind, record.endpoint, record.params, record.body, record.if_match,
           case when record.status = 'pending' and record.expires_at <= now() then 'expired'
             else record.status end as status,
           record.reason, record.requested_by, record.requested_by_email, record.decided_by,
           record.decided_at, record.expires_at, record.created_at, record.updated_at
    from approvals as record
  `,
});

/** The sealed part of the request's body, if it has one. */
export const sealedOf = (tx: Transaction, id: string) =>
  tx.oneFirst(sql.type(z.object({ secrets_sealed: z.string().nullable() }))`
    select secrets_sealed from approvals where id = ${id}
  `);
