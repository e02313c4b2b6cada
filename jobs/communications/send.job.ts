import { z } from 'zod';
import * as outbound from '../../sql/communications/outbound.ts';
import { mapConcurrently } from '../../sql/database/batch-by-transaction.ts';
import { REMOVED_MESSAGE } from '../../sql/documents/removal.ts';
import { uuid } from '../../sql/types.ts';
import { renderEmail } from '../../templates/email.ts';
import { enqueue, job } from '../job.ts';
import type { ExternalServices, SendResult } from '../external-systems.ts';
import { batchByTenant } from '../batch-by-tenant.ts';
import type { Work } from '../work.ts';
import { retryDelaySeconds } from './retry-delay.ts';
import { recordProviderOptOut } from './preferences.ts';
import { prepareMessage, type PreparedMessage } from './prepare.ts';
import { unsubscribeUrl } from './unsubscribe.ts';

const Payload = z.object({ tenant_id: uuid, log_id: uuid, attempt: z.int().min(1) });

/** Prepares messages of one tenant in shared transactions. */
const prepareBatched = batchByTenant(
  (work, messages: readonly { log_id: string; attempt: number }[]) =>
    mapConcurrently(messages, ({ log_id, attempt }) => prepareMessage(work, log_id, attempt)),
);
type Accepted = Extract<SendResult, { ok: true }>;
type Refusal = Extract<SendResult, { ok: false }>;
type SentMessage = { id: string; attempt: number; answer: Accepted };
const markSentBatched = batchByTenant(({ tx }, messages: readonly SentMessage[]) =>
  mapConcurrently(messages, ({ id, attempt, answer }) =>
    outbound.markSent(tx, id, attempt, answer),
  ),
);

/**
 * Makes one attempt to send one message.
 *
 * Temporary refusals are retried for up to 15 hours by new jobs. Permanent refusals are recorded as
 * failures. After a crash between sending and recording, the message is sent again with the same
 * Message-ID, so that mail servers can detect the duplicate.
 */
export const sendCommunication = job({
  name: 'send-communication',
  pool: 'outbound',
  egress: {
    to: 'a borrower, at the contact details on file',
    controls: {
      tenancy: 'row-level security',
      redaction: 'a redacted borrower has no contact details',
      'contact rules': 'judged again before sending',
      sealing: 'personal numbers are masked',
    },
  },
  payload: Payload,
  attempts: 5,
  key: ({ log_id, attempt }) => `send-communication:${log_id}:${attempt}`,

  async run({ tenant_id, log_id, attempt }, outside) {
    const ready = await prepareBatched(outside.within, tenant_id, { log_id, attempt });
    if (!ready) return;
    const answer = await send(ready, outside, tenant_id);
    if (answer.ok)
      await markSentBatched(outside.within, tenant_id, { id: log_id, attempt, answer });
    else
      await outside.within(tenant_id, (work) => recordRefusal(work, ready, attempt, answer), {
        isUndated: true,
      });
  },

  failed: ({ tx }, { log_id, attempt }, reason) =>
    outbound.markAbandoned(tx, log_id, attempt, reason),
});

async function send(
  ready: PreparedMessage,
  outside: ExternalServices,
  tenantId: string,
): Promise<SendResult> {
  if (ready.stopped_by !== null) {
    const temporary = ready.stopped_by === 'quiet_hours';
    return { ...buildRefusal(ready.stopped_by, 'The borrower may not be contacted.'), temporary };
  }
  if (ready.channel === 'in_app')
    return { ok: true, provider: 'in_app', provider_message_id: ready.id };
  const enclosure = await loadEnclosure(ready, outside);
  if (enclosure && 'ok' in enclosure) return enclosure;
  if (ready.channel === 'email') return sendEmail(ready, outside, tenantId, enclosure);
  if (ready.channel === 'sms') {
    const from = ready.letter.tenant.branding.support_phone.replace(/[^+\d]/g, '');
    return outside.sms({ from, to: ready.recipient ?? '', body: ready.body, message_id: ready.id });
  }
  if (!enclosure) return buildRefusal('no_document', 'The letter was not printed.');
  await outside.files.put(letterKey(ready.letter.tenant.slug, ready.id), enclosure.bytes);
  return { ok: true, provider: 'letters', provider_message_id: ready.id };
}

/** The storage key of a letter in the outbox. */
export const letterKey = (tenantSlug: string, logId: string) =>
  `${tenantSlug}/outbox/letters/${logId}.pdf`;

type Enclosure = { filename: string; content_type: string; bytes: Uint8Array };

async function loadEnclosure(
  ready: PreparedMessage,
  outside: ExternalServices,
): Promise<Enclosure | SendResult | null> {
  const { storage_key, filename, content_type, document_status } = ready;
  if (storage_key === null || filename === null || content_type === null) return null;
  if (document_status === 'failed')
    return buildRefusal('no_document', 'The document was not printed.');
  if (document_status === 'removed') return buildRefusal('document_removed', REMOVED_MESSAGE);
  const bytes = await outside.files.get(storage_key);
  if (bytes) return { filename, content_type, bytes };
  return {
    ...buildRefusal('document_missing', 'The document is not stored yet.'),
    temporary: true,
  };
}

function sendEmail(
  ready: PreparedMessage,
  outside: ExternalServices,
  tenantId: string,
  enclosure: Enclosure | null,
): Promise<SendResult> {
  const { letter, subject, body, language, recipient, unsubscribe_email } = ready;
  const url = unsubscribeUrl(outside.keys, tenantId, ready);
  const { tenant } = letter;
  const title = subject ?? tenant.name;
  const { support_email } = tenant.branding;
  return outside.mail({
    from: { name: tenant.name, address: ready.from_email },
    to: { name: letter.recipient.name, address: recipient ?? '' },
    ...(support_email && { reply_to: { address: support_email } }),
    subject: title,
    html: renderEmail({ language, subject: title, body, tenant, unsubscribe_url: url }),
    message_id: ready.id,
    ...(url && { unsubscribe: { url, address: unsubscribe_email } }),
    ...(enclosure && { attachments: [enclosure] }),
  });
}

const buildRefusal = (error_code: string, error_message: string) =>
  ({ ok: false, provider: 'none', temporary: false, error_code, error_message }) as const;

async function recordRefusal(work: Work, ready: PreparedMessage, attempt: number, answer: Refusal) {
  const { tx, tenant_id } = work;
  const { id, channel, recipient } = ready;
  if (answer.is_opted_out && channel === 'sms' && recipient)
    await recordProviderOptOut(work, recipient, answer.error_code);
  const pause = answer.temporary ? retryDelaySeconds(attempt) : null;
  if (pause === null) return void (await outbound.markMessageFailed(tx, id, attempt, answer));
  const next = await outbound.postponeMessage(tx, id, attempt, pause, answer);
  if (next === null) return;
  const payload = { tenant_id, log_id: id, attempt: attempt + 1 };
  await enqueue(tx, sendCommunication, payload, new Date(next));
}
