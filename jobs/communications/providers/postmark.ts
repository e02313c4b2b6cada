import { z } from 'zod';
import { dictionary } from '../../../sql/dictionary.ts';
import { isBasicPasswordValid, type Provider } from './callback.ts';

const Event = z.object({
  RecordType: z.string(),
  /** The kind of bounce. */
  Type: z.string().nullish(),
  SuppressSending: z.boolean().nullish(),
  MessageID: z.string(),
  /** Metadata that we attached to the email. */
  Metadata: z.object({ message: z.string().optional() }).nullish(),
  DeliveredAt: z.string().nullish(),
  BouncedAt: z.string().nullish(),
  ReceivedAt: z.string().nullish(),
  ChangedAt: z.string().nullish(),
  Description: z.string().nullish(),
});

/**
 * Bounce types that concern the address or the opt-out. All others mean that this email was not delivered.
 */
const STATUS_BY_BOUNCE_TYPE = dictionary<string>({
  HardBounce: 'bounced',
  BadEmailAddress: 'bounced',
  ManuallyDeactivated: 'bounced',
  SpamNotification: 'complained',
  SpamComplaint: 'complained',
  Unsubscribe: 'unsubscribe',
  Transient: 'deferred',
  AutoResponder: 'processed',
  AddressChange: 'processed',
  Subscribe: 'processed',
});
const STATUS_BY_RECORD_TYPE = dictionary<string>({
  Delivery: 'delivered',
  SpamComplaint: 'complained',
  Open: 'opened',
  Click: 'clicked',
});

function reportedStatus({ RecordType, Type, SuppressSending }: z.output<typeof Event>): string {
  if (RecordType === 'Bounce') return STATUS_BY_BOUNCE_TYPE[Type ?? ''] ?? 'undelivered';
  if (RecordType === 'SubscriptionChange') return SuppressSending ? 'unsubscribe' : 'processed';
  return STATUS_BY_RECORD_TYPE[RecordType] ?? RecordType;
}

const Mail = z.object({
  FromFull: z.object({ Email: z.string() }),
  OriginalRecipient: z.string().nullish(),
  Subject: z.string().nullish(),
  TextBody: z.string().nullish(),
  MessageID: z.string(),
  Headers: z.array(z.object({ Name: z.string(), Value: z.string() })).default([]),
});

/** Postmark does not sign callbacks. The secret is the password in the callback URL. */
export const postmark: Provider = {
  isFrom: isBasicPasswordValid,
  reports: Event.transform((event) => ({
    provider_message_id: event.Metadata?.message ?? event.MessageID,
    status: reportedStatus(event),
    timestamp: event.DeliveredAt ?? event.BouncedAt ?? event.ReceivedAt ?? event.ChangedAt,
    error_code: event.Type?.slice(0, 60),
    error_message: event.Description?.slice(0, 1_000),
  })),
  message: Mail.transform(({ FromFull, OriginalRecipient, Headers, ...mail }) => {
    const header = (name: string) =>
      Headers.find(({ Name }) => Name.toLowerCase() === name)?.Value.slice(0, 300);
    return {
      from: FromFull.Email,
      to: OriginalRecipient,
      subject: mail.Subject,
      body: mail.TextBody ?? '',
      message_id: mail.MessageID,
      in_reply_to: header('in-reply-to'),
      auto_submitted: header('auto-submitted')?.slice(0, 100),
    };
  }),
};
