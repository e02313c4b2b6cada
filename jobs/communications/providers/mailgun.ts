import { createHmac } from 'node:crypto';
import { z } from 'zod';
import {
  isFresh,
  equalsInConstantTime,
  toTimestamp,
  parseBody,
  type Callback,
  type Provider,
} from './callback.ts';

const Signature = z.object({ timestamp: z.string(), token: z.string(), signature: z.string() });

/** JSON events have a nested signature object; inbound mail has the signature in its form fields. */
function signatureIn(callback: Callback) {
  const body = parseBody(callback) as { signature?: unknown } | null;
  const isForm = typeof body?.signature === 'string';
  return Signature.safeParse(isForm ? body : body?.signature).data ?? null;
}

const Event = z.object({
  'event-data': z.object({
    event: z.string(),
    severity: z.string().nullish(),
    timestamp: z.number().nullish(),
    reason: z.string().nullish(),
    'delivery-status': z
      .object({
        code: z.union([z.number(), z.string()]).nullish(),
        message: z.string().nullish(),
        description: z.string().nullish(),
      })
      .nullish(),
    message: z.object({ headers: z.object({ 'message-id': z.string() }) }),
  }),
});

/** Mailgun retries temporary failures, so they do not invalidate the address. */
function reportedStatus({ event, severity, reason }: z.output<typeof Event>['event-data']): string {
  if (event === 'failed' && reason === 'suppress-unsubscribe') return 'failed';
  if (event === 'failed' && reason === 'suppress-complaint') return 'complained';
  if (event === 'failed') return severity === 'permanent' ? 'bounced' : 'deferred';
  if (event === 'rejected') return 'failed';
  return event === 'unsubscribed' ? 'unsubscribe' : event;
}

const Mail = z.object({
  sender: z.string(),
  recipient: z.string().nullish(),
  subject: z.string().nullish(),
  'body-plain': z.string().default(''),
  'Message-Id': z.string(),
  'In-Reply-To': z.string().nullish(),
  'Auto-Submitted': z.string().nullish(),
});

/**
 * The signature is an HMAC over timestamp and token only, so each token is accepted once. The secret is the
 * signing key.
 */
export const mailgun: Provider = {
  isFrom: ({ secret }, callback) => {
    const signed = signatureIn(callback);
    if (signed === null || !isFresh(signed.timestamp, callback.now)) return false;
    const expected = createHmac('sha256', secret).update(signed.timestamp + signed.token);
    return equalsInConstantTime(signed.signature, expected.digest('hex'));
  },
  onceOnly: (callback) => signatureIn(callback)?.token ?? '',
  reports: Event.transform(({ 'event-data': event }) => {
    const { code, message, description } = event['delivery-status'] ?? {};
    const why = description || message || event.reason;
    return {
      provider_message_id: event.message.headers['message-id'],
      status: reportedStatus(event),
      timestamp: event.timestamp && toTimestamp(event.timestamp),
      error_code: code === null || code === undefined ? undefined : String(code).slice(0, 60),
      error_message: why?.slice(0, 1_000),
      is_opted_out: event.reason === 'suppress-unsubscribe',
    };
  }),
  message: Mail.transform((mail) => ({
    from: mail.sender,
    to: mail.recipient,
    subject: mail.subject,
    body: mail['body-plain'],
    message_id: mail['Message-Id'],
    in_reply_to: mail['In-Reply-To'],
    auto_submitted: mail['Auto-Submitted'],
  })),
};
