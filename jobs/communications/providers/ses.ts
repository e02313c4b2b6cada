import { verify, X509Certificate } from 'node:crypto';
import { z } from 'zod';
import { dictionary } from '../../../sql/dictionary.ts';
import {
  isBasicPasswordValid,
  isFresh,
  equalsInConstantTime,
  unsupportedBody,
  parseBody,
  type ProviderCredentials,
  type Callback,
  type Provider,
} from './callback.ts';

/** Certificates and confirmations are accepted only from SNS hosts. */
const SNS_HOST = /^sns\.[a-z]{2}(-[a-z]{1,12}){1,3}-\d{1,2}\.amazonaws\.com$/;
const CERTIFICATE_PATH = /^\/SimpleNotificationService-[A-Za-z0-9]{1,100}\.pem$/;
const TOPIC_ARN = /^arn:aws[a-z-]{0,20}:sns:[a-z0-9-]{1,30}:\d{12}:[\w-]{1,256}$/;
/** SNS retries a notification for hours with its original timestamp. */
const REPLAY_WINDOW_MS = 86_400_000;

const Envelope = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string(),
  TopicArn: z.string(),
  Message: z.string(),
  Subject: z.string().nullish(),
  Timestamp: z.string(),
  SignatureVersion: z.enum(['1', '2']),
  Signature: z.string(),
  SigningCertURL: z.string(),
  SubscribeURL: z.string().nullish(),
  Token: z.string().nullish(),
});
type Envelope = z.output<typeof Envelope>;

const envelopeIn = (callback: Callback) => Envelope.safeParse(parseBody(callback)).data ?? null;

/** An HTTPS URL on an SNS host, without port or credentials. */
function isSnsUrl(text: string): boolean {
  const url = URL.parse(text);
  if (url === null || url.protocol !== 'https:' || !SNS_HOST.test(url.hostname)) return false;
  return url.port === '' && url.username === '' && url.password === '';
}

/** Accepts only the normalized spelling, so that each certificate is downloaded once. */
export function isCertificateUrl(text: string): boolean {
  if (!isSnsUrl(text)) return false;
  const { origin, pathname } = new URL(text);
  return text === origin + pathname && CERTIFICATE_PATH.test(pathname);
}
export const isSubscribeUrl = (text: string) =>
  isSnsUrl(text) && new URL(text).searchParams.get('Action') === 'ConfirmSubscription';

const SIGNED_FIELDS = {
  notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  confirmation: [
    ...([
      'Message',
      'MessageId',
      'SubscribeURL',
      'Timestamp',
      'Token',
      'TopicArn',
      'Type',
    ] as const),
  ],
} as const;

/** The signed text: each present field as its name and value on separate lines, in fixed order. */
function signedText(envelope: Envelope): string {
  const isNotification = envelope.Type === 'Notification';
  const names = isNotification ? SIGNED_FIELDS.notification : SIGNED_FIELDS.confirmation;
  return names
    .flatMap((name) => (typeof envelope[name] === 'string' ? [`${name}\n${envelope[name]}\n`] : []))
    .join('');
}

function isSignatureValid(envelope: Envelope, certificate: string, now: Date): boolean {
  const { publicKey, validFromDate, validToDate } = new X509Certificate(certificate);
  if (now < validFromDate || now > validToDate) return false;
  const hash = envelope.SignatureVersion === '2' ? 'sha256' : 'sha1';
  const signature = Buffer.from(envelope.Signature, 'base64');
  return verify(hash, Buffer.from(signedText(envelope)), publicKey, signature);
}

function isFromConfiguredTopic(agreed: ProviderCredentials, callback: Callback): boolean {
  if (!isBasicPasswordValid(agreed, callback)) return false;
  const envelope = envelopeIn(callback);
  return envelope !== null && equalsInConstantTime(envelope.TopicArn, agreed.account_id ?? '');
}

const moment = z.object({ timestamp: z.string() }).nullish();
const Event = z.object({
  notificationType: z.string().nullish(),
  eventType: z.string().nullish(),
  mail: z.object({
    messageId: z.string(),
    /** Tags that we attached to the email. */
    tags: z.object({ message: z.array(z.string()).optional() }).nullish(),
    headers: z.array(z.object({ name: z.string(), value: z.string() })).nullish(),
  }),
  bounce: z
    .object({
      bounceType: z.string(),
      timestamp: z.string().nullish(),
      bouncedRecipients: z
        .array(z.object({ status: z.string().nullish(), diagnosticCode: z.string().nullish() }))
        .default([]),
    })
    .nullish(),
  complaint: moment,
  delivery: moment,
  open: moment,
  click: moment,
});

const STATUS_BY_EVENT_TYPE = dictionary<string>({
  Send: 'sent',
  Delivery: 'delivered',
  Complaint: 'complained',
  Open: 'opened',
  Click: 'clicked',
  Reject: 'failed',
  'Rendering Failure': 'failed',
  DeliveryDelay: 'deferred',
  Subscription: 'unsubscribe',
});

/** Only a permanent bounce invalidates the address. */
function toDeliveryReport({ mail, bounce, ...event }: z.output<typeof Event>) {
  const kind = event.eventType ?? event.notificationType ?? '';
  const header = mail.headers?.find(({ name }) => name.toLowerCase() === 'message-id')?.value;
  const bounced = bounce?.bounceType === 'Permanent' ? 'bounced' : 'undelivered';
  const { complaint, delivery, open, click } = event;
  const [recipient] = bounce?.bouncedRecipients ?? [];
  return {
    provider_message_id: mail.tags?.message?.[0] ?? header ?? mail.messageId,
    status: kind === 'Bounce' ? bounced : (STATUS_BY_EVENT_TYPE[kind] ?? kind),
    timestamp: (bounce ?? complaint ?? delivery ?? open ?? click)?.timestamp,
    error_code: recipient?.status?.slice(0, 60),
    error_message: recipient?.diagnosticCode?.slice(0, 1_000),
  };
}

function parseMessage(text: string, context: z.RefinementCtx) {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    context.addIssue({ code: 'custom', message: 'Must be valid JSON.' });
    return z.NEVER;
  }
}

const Notification = z
  .object({ Type: z.literal('Notification'), Message: z.string() })
  .transform(({ Message }, context) => parseMessage(Message, context))
  .pipe(Event.transform(toDeliveryReport));
const Confirmation = z
  .object({ Type: z.enum(['SubscriptionConfirmation', 'UnsubscribeConfirmation']) })
  .transform(() => []);

/**
 * Amazon SES through SNS. The secret is the password in the subscribed URL, `account_id` is the ARN of the
 * topic, and SNS signs each message with its certificate.
 */
export const ses: Provider = {
  problem: ({ account_id }) =>
    TOPIC_ARN.test(account_id ?? '') ? null : { account_id: 'Must be the ARN of the SNS topic.' },
  isAnnounced: isFromConfiguredTopic,
  certificateUrl: (callback) => {
    const url = envelopeIn(callback)?.SigningCertURL ?? '';
    return isCertificateUrl(url) ? url : null;
  },
  isFrom: (agreed, callback) => {
    const { certificate, now } = callback;
    const envelope = envelopeIn(callback);
    if (!certificate || envelope === null || !isFromConfiguredTopic(agreed, callback)) return false;
    return (
      isFresh(envelope.Timestamp, now, REPLAY_WINDOW_MS) &&
      isSignatureValid(envelope, certificate, now)
    );
  },
  subscribeUrl: (callback) => {
    const { Type, SubscribeURL } = envelopeIn(callback) ?? {};
    const url = Type === 'SubscriptionConfirmation' ? (SubscribeURL ?? '') : '';
    return isSubscribeUrl(url) ? url : null;
  },
  reports: z.union([Notification, Confirmation]),
  message: unsupportedBody,
};
