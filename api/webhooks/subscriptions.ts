import { z } from 'zod';
import { addDays } from '../../jobs/dates.ts';
import { auditChange } from '../../jobs/audit.ts';
import { EVENT_TYPES, factsOfEvents } from '../../jobs/webhooks/event-types.ts';
import { hintAt, quote } from '../../jobs/nearest-word.ts';
import * as rotation from '../../jobs/webhooks/rotate-secret.ts';
import * as again from '../../jobs/webhooks/resend.ts';
import * as subscription from '../../jobs/webhooks/subscription.ts';
import { flag, integer, timestamps, timestamp, uuid } from '../../sql/types.ts';
import { subscriptions as table } from '../../sql/webhooks/subscriptions.ts';
import { isAnyFieldDenied } from '../endpoints/recent-proof.ts';
import { creationSchema } from '../endpoints/body-schemas.ts';
import { action, endpoint, nested, resource } from '../endpoints/resource.ts';
import { deadLetters } from './dead-letters.ts';
import { webhookDeliveryRecords } from './deliveries.ts';
import {
  nothingToRetry,
  subscriptionDisabled,
  deliveryUnderWay,
  testUnderWay,
} from '../../jobs/webhooks/resend.ts';
import { rotationUnderWay } from '../../jobs/webhooks/rotate-secret.ts';

const secret = z
  .string()
  .min(16, 'Must be at least 16 characters.')
  .max(256, 'Must be at most 256 characters.')
  .refine((value) => !/\p{Cc}/u.test(value), 'Must not contain control characters.')
  .nullish()
  .describe('Generated if omitted. Returned only on creation; null afterward.');

const events = z
  .array(z.string().max(60))
  .min(1, 'Must name at least one event.')
  .max(50)
  .superRefine((names, context) => {
    const [unknown] = subscription.findUnknownEvents(names);
    if (unknown !== undefined) {
      context.addIssue({
        code: 'custom',
        message: `There is no event ${quote(unknown)}.${hintAt(unknown, EVENT_TYPES)}`,
      });
    }
  })
  .describe(`Any of ${EVENT_TYPES.join(', ')}; or * for all of them.`);

const fields = {
  id: uuid.readonly(),
  url: z
    .string()
    .max(2_100)
    .describe(
      'The address of your receiver. It must be HTTPS and on a public host; in development, `webhooks.allow_private_hosts` allows local ones.',
    ),
  events,
  secret: z
    .string()
    .nullable()
    .readonly()
    .describe(
      'The signing secret. Only the answers that create or rotate it show it; otherwise null.',
    ),
  secret_last_four: z.string().readonly().describe('The last four characters of the secret.'),
  is_active: flag
    .default(true)
    .describe(
      'Whether events are sent. Setting it to true resets the failure count; events of the time in between are not sent.',
    ),
  last_error: z
    .string()
    .nullable()
    .readonly()
    .describe('Why the subscription was disabled. Null if it is active.'),
  consecutive_failures: integer
    .readonly()
    .describe('How many deliveries in a row have failed for good.'),
  disabled_at: timestamp
    .nullable()
    .readonly()
    .describe('When the subscription was disabled. Null if it is active.'),
  failing_since: timestamp
    .nullable()
    .readonly()
    .describe('Set from the first failed attempt until an attempt succeeds.'),
  last_failure: z
    .string()
    .nullable()
    .readonly()
    .describe('The error of the newest failed attempt.'),
  is_slow: z
    .boolean()
    .readonly()
    .describe(
      'Its last response took five seconds or longer, so its deliveries use a separate queue.',
    ),
  rotation_ends_at: timestamp
    .nullable()
    .readonly()
    .describe('Until this time, the previous secret also signs.'),
  ...timestamps,
};

const Replay = z.object({
  delivery_id: uuid.nullish().describe('One delivery, whether or not it arrived.'),
  since: timestamp
    .nullish()
    .describe('All deliveries that failed since then, up to 1,000 per call.'),
});
const Rotation = z.object({
  secret,
  overlap_hours: z
    .int()
    .min(0)
    .max(168)
    .nullish()
    .describe(
      'How long both secrets sign. Default: webhooks.rotation_overlap_hours from the settings.',
    ),
});

const Retry = z.object({
  delivery_id: uuid.nullish().describe('The failed delivery to retry.'),
  dead_letter_id: uuid.nullish().describe('The dead letter to retry, instead of its delivery.'),
});

/** The receiver is sent the data of its events. */
const carriedFacts = ({ events: names }: Record<string, unknown>) =>
  factsOfEvents((names ?? []) as string[]);

export const webhooks = resource({
  name: 'WebhookSubscription',
  about:
    'Sends the chosen events to one URL, signed with its secret. A receiver answers 2xx within `webhooks.timeout_ms`; failed attempts are repeated.',
  path: 'webhooks',
  area: 'webhooks',
  table,
  read: 'admin',
  write: 'admin',
  offers: ['list', 'read', 'update', 'delete'],
  fields,
  filters: ['url', 'events', 'is_active', 'failing_since', 'is_slow'],

  four_eyes: { update: 'destinations' },
  needs_proof: { update: isAnyFieldDenied },
  carries: carriedFacts,
  update: subscription.changeSubscription,
  remove: subscription.unsubscribe,
  nested: {
    'dead-letters': nested(deadLetters, 'subscription_id', ['list']),
    deliveries: nested(webhookDeliveryRecords, 'subscription_id', ['list']),
  },
  actions: {
    're-enable': action({
      allow: 'admin',
      summary: 'Re-enable a disabled subscription',
      description: 'Resets the failure count. Failed deliveries are not resent; use replay.',
      four_eyes: 'destinations',
      carries: 'record',
      run: subscription.reEnable,
    }),
    'retry-delivery': action({
      allow: 'admin',
      summary: 'Retry a failed delivery',
      description:
        'Sends the event again with the same id and bytes, and with all retries. Default: the newest failed delivery. Answers 409 if nothing has failed or the subscription is disabled.',
      conflicts: () => [nothingToRetry(), subscriptionDisabled()],
      body: Retry,
      reply: z.object({
        delivery_id: uuid,
        status: z.literal('queued').describe('The delivery waits for a worker.'),
      }),
      carries: 'record',
      run: again.retryDelivery,
    }),
    replay: action({
      allow: 'admin',
      summary: 'Replay one delivery, or all that failed since a time',
      description:
        'Use it after your receiver was down. Replays at most 1,000 deliveries, oldest first, with the same ids and bytes; `remaining` says how many are left for another call. Pending deliveries are not sent twice. Answers 409 if the subscription is disabled.',
      conflicts: () => [subscriptionDisabled(), deliveryUnderWay()],
      body: Replay,
      example: (today) => ({ since: `${addDays(today, -1)}T00:00:00Z` }),
      reply: z.object({
        queued: integer.describe('How many deliveries are sent again.'),
        remaining: integer.describe('How many are left for another call.'),
      }),
      carries: 'record',
      run: again.replayDeliveries,
    }),
    test: action({
      allow: 'admin',
      summary: 'Send one test event and return its delivery',
      description:
        'Sends the event `webhook.test` once, also to a disabled subscription. The result does not count as a failure; read it from the delivery a moment later.',
      conflicts: () => [testUnderWay()],
      reply: webhookDeliveryRecords.reply,
      run: again.sendTest,
    }),
    'rotate-secret': action({
      allow: 'admin',
      summary: 'Rotate the signing secret',
      description:
        'Only this answer shows the new secret. For some hours, deliveries are also signed with the previous one, so that you can change your receiver. If the secret has leaked, send `overlap_hours` 0.',
      conflicts: () => [rotationUnderWay()],
      body: Rotation,
      reply: z.object({
        ...fields,
        secret: z.string().describe('The new secret. No later answer shows it.'),
      }),
      run: rotation.rotateSecret,
    }),
    'retire-previous-secret': action({
      allow: 'admin',
      summary: 'Retire the previous signing secret',
      description: 'From then on, only the current secret signs.',
      run: rotation.retirePreviousSecret,
    }),
  },
});

/** A separate endpoint, because only its answer contains the secret. */
export const createSubscription = endpoint({
  method: 'POST',
  path: '/webhooks',
  allow: 'admin',
  tag: 'webhooks',
  summary: 'Create a webhook subscription',
  description:
    'Events that happen from now on are sent. Only this answer shows the secret with which you verify signatures. Send a test with POST /webhooks/{id}/test.',
  action: 'create',
  resource: 'webhooks',
  transaction: 'write',
  status: 201,
  four_eyes: 'destinations',
  secrets: ['secret'],
  needs_proof: isAnyFieldDenied,
  carries: ({ body }) => Promise.resolve(carriedFacts(body as Record<string, unknown>)),
  body: creationSchema({ fields, writeOnly: { secret } }),
  example: () => ({ events: ['*'] }),
  reply: webhooks.reply,
  run: async ({ work, body }) => {
    const { secret: given, ...input } = body as Parameters<typeof subscription.subscribe>[1] & {
      secret?: string | null;
    };
    const kept = given ?? subscription.generateSecret();
    const row = await auditChange(work, table, 'create', null, () =>
      subscription.subscribe(work, input, kept),
    );
    return { ...row, secret: kept };
  },
});
