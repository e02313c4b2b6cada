import type { Channel } from '../../sql/communications/channels.ts';
import * as outbound from '../../sql/communications/outbound.ts';
import { renderMessage, TemplateRefused } from '../../templates/render-message.ts';
import { readSettings } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { createAddressTasks, isAddressMissing } from './address-tasks.ts';
import { checkContacts } from './check-contacts.ts';
import type { BlockReason } from './contact-rules.ts';
import type { MessageFigures } from './message-figures.ts';
import { messageVariables } from './variables.ts';

/** Blockers that still stop a message if they arise after it was queued. */
const SEND_BLOCKERS: ReadonlySet<BlockReason> = new Set([
  ...(['do_not_contact', 'channel_opted_out', 'no_contact_method', 'consent_missing'] as const),
  ...(['represented_by_attorney', 'bankruptcy', 'deceased', 'cease_and_desist'] as const),
  ...(['identity_theft', 'active_duty', 'disaster', 'protection'] as const),
  'hardship_review',
  // Retried when quiet hours end.
  'quiet_hours',
]);

export type PreparedMessage = outbound.PendingMessage & {
  body: string;
  letter: MessageFigures['letter'];
  language: string;
  from_email: string;
  /** The mailbox for unsubscribe requests, or empty. */
  unsubscribe_email: string;
  stopped_by: BlockReason | null;
};

/**
 * Loads everything needed to send a message, so that no transaction is open while sending. The content was
 * stored with the message; batch messages are rendered here. The sender mailbox and the blockers are
 * checked now. Returns null if this attempt was already made or the message no longer exists.
 */
export async function prepareMessage(
  undated: Work,
  logId: string,
  attempt: number,
): Promise<PreparedMessage | null> {
  const { tx } = undated;
  const pending =
    (await outbound.findPendingMessage(tx, logId, attempt)) ??
    ((await outbound.reopenAbandoned(tx, logId, attempt)) &&
      (await outbound.findPendingMessage(tx, logId, attempt)));
  if (!pending) return null;
  const { tenant } = pending;
  const work = { ...undated, today: tenant.business_date };
  const { borrower_id, channel, template_type, loan_id } = pending;
  const plan = { channel, template_type, loan_id };
  const contact = (await checkContacts(work, [borrower_id], plan, tenant)).get(borrower_id);
  if (!contact) return null;
  // Always written by the code that queued the message.
  const figures = pending.figures as MessageFigures;
  const stopped_by = pending.is_answer ? null : pickSendBlocker(contact.reasons, channel);
  if (isAddressMissing(channel, [stopped_by])) await createAddressTasks(work, [borrower_id]);
  const { communications } = readSettings(tenant.settings);
  const message =
    pending.body === null
      ? await renderContent(work, pending, figures)
      : { subject: pending.subject, body: pending.body };
  if (!message) return null;
  return {
    ...pending,
    ...message,
    letter: figures.letter,
    language: figures.language,
    from_email: communications.from_email || `no-reply@${tenant.domain ?? 'localhost'}`,
    unsubscribe_email: communications.unsubscribe_email,
    stopped_by,
  };
}

/** Prefers a permanent blocker over quiet hours. */
function pickSendBlocker(reasons: readonly BlockReason[], channel: Channel): BlockReason | null {
  const stopping = sendBlockers(reasons, channel);
  return stopping.find((reason) => reason !== 'quiet_hours') ?? stopping[0] ?? null;
}

/** The reasons that still stop a queued message. */
export const sendBlockers = (reasons: readonly BlockReason[], channel: Channel) =>
  reasons.filter(
    // Mail to the address may have been returned since the message was queued.
    (reason) => SEND_BLOCKERS.has(reason) || (channel === 'letter' && reason === 'contact_invalid'),
  );

/**
 * Renders and stores the text of a batch message. If the template fails, marks the message as failed and
 * returns null.
 */
async function renderContent(
  { tx }: Work,
  { id, channel }: outbound.PendingMessage,
  figures: MessageFigures,
): Promise<{ subject: string | null; body: string } | null> {
  if (!figures.template) throw new Error(`The message ${id} has neither a text nor a template.`);
  try {
    const { template } = figures;
    const message = renderMessage({ channel, ...template }, messageVariables(figures, template));
    await outbound.saveContent(tx, id, message);
    return message;
  } catch (error) {
    if (!(error instanceof TemplateRefused)) throw error;
    const failure = { error_code: 'template', error_message: error.message };
    await outbound.markMessageFailed(tx, id, 1, { provider: 'none', ...failure });
    return null;
  }
}
