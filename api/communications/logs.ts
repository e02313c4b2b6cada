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

const given = z.string().nullable().readonly();
const when = timestamp.nullable().readonly();
const id = uuid.nullable().readonly();

export const communicationLogs = resource({
  name: 'CommunicationLog',
  path: 'communication-logs',
  area: 'communications',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly(),
    template_id: id,
    template_type: given,
    borrower_id: id,
    loan_id: id,
    batch_id: id,
    direction: z.enum(['outbound', 'inbound']).readonly(),
    channel: z.enum(CHANNELS).readonly(),
    recipient: given,
    sender: given,
    subject: given,
    body: given,
    status: z.enum(STATUSES).readonly(),
    provider: given,
    provider_message_id: given,
    error_code: given,
    error_message: given,
    attempts: integer.readonly(),
    queued_at: when,
    sent_at: when,
    delivered_at: when,
    opened_at: when,
    clicked_at: when,
    failed_at: when,
    received_at: when,
    triggered_by: z.enum(TRIGGERS).readonly(),
    sent_by_id: id,
    in_reply_to_id: id,
    document_id: id,
    blocked_reasons: z.array(z.enum(BLOCK_REASONS)).readonly(),
    metadata: ownJson.readonly(),
    ...timestamps,
  },
  filters: [
    ...(['borrower_id', 'loan_id', 'template_id', 'template_type', 'batch_id'] as const),
    ...(['channel', 'status', 'direction', 'triggered_by', 'document_id'] as const),
    ...(['recipient', 'provider', 'provider_message_id', 'sent_by_id'] as const),
  ],
});
