import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

type BatchRow = {
  borrower_id: string;
  recipient: string | null;
  status: 'queued' | 'blocked';
  blocked_reasons: readonly string[];
  figures: object;
};
type BatchHead = {
  batch_id: string;
  template_id: string | null;
  template_type: string;
  channel: string;
  sent_by_id: string | null;
};

const BatchWritten = z.object({
  id: z.string(),
  borrower_id: z.string(),
  status: z.enum(['queued', 'blocked']),
  blocked_reasons: z.array(z.string()),
});

export const writeBatch = (tx: Transaction, rows: readonly BatchRow[], head: BatchHead) =>
  tx.any(sql.type(BatchWritten)`
    insert into communication_logs (
      batch_id, template_id, template_type, channel, sent_by_id, borrower_id, recipient, status,
      blocked_reasons, queued_at, figures
    )
    select ${head.batch_id}::uuid, ${head.template_id}::uuid, ${head.template_type},
           ${head.channel}, ${head.sent_by_id}::uuid, row.borrower_id, row.recipient, row.status,
           row.blocked_reasons, case when row.status = 'queued' then now() end, row.figures
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as row (
        borrower_id uuid, recipient text, status text, blocked_reasons jsonb, figures jsonb
      )
    returning id, borrower_id, status, blocked_reasons
  `);
