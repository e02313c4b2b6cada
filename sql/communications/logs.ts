import { sql } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';

export const logs = table({
  name: 'communication_logs',
  own: [
    'id',
    'q',
    'borrower_id',
    'loan_id',
    'template_id',
    'template_type',
    'batch_id',
    'channel',
    'status',
    'direction',
    'triggered_by',
    'document_id',
    'recipient',
    'provider',
    'provider_message_id',
    'sent_by_id',
    'created_at',
    'updated_at',
  ],
  rows: sql.fragment`
    select record.id, record.template_id, record.template_type, record.borrower_id, record.loan_id,
           record.batch_id, record.direction, record.channel, record.recipient, record.sender,
           record.subject, record.body, record.status, record.provider,
           record.provider_message_id, record.error_code, record.error_message, record.attempts,
           record.queued_at, record.sent_at, record.delivered_at, record.opened_at,
           record.clicked_at, record.failed_at, record.received_at, record.triggered_by,
           record.sent_by_id, record.in_reply_to_id, record.document_id, record.blocked_reasons,
           record.metadata, record.created_at, record.updated_at
    from communication_logs as record
  `,
  search: (words) => sql.fragment`
    row.subject ilike ${containsPattern(words)} or row.recipient ilike ${containsPattern(words)}
  `,
});

/** Letters that were mailed as copies of the document (alias `document`). */
export const LETTERS_OF_DOCUMENT = sql.fragment`
  array(
    select log.id::text from communication_logs as log
    where log.document_id = document.id and log.channel = 'letter'
      and (log.borrower_id = document.borrower_id or log.loan_id = document.loan_id)
  )
`;
