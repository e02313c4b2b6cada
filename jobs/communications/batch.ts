import { z } from 'zod';
import type { Channel } from '../../sql/communications/channels.ts';
import * as logs from '../../sql/communications/logs.ts';
import * as recipients from '../../sql/communications/recipients.ts';
import { uuid } from '../../sql/types.ts';
import { Invalid } from '../errors.ts';
import { enqueueAll } from '../job.ts';
import type { Work } from '../work.ts';
import { addressOf, whoMayBeContacted } from './contact.ts';
import { namedTemplate, templateFor, type Wish } from './pick-template.ts';
import { printLetter } from './print-letter.job.ts';
import { sendCommunication } from './send.job.ts';

export type BatchRequest = Wish & { borrower_ids: string[]; channel?: Channel | null | undefined };

/** What became of it for one of the borrowers. */
export const BatchResult = z.object({
  borrower_id: uuid,
  status: z.enum(['queued', 'blocked', 'failed']),
  log_id: uuid.optional(),
  reasons: z.array(z.string()).optional(),
});
export type BatchResult = z.output<typeof BatchResult>;

/**
 * One message to many borrowers: each gets a log row and, if nothing speaks against it, a job of
 * its own, so that a crash repeats one message and not the batch. What is said is rendered by the
 * job.
 */
export async function composeBatch(work: Work, batch_id: string, request: BatchRequest) {
  const named = await namedTemplate(work, request);
  const type = named?.template_type ?? request.template_type ?? 'custom';
  const channel = request.channel ?? named?.channel ?? 'email';
  const situation = { channel, language: 'en', program_id: null };
  const template = await templateFor(work, named, type, situation);
  if (!template)
    throw new Invalid({ channel: `There is no template of this type for ${channel}.` });
  const ids = [...new Set(request.borrower_ids)].toSorted();
  await recipients.lockAll(work.tx, ids);
  const plan = { channel, template_type: type, loan_id: null };
  const contacts = await whoMayBeContacted(work, ids, plan);
  const rows = [...contacts].map(([borrower_id, { recipient, reasons }]) => ({
    borrower_id,
    recipient: addressOf(recipient, channel),
    status: reasons.length === 0 ? ('queued' as const) : ('blocked' as const),
    blocked_reasons: reasons,
  }));
  const written = await logs.writeBatch(work.tx, rows, {
    batch_id,
    template_id: template.id,
    template_type: type,
    channel,
    sent_by_id: work.actor.type === 'user' ? work.actor.id : null,
  });
  const { tenant_id } = work;
  const queued = written.filter(({ status }) => status === 'queued');
  const sending = channel === 'letter' ? printLetter : sendCommunication;
  const payloads = queued.map(({ id }) => ({ tenant_id, log_id: id, attempt: 1 }));
  await enqueueAll(work.tx, sending, payloads);
  return summary(batch_id, ids, written);
}

type Written = Awaited<ReturnType<typeof logs.writeBatch>>;

function summary(batch_id: string, ids: readonly string[], written: Written) {
  const byBorrower = new Map(written.map((row) => [row.borrower_id, row]));
  const results = ids.map((borrower_id): BatchResult => {
    const row = byBorrower.get(borrower_id);
    if (!row) return { borrower_id, status: 'failed', reasons: ['not_found'] };
    const { id: log_id, status, blocked_reasons: reasons } = row;
    return { borrower_id, status, log_id, ...(reasons.length > 0 && { reasons }) };
  });
  const count = (wanted: BatchResult['status']) =>
    results.filter(({ status }) => status === wanted).length;
  return {
    batch_id,
    total: results.length,
    queued: count('queued'),
    blocked: count('blocked'),
    failed: count('failed'),
    results,
  };
}
