import { exampleBody } from '../../../jobs/webhooks/event-examples.ts';
import {
  envelopeOf,
  EVENT_TYPES,
  EVENTS,
  TestEventData,
} from '../../../jobs/webhooks/event-types.ts';
import { signatureHeaders } from '../../../jobs/webhooks/signature.ts';
import { dictionary } from '../../../sql/dictionary.ts';
import { TEST_EVENT } from '../../../sql/webhooks/events.ts';
import { responseExample } from './response-examples.ts';
import { outputSchema, type Components, type Json } from './schemas.ts';

const HEADER_DESCRIPTIONS = dictionary<string>({
  'User-Agent': 'Names the sender.',
  'X-Webhook-Id':
    'Identifies the delivery. The same in every attempt and replay, so you can skip what you have already handled.',
  'X-Webhook-Event': 'The type of the event.',
  'X-Webhook-Timestamp': 'When this attempt was made, in seconds since 1970.',
  'X-Webhook-Attempt': 'Counts the attempts, from 1.',
  'X-Webhook-Signature':
    'sha256= and the HMAC-SHA256 of the raw body in hexadecimal, under the secret of the subscription. While a secret is replaced: under the previous one.',
  'X-Hub-Signature-256': 'The same signature, for receivers that expect this name.',
  'X-Webhook-Signature-Next': 'Sent only while a secret is replaced: the signature of the new one.',
  'webhook-id': 'The id of the delivery, as Standard Webhooks names it.',
  'webhook-timestamp': 'When this attempt was made, as Standard Webhooks names it.',
  'webhook-signature':
    'Standard Webhooks 1.0: v1, and the base64 HMAC-SHA256 of id, timestamp and body. While a secret is replaced: one for each secret, separated by a space.',
});

const MAY_BE_MISSING = new Set(['X-Webhook-Signature-Next']);

/** The deliveries that receivers get, one for each event. */
export function buildWebhooks(components: Components): Json {
  return Object.fromEntries([
    ...EVENT_TYPES.map((type) => {
      const schema = outputSchema(eventSchema(type, EVENTS[type]), components);
      const { description = '' } = EVENTS[type];
      return [type, delivery(type, description, schema, exampleBody(type))];
    }),
    [TEST_EVENT, testDelivery(components)],
  ]);
}

function testDelivery(components: Components) {
  const schema = outputSchema(eventSchema(TEST_EVENT, TestEventData), components);
  const example = responseExample('WebhookTestEvent', schema, components);
  return delivery(TEST_EVENT, TestEventData.description ?? '', schema, example);
}

/** `payment.received` becomes PaymentReceived. */
const pascalCase = (type: string) =>
  type.replace(/(?:^|[._])(\w)/g, (_, letter: string) => letter.toUpperCase());

const eventSchema = (type: string, data: Parameters<typeof envelopeOf>[1]) =>
  envelopeOf(type, data).meta({ id: `${pascalCase(type)}Event` });

const delivery = (type: string, description: string, schema: Json, example: unknown): Json => ({
  post: {
    tags: ['webhooks'],
    operationId: `on${pascalCase(type)}`,
    summary: `Receive ${type}`,
    description: `${description} Verify the signature over the raw body before you parse it.`,
    security: [],
    parameters: headersOf(type),
    requestBody: {
      required: true,
      content: { 'application/json': { schema, example } },
    },
    responses: {
      '2XX': { description: 'Received. Answer within the time-out, and do long work afterwards.' },
      '410': { description: 'The receiver is gone. The subscription is disabled.' },
      default: {
        description: 'Not received. The delivery is repeated by the schedule of the tenant.',
      },
    },
  },
});

/** The headers of a delivery, as the code that sends it makes them. */
function headersOf(event_type: string): Json[] {
  const body = Buffer.from('{}');
  const made = signatureHeaders(
    { webhook_id: EXAMPLE_DELIVERY_ID, event_type, attempt: 1, body },
    { current: 'the secret of the subscription', previous: 'the previous secret' },
    1_768_489_445,
  );
  return Object.entries(made)
    .filter(([name]) => name !== 'Content-Type')
    .map(([name, example]) => ({
      name,
      in: 'header',
      required: !MAY_BE_MISSING.has(name),
      description: HEADER_DESCRIPTIONS[name] ?? '',
      schema: { type: 'string' },
      example,
    }));
}

const EXAMPLE_DELIVERY_ID = '019b2c2f-5e20-7a31-8c43-9d8e7f6a5b4c';
