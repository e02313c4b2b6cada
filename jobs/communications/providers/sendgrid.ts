import { createPublicKey, verify, type KeyObject } from 'node:crypto';
import { z } from 'zod';
import { isFresh, toTimestamp, unsupportedBody, type Provider } from './callback.ts';

/** The key as SendGrid displays it: a P-256 public key (DER) in base64. */
function parsePublicKey(secret: string): KeyObject | null {
  try {
    const bytes = Buffer.from(secret, 'base64');
    const key = createPublicKey({ key: bytes, format: 'der', type: 'spki' });
    return key.asymmetricKeyDetails?.namedCurve === 'prime256v1' ? key : null;
  } catch {
    return null;
  }
}

const Event = z.object({
  event: z.string(),
  type: z.string().nullish(),
  timestamp: z.number().nullish(),
  /** Metadata that we attached to the email. */
  message: z.string().nullish(),
  'smtp-id': z.string().nullish(),
  sg_message_id: z.string().nullish(),
  status: z.string().nullish(),
  reason: z.string().nullish(),
});

/** A bounce caused by the sender or by a full mailbox does not invalidate the address. */
function reportedStatus({ event, type, reason }: z.output<typeof Event>): string {
  if (event === 'bounce' && type === 'blocked') return 'undelivered';
  if (event === 'group_unsubscribe') return 'unsubscribe';
  if (event !== 'dropped') return event;
  if (/spam report/i.test(reason ?? '')) return 'complained';
  return /bounced|invalid/i.test(reason ?? '') ? 'bounced' : event;
}

/** SendGrid drops mail to addresses on its unsubscribe list. */
const isOptedOut = ({ event, reason }: z.output<typeof Event>) =>
  event === 'dropped' && /unsubscribe/i.test(reason ?? '');

/**
 * SendGrid's Event Webhook: an ECDSA signature over timestamp and raw body. The secret is the public key.
 */
export const sendgrid: Provider = {
  problem: ({ secret }) =>
    parsePublicKey(secret)
      ? null
      : { secret: 'Must be the verification key of the Event Webhook.' },
  isFrom: ({ secret }, { raw, header, now }) => {
    const key = parsePublicKey(secret);
    const timestamp = header('X-Twilio-Email-Event-Webhook-Timestamp');
    const signature = header('X-Twilio-Email-Event-Webhook-Signature');
    if (key === null || !isFresh(timestamp, now)) return false;
    return verify('sha256', Buffer.from(timestamp + raw), key, Buffer.from(signature, 'base64'));
  },
  reports: z.array(Event).transform((events) =>
    events.map((event) => ({
      provider_message_id: event.message ?? event['smtp-id'] ?? event.sg_message_id,
      status: reportedStatus(event),
      timestamp: event.timestamp && toTimestamp(event.timestamp),
      error_code: event.status?.slice(0, 60),
      error_message: event.reason?.slice(0, 1_000),
      is_opted_out: isOptedOut(event),
    })),
  ),
  message: unsupportedBody,
};
