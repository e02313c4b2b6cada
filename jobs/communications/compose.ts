import { lockBorrower } from '../../sql/borrowers/primary-contacts.ts';
import type { Channel } from '../../sql/communications/channels.ts';
import * as recipients from '../../sql/communications/recipients.ts';
import { serialize } from '../../sql/database/serialize.ts';
import * as documents from '../../sql/documents/documents.ts';
import * as upcoming from '../../sql/payments/upcoming-draw.ts';
import { insert } from '../../sql/write.ts';
import { renderMessage, TemplateRefused } from '../../templates/render-message.ts';
import { Invalid } from '../errors.ts';
import { enqueue } from '../job.ts';
import type { Work } from '../work.ts';
import { createAddressTasks, isAddressMissing } from './address-tasks.ts';
import { contactAddress, checkContacts, type ContactCheck } from './check-contacts.ts';
import { assertLoanUnambiguous, findMessageLoan } from './inbound/message-loan.ts';
import { isMandatory, type BlockReason } from './contact-rules.ts';
import {
  findRequestedTemplate,
  pickTemplate,
  type PickedTemplate,
  type TemplateChoice,
} from './pick-template.ts';
import { printLetter } from './print-letter.job.ts';
import { sendCommunication } from './send.job.ts';
import { buildMessageFigures, loadSender, type MessageFigures } from './message-figures.ts';
import { messageVariables } from './variables.ts';

export type MessageRequest = TemplateChoice & {
  borrower_id: string;
  loan_id?: string | null | undefined;
  /** Default: the template's channel, otherwise the borrower's preferred channel. */
  channel?: Channel | null | undefined;
  /** Values that are not in the records, such as a paid amount or a denial reason. */
  context?: Record<string, unknown> | undefined;
  /** An attachment. The message is sent once the document is rendered. */
  document_id?: string | null | undefined;
  /** The figures of an earlier notice that this message belongs to. Default: current figures. */
  figures?: Omit<MessageFigures, 'template'> | undefined;
  triggered_by: (typeof TRIGGERS)[number];
  /** The id of the rule that sends this answer. */
  auto_response?: string | undefined;
};

export const TRIGGERS = ['user', 'system', 'auto_response', 'portal'] as const;

/**
 * Triggers for which loan_id can be required: a user can name the loan, and the author of a rule can avoid
 * loan values.
 */
const REPEATABLE_TRIGGERS: readonly string[] = ['user', 'auto_response'];

export type ComposeResult = {
  log_id: string;
  status: 'queued' | 'blocked';
  reasons: BlockReason[];
};

/**
 * Composes and queues a message to a borrower, or records why it is blocked. Locks the borrower, so that of
 * two identical concurrent messages the second one finds the first. A mandatory notice that cannot go by
 * email or text goes by letter.
 */
export const compose = (work: Work, request: MessageRequest): Promise<ComposeResult> =>
  serialize(work.tx, `messages ${request.borrower_id}`, () => composeNext(work, request));

async function composeNext(work: Work, request: MessageRequest): Promise<ComposeResult> {
  const { template, contact, channel, loan } = await chooseChannel(work, request);
  if (loan === null && REPEATABLE_TRIGGERS.includes(request.triggered_by)) {
    const { borrower_id, context = {} } = request;
    await assertLoanUnambiguous(work, { borrower_id, words: template, context });
  }
  const { recipient, reasons } = contact;
  const { id: loan_id = null } = loan ?? {};
  const status = reasons.length === 0 ? 'queued' : 'blocked';
  const figures = request.figures ?? (await loadCurrentFigures(work, template, recipient, loan));
  const message =
    status === 'queued'
      ? renderTemplate(template, messageVariables(figures, template, request.context))
      : { subject: null, body: null };
  const log_id = await insert(work.tx, 'communication_logs', {
    template_id: template.id,
    template_type: template.template_type,
    borrower_id: recipient.id,
    loan_id,
    channel,
    recipient: contactAddress(recipient, channel),
    ...message,
    figures,
    status,
    queued_at: status === 'queued' ? new Date().toISOString() : null,
    triggered_by: request.triggered_by,
    sent_by_id: work.actor.type === 'user' ? work.actor.id : null,
    document_id: request.document_id ?? null,
    blocked_reasons: reasons,
    metadata: request.auto_response === undefined ? {} : { auto_response: request.auto_response },
  });
  if (isAddressMissing(channel, reasons)) await createAddressTasks(work, [recipient.id]);
  if (status === 'queued') await enqueueMessage(work, log_id, channel, request.document_id ?? null);
  return { log_id, status, reasons };
}

/** The current figures for a message, including the next autopay draw if the template mentions it. */
export async function loadCurrentFigures(
  work: Work,
  { subject, body }: Pick<PickedTemplate, 'subject' | 'body'>,
  recipient: recipients.Recipient,
  loan: Decision['loan'],
) {
  const figures = buildMessageFigures(await loadSender(work), recipient, loan);
  const isAboutDraws = loan !== null && /\bautopay\./.test(`${subject ?? ''} ${body}`);
  return isAboutDraws
    ? { ...figures, autopay: await upcoming.findUpcomingDraw(work.tx, loan.id) }
    : figures;
}

/** Enqueues the message. If it waits for a document, the render job enqueues it later. */
async function enqueueMessage(
  work: Work,
  log_id: string,
  channel: Channel,
  documentId: string | null,
) {
  const { tx, tenant_id } = work;
  const payload = { tenant_id, log_id, attempt: 1 };
  if (documentId !== null) {
    if (await documents.isStored(tx, documentId)) await enqueue(tx, sendCommunication, payload);
  } else if (channel === 'letter') await enqueue(tx, printLetter, payload);
  else await enqueue(tx, sendCommunication, payload);
}

export function renderTemplate(template: PickedTemplate, variables: object) {
  try {
    return renderMessage(template, variables);
  } catch (error) {
    if (error instanceof TemplateRefused) throw new Invalid({ template_id: error.message });
    throw error;
  }
}

type Decision = {
  template: PickedTemplate;
  contact: ContactCheck;
  channel: Channel;
  loan: Awaited<ReturnType<typeof findMessageLoan>>;
};

/** Chooses the first channel without blockers, otherwise the first channel with its blockers. */
async function chooseChannel(work: Work, request: MessageRequest): Promise<Decision> {
  const named = await findRequestedTemplate(work, request);
  const type = named?.template_type ?? request.template_type ?? 'custom';
  await lockBorrower(work.tx, request.borrower_id);
  const [recipient] = await recipients.findRecipients(work.tx, [request.borrower_id]);
  if (!recipient) throw new Invalid({ borrower_id: 'Does not exist.' });
  const loan = await findMessageLoan(work, request);
  const asked = request.channel ?? named?.channel ?? recipient.preferred_channel ?? 'email';
  let first: Decision | undefined;
  for (const channel of channelsFor(asked, type)) {
    const language = request.figures?.language ?? recipient.language_preference;
    const program_id = typeof loan?.['program_id'] === 'string' ? loan['program_id'] : null;
    const template = await pickTemplate(work, named, type, { channel, language, program_id });
    if (!template) continue;
    const plan = { channel, template_type: type, loan_id: loan?.id ?? null };
    const contact = (await checkContacts(work, [recipient.id], plan)).get(recipient.id);
    if (!contact) continue;
    const decision = { template, contact, channel, loan };
    if (contact.reasons.length === 0) return decision;
    first ??= decision;
  }
  if (first) return first;
  throw new Invalid({
    channel: `No template of type ${type} exists for ${asked}. Create one first.`,
  });
}

const channelsFor = (asked: Channel, type: string): Channel[] =>
  isMandatory(type) ? [...new Set<Channel>([asked, 'email', 'letter'])] : [asked];
