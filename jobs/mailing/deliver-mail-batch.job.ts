import { z } from 'zod';
import * as deliveries from '../../sql/mailing/deliveries.ts';
import * as batchFiles from '../../sql/mailing/files.ts';
import { uuid } from '../../sql/types.ts';
import { uploadToSftp, loadSftpCredentials } from '../documents/sftp-server.ts';
import { enqueue, job } from '../job.ts';
import type { ExternalServices, SendResult } from '../external-systems.ts';
import { RETRY_DELAYS_SECONDS } from '../portfolios/deliver-tape.job.ts';
import type { Work } from '../work.ts';

const Payload = z.object({
  tenant_id: uuid,
  delivery_id: uuid,
  attempt: z.int().min(1),
  /** The number of files already delivered, when an attempt continues in a further job. */
  from: z.int().optional(),
});
type Payload = z.output<typeof Payload>;

/**
 * Uploads a batch to the mail house's server, file by file, manifests last. An interrupted attempt
 * continues with the missing files. Retries follow the same schedule as tape deliveries.
 */
export const deliverMailBatch = job({
  name: 'deliver-mail-batch',
  pool: 'outbound',
  egress: {
    to: 'the server of a mail house',
    controls: {
      tenancy: 'row-level security',
      'field denials': 'who hands it over, or sets up a server, is denied no field',
      redaction: 'files are removed after 90 days, before a borrower may be redacted',
      'contact rules': 'judged again for the batch',
    },
  },
  payload: Payload,
  attempts: 5,
  key: ({ delivery_id, attempt, from = 0 }) =>
    `deliver-mail-batch:${delivery_id}:${attempt}:${from}`,

  async run(payload, outside) {
    const { tenant_id, delivery_id, attempt } = payload;
    const ready = await outside.within(tenant_id, (work) =>
      loadDelivery(work, delivery_id, attempt),
    );
    if (ready === null) return;
    const answer = await uploadFiles(ready, outside, payload);
    if ('from' in answer) {
      await outside.within(tenant_id, (work) => enqueueNext(work, { ...payload, ...answer }));
      return;
    }
    const since = ready.delivery.previous_attempts;
    await outside.within(tenant_id, (work) =>
      recordResult(work, payload, since, answer, outside.now()),
    );
  },

  failed: ({ tx }, { delivery_id, attempt }, error) =>
    deliveries.recordMailDeliveryAttempt(tx, delivery_id, attempt, { status: 'failed', error }),
});

async function loadDelivery(work: Work, id: string, attempt: number) {
  const delivery = await deliveries.findPendingMailDelivery(work.tx, id, attempt);
  if (delivery === null) return null;
  const signIn = await loadSftpCredentials(work, delivery.sftp_server_id);
  return { delivery, signIn, files: await batchFiles.listFiles(work.tx, delivery.mail_batch_id) };
}
type Ready = NonNullable<Awaited<ReturnType<typeof loadDelivery>>>;

/**
 * After this time, the next job continues the attempt. A job has two minutes, and one upload may need most
 * of them.
 */
const UPLOAD_BUDGET_MS = 15_000;

const enqueueNext = ({ tx }: Work, payload: Payload): Promise<void> =>
  enqueue(tx, deliverMailBatch, payload);

const DONE: SendResult = { ok: true, provider: 'sftp', provider_message_id: '' };

async function uploadFiles(
  { delivery, signIn, files }: Ready,
  outside: ExternalServices,
  payload: Payload,
) {
  const { tenant_id, delivery_id, attempt } = payload;
  const started = outside.now().getTime();
  for (const [index, { id, filename, storage_key, file_size }] of files.entries()) {
    if (index < delivery.files_sent) continue;
    if (outside.now().getTime() - started > UPLOAD_BUDGET_MS) return { from: index };
    const file = { filename, storage_key: storage_key ?? '', file_size: file_size ?? 0 };
    const answer = await uploadToSftp(outside, signIn, { ...file, partial_name: `.${id}.part` });
    if (!answer.ok) return answer;
    await outside.within(tenant_id, ({ tx }) =>
      deliveries.recordFilesSent(tx, delivery_id, attempt, index + 1),
    );
  }
  return DONE;
}

async function recordResult(
  { tx, tenant_id }: Work,
  { delivery_id, attempt }: Payload,
  since: number,
  answer: SendResult,
  now: Date,
) {
  const error = answer.ok ? null : answer.error_message.slice(0, 500);
  const delay =
    answer.ok || !answer.temporary ? undefined : RETRY_DELAYS_SECONDS[attempt - 1 - since];
  const status = answer.ok ? 'sent' : delay === undefined ? 'failed' : 'pending';
  const isMine = await deliveries.recordMailDeliveryAttempt(tx, delivery_id, attempt, {
    status,
    error,
  });
  if (isMine === null || delay === undefined) return;
  const at = new Date(now.getTime() + delay * 1000);
  await enqueue(tx, deliverMailBatch, { tenant_id, delivery_id, attempt: attempt + 1 }, at);
}
