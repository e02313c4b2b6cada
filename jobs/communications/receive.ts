import { z } from 'zod';
import type { ProviderChannel } from '../../sql/communications/channels.ts';
import * as inbound from '../../sql/communications/inbound.ts';
import * as recipients from '../../sql/communications/recipients.ts';
import { withoutPersonalNumbers } from '../../sql/personal-numbers.ts';
import { insert } from '../../sql/write.ts';
import { renderMessage, TemplateRefused } from '../../templates/render.ts';
import { Invalid } from '../errors.ts';
import { enqueue } from '../job.ts';
import type { Work } from '../work.ts';
import { compose } from './compose.ts';
import { ANSWERS, spokenIn, type Spoken } from './keywords.ts';
import { answeredId } from './message-ids.ts';
import { obey } from './preferences.ts';
import { sendCommunication } from './send.job.ts';
import { messageFigures, senderOf } from './told.ts';
import { messageVariables } from './variables.ts';

const address = z.string().min(1).max(320);

export const InboundMessage = z.object({
  from: address,
  to: address.nullish(),
  subject: z.string().overwrite(withoutPersonalNumbers).max(1_000).nullish(),
  body: z.string().overwrite(withoutPersonalNumbers).max(100_000).default(''),
  message_id: z.string().min(1).max(300),
  in_reply_to: z.string().max(300).nullish(),
  /** Machines that answer say so; they are kept and not answered, or two of them never end. */
  auto_submitted: z.string().max(100).nullish(),
});
export type InboundMessage = z.output<typeof InboundMessage>;

/**
 * Keeps what a borrower wrote, once, and does what it asks for: STOP and START are obeyed at once and
 * confirmed once, then the tenant's rules are asked. What a sender whom nobody knows has written is kept
 * without a borrower, and obeyed without an answer.
 */
export async function receiveMessage(
  work: Work,
  channel: ProviderChannel,
  provider: string,
  message: InboundMessage,
) {
  const { tx } = work;
  const borrower_id = await inbound.senderOf(tx, channel, message.from);
  const id = await inbound.receive(tx, {
    channel,
    borrower_id,
    recipient: message.to ?? null,
    sender: message.from,
    subject: message.subject ?? null,
    body: message.body,
    provider,
    provider_message_id: message.message_id,
    in_reply_to: message.in_reply_to ?? null,
    answers_id: answeredId(message.in_reply_to ?? '', message.to ?? ''),
  });
  if (id === null || isFromMachine(message)) return;
  const spoken = spokenIn(channel, message);
  if (spoken) return answerWord(work, { borrower_id, channel, message, id }, spoken);
  if (borrower_id === null) return;
  await askRules(work, borrower_id, channel, message, id).catch((error: unknown) => {
    // A rule that cannot be obeyed is the tenant's mistake, and costs no borrower's message.
    if (!(error instanceof Invalid || error instanceof TemplateRefused)) throw error;
    const [problem] = error instanceof Invalid ? Object.values(error.errors) : [error.message];
    return inbound.unanswered(tx, id, problem ?? error.message);
  });
}

type Received = {
  borrower_id: string | null;
  channel: ProviderChannel;
  message: InboundMessage;
  id: string;
};

/** Does what the word asks for; what is so already is not confirmed again, and a mail that ends mail not at all. */
async function answerWord(work: Work, received: Received, { wish, language }: Spoken) {
  const { borrower_id, channel, message, id } = received;
  const isNews =
    wish === 'help' || (await obey(work, channel, { ...message, wants: wish === 'start' }));
  if (!isNews || borrower_id === null || channel !== 'sms') return;
  const [recipient] = await recipients.byIds(work.tx, [borrower_id]);
  const readsSpanish = language === 'es' || recipient?.language_preference.startsWith('es');
  const body = ANSWERS[wish][readsSpanish ? 'es' : 'en'];
  await reply(work, borrower_id, channel, message.from, id, { body }, 'built-in');
}

const isFromMachine = ({ auto_submitted }: InboundMessage) =>
  auto_submitted !== null && auto_submitted !== undefined && auto_submitted !== 'no';

/** The first rule that fits answers, unless it has answered this borrower a moment ago. */
async function askRules(
  work: Work,
  borrowerId: string,
  channel: ProviderChannel,
  message: InboundMessage,
  inReplyTo: string,
) {
  const rules = await inbound.rules(work.tx, channel, borrowerId);
  const text = `${message.subject ?? ''} ${message.body}`.toLowerCase();
  const words = wordsIn(text);
  const rule = rules.find((candidate) => fits(candidate, text, words));
  if (!rule) return;
  if (await inbound.hasAnswered(work.tx, rule.id, borrowerId, rule.cooldown_minutes)) return;
  if (rule.action === 'opt_out' || rule.action === 'opt_in')
    await obey(work, channel, { ...message, wants: rule.action === 'opt_in' });
  if (rule.action === 'create_task' || rule.action === 'create_case') {
    const title = `${rule.name}: message from the borrower`;
    await insert(work.tx, 'tasks', { borrower_id: borrowerId, title, source: 'system' });
  }
  const { response_template_id: template_id, response_subject: subject, response_body } = rule;
  if (template_id) {
    await compose(work, {
      template_id,
      channel,
      borrower_id: borrowerId,
      triggered_by: 'auto_response',
    });
  } else if (response_body) {
    const answer = { subject, body: response_body };
    await reply(work, borrowerId, channel, message.from, inReplyTo, answer, rule.id);
  }
}

function fits({ match_type, keywords }: inbound.Rule, text: string, words: string): boolean {
  if (match_type === 'any') return true;
  if (match_type === 'contains') return keywords.some((word) => text.includes(word.toLowerCase()));
  return keywords.some((keyword) => words.includes(wordsIn(keyword.toLowerCase())));
}

/** Its words alone, each between blanks: a keyword of several words is found as a whole too. */
const wordsIn = (text: string) => ` ${text.match(/[\p{L}\p{N}]+/gu)?.join(' ') ?? '-'} `;

/** An answer to what somebody wrote just now; it goes to where that came from, opted out or not. */
async function reply(
  work: Work,
  borrower_id: string,
  channel: ProviderChannel,
  to: string,
  in_reply_to_id: string,
  answer: { subject?: string | null; body: string },
  rule: string,
) {
  const [recipient] = await recipients.byIds(work.tx, [borrower_id]);
  if (!recipient) return;
  const figures = messageFigures(await senderOf(work), recipient, null);
  const message = renderMessage({ channel, ...answer }, messageVariables(figures));
  const log_id = await insert(work.tx, 'communication_logs', {
    template_type: 'custom',
    borrower_id,
    channel,
    recipient: to,
    ...message,
    figures,
    status: 'queued',
    queued_at: new Date().toISOString(),
    triggered_by: 'auto_response',
    in_reply_to_id,
    metadata: { auto_response: rule, is_answer: true },
  });
  await enqueue(work.tx, sendCommunication, { tenant_id: work.tenant_id, log_id, attempt: 1 });
}
