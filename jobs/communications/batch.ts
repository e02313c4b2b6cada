import { z } from 'zod';
import type { Channel } from '../../sql/communications/channels.ts';
import * as recipients from '../../sql/communications/recipients.ts';
import { writeBatch } from '../../sql/communications/write-batch.ts';
import { uuid } from '../../sql/types.ts';
import { LOAN_VALUES } from '../../templates/variables.ts';
import { Invalid } from '../errors.ts';
import { enqueueAll } from '../job.ts';
import type { Work } from '../work.ts';
import { createAddressTasks, isAddressMissing } from './address-tasks.ts';
import { type ContactCheck, contactAddress, checkContacts } from './check-contacts.ts';
import { ambiguousLoanProblem } from './inbound/message-loan.ts';
import {
  type PickedTemplate,
  type TemplateChoice,
  findRequestedTemplate,
  pickTemplate,
} from './pick-template.ts';
import { printLetter } from './print-letter.job.ts';
import { sendCommunication } from './send.job.ts';
import { buildMessageFigures, loadSender, type MessageFigures } from './message-figures.ts';

export type BatchRequest = TemplateChoice & {
  borrower_ids: string[];
  channel?: Channel | null | undefined;
};

/** The outcome for one borrower. */
export const BatchResult = z.object({
  borrower_id: uuid,
  status: z
    .enum(['queued', 'blocked', 'failed'])
    .describe('Whether the message will be sent, may not be sent, or could not be composed.'),
  log_id: uuid
    .optional()
    .describe(
      'The message in the communication log. Missing if the message could not be composed.',
    ),
  reasons: z
    .array(z.string())
    .optional()
    .describe('Why the message is blocked or failed. Missing otherwise.'),
});
export type BatchResult = z.output<typeof BatchResult>;

/**
 * Composes one message for many borrowers. Each borrower gets a log row and, unless blocked, a separate
 * job, so that a crash repeats one message and not the batch. The figures are stored now; the job renders
 * the text.
 */
export async function composeBatch(work: Work, batch_id: string, request: BatchRequest) {
  const named = await findRequestedTemplate(work, request);
  const type = named?.template_type ?? request.template_type ?? 'custom';
  const channel = request.channel ?? named?.channel ?? 'email';
  const situation = { channel, language: 'en', program_id: null };
  const template = await pickTemplate(work, named, type, situation);
  if (!template)
    throw new Invalid({
      channel: `No template of this type exists for ${channel}. Create one first.`,
    });
  const ids = [...new Set(request.borrower_ids)].toSorted();
  await recipients.lockBorrowers(work.tx, ids);
  const plan = { channel, template_type: type, loan_id: null };
  const contacts = await checkContacts(work, ids, plan);
  const figuresOf = await loadFigures(work, contacts, (language) =>
    pickTemplate(work, named, type, { ...situation, language }),
  );
  const unclear = await excludeWithoutLoan(work, contacts, figuresOf);
  const clear = [...contacts].filter(([id]) => !unclear.has(id));
  const rows = clear.map(([borrower_id, { recipient, reasons }]) => ({
    borrower_id,
    figures: figuresOf(recipient),
    recipient: contactAddress(recipient, channel),
    status: reasons.length === 0 ? ('queued' as const) : ('blocked' as const),
    blocked_reasons: reasons,
  }));
  const written = await writeBatch(work.tx, rows, {
    batch_id,
    template_id: template.id,
    template_type: type,
    channel,
    sent_by_id: work.actor.type === 'user' ? work.actor.id : null,
  });
  const lost = written.filter((row) => isAddressMissing(channel, row.blocked_reasons));
  await createAddressTasks(
    work,
    lost.map(({ borrower_id }) => borrower_id),
  );
  const { tenant_id } = work;
  const queued = written.filter(({ status }) => status === 'queued');
  const sending = channel === 'letter' ? printLetter : sendCommunication;
  const payloads = queued.map(({ id }) => ({ tenant_id, log_id: id, attempt: 1 }));
  await enqueueAll(work.tx, sending, payloads);
  return summarizeBatch(batch_id, ids, written, unclear);
}

/**
 * The figures of each message: today's values, and the tenant's current template in the borrower's
 * language.
 */
async function loadFigures(
  work: Work,
  contacts: ReadonlyMap<string, ContactCheck>,
  templateIn: (language: string) => Promise<PickedTemplate | null>,
) {
  const sender = await loadSender(work);
  const found = await recipients.findOnlyLoans(work.tx, [...contacts.keys()], LOAN_VALUES);
  const loans = new Map(found.map(({ borrower_id, values }) => [borrower_id, values]));
  const templates = new Map<string, NonNullable<MessageFigures['template']>>();
  for (const { recipient } of contacts.values()) {
    const { language_preference: language } = recipient;
    const template = templates.has(language) ? null : await templateIn(language);
    if (!template) continue;
    const { language: templateLanguage, subject, body } = template;
    templates.set(language, { language: templateLanguage, subject, body });
  }
  return (recipient: recipients.Recipient): MessageFigures => ({
    ...buildMessageFigures(sender, recipient, loans.get(recipient.id) ?? null),
    template: templates.get(recipient.language_preference),
  });
}

/**
 * Borrowers with several open loans whose message would show values of one. They get no message; the reason
 * names the first such value.
 */
async function excludeWithoutLoan(
  { tx }: Work,
  contacts: ReadonlyMap<string, ContactCheck>,
  figuresOf: (recipient: recipients.Recipient) => MessageFigures,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for (const id of await recipients.findWithSeveralLoans(tx, [...contacts.keys()])) {
    const contact = contacts.get(id);
    const words = contact && figuresOf(contact.recipient).template;
    const reason = words ? ambiguousLoanProblem(words) : null;
    if (reason !== null) found.set(id, reason);
  }
  return found;
}

type WrittenBatch = Awaited<ReturnType<typeof writeBatch>>;

function summarizeBatch(
  batch_id: string,
  ids: readonly string[],
  written: WrittenBatch,
  unclear: ReadonlyMap<string, string>,
) {
  const byBorrower = new Map(written.map((row) => [row.borrower_id, row]));
  const results = ids.map((borrower_id): BatchResult => {
    const row = byBorrower.get(borrower_id);
    if (!row)
      return { borrower_id, status: 'failed', reasons: [unclear.get(borrower_id) ?? 'not_found'] };
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
