import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
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
    batch_id: nullableId.describe('The batch that sent the message. Null for a single message.'),
    direction: z
      .enum(['outbound', 'inbound'])
      .readonly()
      .describe('Whether the message went to the borrower or came from the borrower.'),
    channel: z.enum(CHANNELS).readonly().describe('How the message travels.'),
    recipient: nullableText.describe(
      'The address or number of the recipient. Null if the message was blocked before it had one.',
    ),
    sender: nullableText.describe('The address or number of the sender.'),
    subject: nullableText.describe('The subject as sent. Null for text messages.'),
    body: nullableText.describe('The text as sent or received.'),
    status: z
      .enum(STATUSES)
      .readonly()
      .describe('How far the message got. A blocked message was never sent.'),
    provider: nullableText.describe(
      'The message provider. Null until a provider took the message.',
    ),
    provider_message_id: nullableText.describe(
      "The provider's id of the message. Null until the provider took it.",
    ),
    error_code: nullableText.describe(
      'The code of the failure, from the provider or the platform. Null if nothing failed.',
    ),
    error_message: nullableText.describe('The failure in words. Null if nothing failed.'),
    attempts: integer.readonly().describe('How often the platform tried to send the message.'),
    queued_at: nullableTimestamp.describe(
      'When the message was queued. Null for received messages.',
    ),
    sent_at: nullableTimestamp.describe('When the provider took the message. Null until then.'),
    delivered_at: nullableTimestamp.describe(
      'When the provider reported the delivery. Null until then.',
    ),
    opened_at: nullableTimestamp.describe(
      'When the recipient first opened the message, if the provider reports it.',
    ),
    clicked_at: nullableTimestamp.describe(
      'When the recipient first followed a link, if the provider reports it.',
    ),
    failed_at: nullableTimestamp.describe('When the message failed for good. Null otherwise.'),
    received_at: nullableTimestamp.describe(
      'When a message from the borrower arrived. Null for sent messages.',
    ),
    triggered_by: z
      .enum(TRIGGERS)
      .readonly()
      .describe('What caused the message: a user, the platform, an auto response or the portal.'),
    sent_by_id: nullableId.describe('The user who sent the message. Null if the platform sent it.'),
    in_reply_to_id: nullableId.describe(
      'The message that this one answers. Null if it answers none.',
    ),
    document_id: nullableId,
    blocked_reasons: derivedFrom(
      z
        .array(z.enum(BLOCK_REASONS))
        .readonly()
        .describe('Why the message was not sent. Empty unless it was blocked.'),
      'cases.facts',
    ),
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
