import { z } from 'zod';
import { REMOVED_MESSAGE } from '../../sql/documents/removal.ts';
import * as deliveries from '../../sql/portfolios/tape-deliveries.ts';
import { findSender } from '../../sql/users/accounts.ts';
import { uuid } from '../../sql/types.ts';
import { renderEmail } from '../../templates/email.ts';
import { renderTapeMessage } from '../../templates/tape-message.ts';
import { uploadToSftp, loadSftpCredentials } from '../documents/sftp-server.ts';
import { Conflict, Invalid } from '../errors.ts';
import { enqueue, job } from '../job.ts';
import type { ExternalServices, SendResult } from '../external-systems.ts';
import { tenantOrigin } from '../users/settings/tenant-origin.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';

/** Seconds before each retry of a temporary failure. */
export const RETRY_DELAYS_SECONDS = [60, 600, 3_600, 21_600];
/** An upload has certainly ended after this time: the pool stops its jobs after two minutes. */
const UPLOAD_SECONDS_MAX = 150;
/** The longest lifetime of a presigned link (AWS Signature Version 4). */
const LINK_DAYS = 7;
/** Most mail servers accept no larger message. Larger files are linked. */
const ATTACHED_BYTES_MAX = 10 * 1024 * 1024;

const Payload = z.object({ tenant_id: uuid, delivery_id: uuid, attempt: z.int().min(1) });

/**
 * Delivers a tape: mails it to one address, as a link or an attachment, or uploads it to an SFTP server. A
 * temporary failure is retried up to four times.
 */
export const deliverTape = job({
  name: 'deliver-tape',
  pool: 'outbound',
  egress: {
    to: 'the recipients or the server of its config',
    controls: {
      tenancy: 'row-level security',
      'field denials': 'who sets it up, changes or repeats it may see every column',
      'step-up': 'to set it up where fields are denied',
      redaction: 'names of redacted borrowers are gone',
    },
  },
  payload: Payload,
  attempts: 5,
  key: ({ delivery_id, attempt }) => `deliver-tape:${delivery_id}:${attempt}`,

  async run({ tenant_id, delivery_id, attempt }, outside) {
    const ready = await outside.within(tenant_id, (work) =>
      loadDelivery(work, delivery_id, attempt),
    );
    if (ready === null) return;
    const answer = await (ready.tape.sftp_server_id === null ? emailTape : uploadTape)(
      ready,
      outside,
      delivery_id,
    );
    const tried = { delivery_id, attempt, since: ready.tape.previous_attempts };
    await outside.within(tenant_id, (work) => recordResult(work, tried, answer, outside.now()));
  },

  failed: ({ tx }, { delivery_id, attempt }, error) =>
    deliveries.recordTapeDeliveryAttempt(tx, delivery_id, attempt, { status: 'failed', error }),
});

/** Enqueues the deliveries of a completed tape. */
export async function enqueueTapeDeliveries({ tx, tenant_id }: Work, tapeId: string) {
  for (const delivery_id of await deliveries.createTapeDeliveries(tx, tapeId))
    await enqueue(tx, deliverTape, { tenant_id, delivery_id, attempt: 1 });
}

type RepeatedDelivery = { delivery_id?: string | null | undefined };

/**
 * Retries failed deliveries, with the full number of attempts. An upload uses the server's current
 * settings.
 */
export async function retryDelivery(
  { tx, tenant_id }: Work,
  tapeId: string,
  input: RepeatedDelivery,
) {
  const { delivery_id: wanted = null } = input;
  if (wanted !== null && !(await deliveries.belongsToTape(tx, tapeId, wanted)))
    throw new Invalid({ delivery_id: 'Is not a delivery of this tape.' });
  if (!(await deliveries.hasFile(tx, tapeId))) throw tapeRemoved();
  const retried = await deliveries.resetFailed(tx, tapeId, wanted);
  if (retried.length === 0) throw noFailedDelivery();
  for (const { id, attempts } of retried)
    await enqueue(tx, deliverTape, { tenant_id, delivery_id: id, attempt: attempts + 1 });
  return { delivery_ids: retried.map(({ id }) => id), status: 'queued' as const };
}

async function loadDelivery(work: Work, id: string, attempt: number) {
  const { tx } = work;
  await deliveries.lockFile(tx, id);
  const tape = await deliveries.findPendingTapeDelivery(tx, id, attempt);
  if (tape === null) return null;
  const { sftp_server_id: server } = tape;
  if (server !== null && !(await awaitFileTurn(work, id, attempt))) return null;
  const signIn = server === null ? null : await loadSftpCredentials(work, server);
  const [tenant, settings] = [await findSender(tx), await settingsOf(tx)];
  return {
    tape,
    signIn,
    tenant,
    settings,
    origin: tenantOrigin({ ...tenant, ...settings }, work.installation),
  };
}

/**
 * Only one upload per file name runs at a time, and a later tape is never replaced by an earlier one. If
 * another upload may still be running, this job comes back when that upload has certainly ended.
 */
async function awaitFileTurn({ tx, tenant_id }: Work, delivery_id: string, attempt: number) {
  const { is_superseded, busy_until } = await deliveries.findFileTurn(
    tx,
    delivery_id,
    UPLOAD_SECONDS_MAX,
  );
  if (is_superseded) await deliveries.supersedeTapeDelivery(tx, delivery_id);
  else if (busy_until === null) await deliveries.markTapeDeliveryStarted(tx, delivery_id);
  else {
    const payload = { tenant_id, delivery_id, attempt };
    await enqueue(tx, deliverTape, payload, new Date(busy_until));
  }
  return !is_superseded && busy_until === null;
}

type Ready = NonNullable<Awaited<ReturnType<typeof loadDelivery>>>;

async function emailTape(
  ready: Ready,
  outside: ExternalServices,
  message_id: string,
): Promise<SendResult> {
  const { tape, tenant, settings } = ready;
  const { branding, communications } = settings;
  const isAttached = tape.attach_file && tape.file_size <= ATTACHED_BYTES_MAX;
  const bytes = isAttached ? await outside.files.get(tape.storage_key) : null;
  const { filename, content_type } = tape;
  const { locale, currency, time_zone, name } = tenant;
  const { subject, body } = renderTapeMessage({
    locale,
    currency,
    time_zone,
    tape,
    ...(bytes === null && { link: await createDownloadLink(ready, outside) }),
  });
  const address_lines = [branding.address_line_1, branding.address_line_2].filter(Boolean);
  const letter = { name, branding, address_lines };
  const [domain = 'localhost'] = tenant.domains;
  return outside.mail({
    from: { name, address: communications.from_email || `no-reply@${domain}` },
    to: { address: tape.recipient },
    subject,
    html: renderEmail({ language: 'en', subject, body, tenant: letter }),
    message_id,
    ...(bytes && { attachments: [{ filename, content_type, bytes }] }),
  });
}

/** The file replaces an earlier tape of the same config and day, which has the same name. */
function uploadTape(
  { tape, signIn }: Ready,
  outside: ExternalServices,
  id: string,
): Promise<SendResult> {
  const { storage_key, filename, file_size } = tape;
  const partial_name = `.${id}.part`;
  return uploadToSftp(outside, signIn, { filename, partial_name, storage_key, file_size });
}

async function createDownloadLink({ tape, origin }: Ready, outside: ExternalServices) {
  const { storage_key: key, filename, content_type } = tape;
  const expires_at = new Date(outside.now().getTime() + LINK_DAYS * 86_400_000);
  const link = await outside.files.presign({
    key,
    method: 'GET',
    expires_at,
    content_type,
    filename,
  });
  return { url: new URL(link, origin).href, expires_at: expires_at.toISOString() };
}

type Attempt = { delivery_id: string; attempt: number; since: number };

async function recordResult(
  work: Work,
  { delivery_id, attempt, since }: Attempt,
  answer: SendResult,
  now: Date,
) {
  const { tx, tenant_id } = work;
  const error = answer.ok ? null : answer.error_message.slice(0, 500);
  const delay =
    answer.ok || !answer.temporary ? undefined : RETRY_DELAYS_SECONDS[attempt - 1 - since];
  const status = answer.ok ? 'sent' : delay === undefined ? 'failed' : 'pending';
  const isMine = await deliveries.recordTapeDeliveryAttempt(tx, delivery_id, attempt, {
    status,
    error,
  });
  if (isMine === null || delay === undefined) return;
  const at = new Date(now.getTime() + delay * 1000);
  await enqueue(tx, deliverTape, { tenant_id, delivery_id, attempt: attempt + 1 }, at);
}

export const noFailedDelivery = () =>
  new Conflict('No delivery of this tape has failed.', 'nothing_to_retry');

export const tapeRemoved = () => new Conflict(REMOVED_MESSAGE, 'removed');
