import { z } from 'zod';
import { integer, ownJson, timestamps, timestamp, uuid } from '../../sql/types.ts';
import { attempts as attemptsTable } from '../../sql/webhooks/attempts.ts';
import { webhookDeliveries as table } from '../../sql/webhooks/deliveries.ts';
import { nested, resource } from '../endpoints/resource.ts';

const response_body = z.string().nullable().readonly();

const attempts = resource({
  name: 'WebhookAttempt',
  about:
    'One attempt to deliver an event, with the answer of the receiver. Kept for `webhooks.keep_attempts_days`.',
  path: 'webhook-attempts',
  area: 'webhooks',
  table: attemptsTable,
  read: 'admin',
  write: 'admin',
  offers: [],

  fields: {
    id: uuid.readonly(),
    delivery_id: uuid.readonly(),
    attempt: integer.readonly().describe('The number of the attempt, from 1.'),
    started_at: timestamp.readonly().describe('When the request was sent.'),
    answered_at: timestamp.nullable().readonly().describe('Null if a crash interrupted it.'),
    response_status: integer
      .nullable()
      .readonly()
      .describe('The status of the answer. Null if there was none.'),
    response_body: response_body.describe("The beginning of the receiver's response."),
    error: z
      .string()
      .nullable()
      .readonly()
      .describe('Why the attempt failed. Null if it succeeded.'),
    ms: integer.nullable().readonly().describe('Milliseconds until the response was read.'),
  },
  filters: ['attempt', 'response_status', 'started_at'],
  sort: { field: 'started_at', descending: true },
});

export const webhookDeliveryRecords = resource({
  name: 'WebhookDelivery',
  about: 'An event on its way to one subscription, with the result of its newest attempt.',
  path: 'webhook-deliveries',
  area: 'webhooks',
  table,
  read: 'admin',
  write: 'admin',
  offers: ['read'],

  fields: {
    id: uuid.readonly(),
    subscription_id: uuid.readonly(),
    webhook_id: uuid
      .readonly()
      .describe('Sent as `X-Webhook-Id` and `webhook-id`. The same for every attempt and replay.'),
    event_id: uuid.readonly(),
    event_type: z.string().readonly(),
    request_id: z
      .string()
      .nullable()
      .readonly()
      .describe('The X-Request-Id of the request that caused it.'),
    payload: ownJson.readonly().describe('The body of the delivery.'),
    round: integer.readonly().describe('0, and one more each time that it is sent again.'),
    status: z
      .enum(['scheduled', 'delivered', 'dead', 'canceled'])
      .readonly()
      .describe(
        'Whether an attempt is planned, the event has arrived, all attempts failed, or it will not be sent.',
      ),
    attempt: integer.readonly().describe('The number of the next or last attempt.'),
    next_attempt_at: timestamp
      .nullable()
      .readonly()
      .describe('When the next attempt is made. Null if none is planned.'),
    delivered_at: timestamp
      .nullable()
      .readonly()
      .describe('When the receiver accepted the event. Null until then.'),
    attempted_at: timestamp.nullable().readonly().describe('When the newest attempt was made.'),
    response_status: integer
      .nullable()
      .readonly()
      .describe('The status of the newest answer. Null if there was none.'),
    error: z
      .string()
      .nullable()
      .readonly()
      .describe('Why the newest attempt failed. Null if it succeeded.'),
    ms: integer.nullable().readonly().describe('Duration of the newest attempt in milliseconds.'),
    ...timestamps,
  },
  filters: ['status', 'event_type', 'event_id', 'response_status', 'round', 'created_at'],
  nested: { attempts: nested(attempts, 'delivery_id', ['list']) },
});
