import { z } from 'zod';
import { TRIGGERS } from '../../jobs/communications/compose.ts';
import { BLOCK_REASONS } from '../../jobs/communications/contact-rules.ts';
import { CHANNELS } from '../../sql/communications/channels.ts';
import { logs as table } from '../../sql/communications/logs.ts';
import { integer, ownJson, timestamps, timestamp, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

const STATUSES = [
  ...(['queued', 'sent', 'delivered', 'opened', 'failed', 'bounced', 'complained'] as const),
  ...(['undelivered', 'blocked', 'received'] as const),
] as const;

const nullableText = z.string().nullable().readonly();
const nullableTimestamp = timestamp.nullable().readonly();
const nullableId = uuid.nullable().readonly();

export const communicationLogs = resource({
  name: 'CommunicationLog',
  about:
    'A message to or from a borrower, with its delivery status. Blocked messages are kept with their reasons.',
  path: 'communication-logs',
  area: 'communications',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    template_id: nullableId,
    template_type: nullableText,
    borrower_id: nullableId,
    loan_id: nullableId,
    batch_id: nullableId,
    direction: z.enum(['outbound', 'inbound']).readonly(),
    channel: z.enum(CHANNELS).readonly(),
    recipient: nullableText,
    sender: nullableText,
    subject: nullableText,
    body: nullableText,
    status: z.enum(STATUSES).readonly(),
    provider: nullableText,
    provider_message_id: nullableText,
    error_code: nullableText,
    error_message: nullableText,
    attempts: integer.readonly(),
    queued_at: nullableTimestamp,
    sent_at: nullableTimestamp,
    delivered_at: nullableTimestamp,
    opened_at: nullableTimestamp,
    clicked_at: nullableTimestamp,
    failed_at: nullableTimestamp,
    received_at: nullableTimestamp,
    triggered_by: z.enum(TRIGGERS).readonly(),
    sent_by_id: nullableId,
    in_reply_to_id: nullableId,
    document_id: nullableId,
    blocked_reasons: z.array(z.enum(BLOCK_REASONS)).readonly(),
    metadata: ownJson
      .readonly()
      .describe(
        'What the platform notes, such as the id of the auto response that sent the message.',
      ),
    ...timestamps,
  },
  filters: [
    ...(['borrower_id', 'loan_id', 'template_id', 'template_type', 'batch_id'] as const),
    ...(['channel', 'status', 'direction', 'triggered_by', 'document_id'] as const),
    ...(['recipient', 'provider', 'provider_message_id', 'sent_by_id'] as const),
  ],
});
