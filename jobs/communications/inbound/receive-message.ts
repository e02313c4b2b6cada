import { z } from 'zod';
import type { ProviderChannel } from '../../../sql/communications/channels.ts';
import * as inbound from '../../../sql/communications/inbound.ts';
import * as recipients from '../../../sql/communications/recipients.ts';
import { maskPersonalNumbers } from '../../../sql/personal-numbers.ts';
import { TemplateRefused } from '../../../templates/render-message.ts';
import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { KEYWORD_REPLIES, matchKeyword, KEYWORD_KINDS, type KeywordMatch } from './keywords.ts';
import { hasReachedReplyLimit, sendReply, type AnswerableMessage } from './auto-replies.ts';
import { extractAnsweredLogId } from '../message-ids.ts';
import { applyOptRequest } from '../preferences.ts';
import { applyAutoResponseRules } from '../apply-rules.ts';

const address = z.string().min(1).max(320);

export const InboundMessage = z.object({
  from: address,
  to: address.nullish(),
  subject: z.string().overwrite(maskPersonalNumbers).max(1_000).nullish(),
  body: z.string().overwrite(maskPersonalNumbers).max(100_000).default(''),
  message_id: z.string().min(1).max(300),
  in_reply_to: z.string().max(300).nullish(),
  /** Auto-Submitted header (RFC 3834). Automatic messages are stored and not answered, to prevent loops. */
  auto_submitted: z.string().max(100).nullish(),
  opt_out_type: z
    .enum(KEYWORD_KINDS)
    .nullish()
    .describe(
      'The keyword that the provider recognized and, for stop and start, already confirmed.',
    ),
});
export type InboundMessage = z.output<typeof InboundMessage>;

/**
 * Stores an inbound message once and acts on it: applies and confirms keywords such as STOP and START,
 * otherwise applies the tenant's rules. A message from an unknown sender is stored without a borrower; its
 * keywords apply without a reply.
 */
export async function receiveMessage(
  work: Work,
  channel: ProviderChannel,
  provider: string,
  message: InboundMessage,
) {
  const { tx } = work;
  const borrower_id = await inbound.findSendingBorrower(tx, channel, message.from);
  const id = await inbound.insertInbound(tx, {
    channel,
    borrower_id,
    recipient: message.to ?? null,
    sender: message.from,
    subject: message.subject ?? null,
    body: message.body,
    provider,
    provider_message_id: message.message_id,
    in_reply_to: message.in_reply_to ?? null,
    answers_id: extractAnsweredLogId(message.in_reply_to ?? '', message.to ?? ''),
  });
  if (id === null || isFromMachine(message)) return;
  const { opt_out_type } = message;
  const match = opt_out_type
    ? { wish: opt_out_type, language: null }
    : matchKeyword(channel, message);
  const { from, subject = null, body } = message;
  const heard = borrower_id === null ? null : { id, borrower_id, channel, from, subject, body };
  if (match) return replyToKeyword(work, channel, message, heard, match);
  if (heard === null) return;
  const unanswered = await applyAutoResponseRules(work, heard).catch((error: unknown) => {
    // A faulty rule is the tenant's mistake and must not lose the borrower's message.
    if (!(error instanceof Invalid || error instanceof TemplateRefused)) throw error;
    const [problem] = error instanceof Invalid ? Object.values(error.errors) : [error.message];
    return problem ?? error.message;
  });
  if (unanswered !== null) await inbound.markUnanswered(tx, id, unanswered);
}

/** Applies a keyword. Replies only by text, and only if something changed or the keyword is HELP. */
async function replyToKeyword(
  work: Work,
  channel: ProviderChannel,
  { from, body: text, opt_out_type }: InboundMessage,
  heard: AnswerableMessage | null,
  { wish, language }: KeywordMatch,
) {
  const isHelp = wish === 'help';
  const wants = wish === 'start';
  const isNews = isHelp || (await applyOptRequest(work, channel, { from, body: text, wants }));
  if (!isNews || heard === null || channel !== 'sms') return;
  // The provider has already confirmed it. Only one confirmation is allowed (47 CFR 64.1200(a)(12)).
  if (opt_out_type && !isHelp) return;
  if (wish !== 'stop' && (await hasReachedReplyLimit(work, heard))) return;
  const [recipient] = await recipients.findRecipients(work.tx, [heard.borrower_id]);
  const readsSpanish = language === 'es' || recipient?.language_preference.startsWith('es');
  await sendReply(
    work,
    heard,
    { body: KEYWORD_REPLIES[wish][readsSpanish ? 'es' : 'en'] },
    'built-in',
  );
}

const isFromMachine = ({ auto_submitted }: InboundMessage) =>
  auto_submitted !== null && auto_submitted !== undefined && auto_submitted !== 'no';
