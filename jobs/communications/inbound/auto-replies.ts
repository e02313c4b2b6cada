import type { ProviderChannel } from '../../../sql/communications/channels.ts';
import * as inbound from '../../../sql/communications/inbound.ts';
import * as recipients from '../../../sql/communications/recipients.ts';
import { insert } from '../../../sql/write.ts';
import { renderMessage } from '../../../templates/render-message.ts';
import { enqueue } from '../../job.ts';
import type { Work } from '../../work.ts';
import { sendCommunication } from '../send.job.ts';
import { buildMessageFigures, loadSender, type MessageFigures } from '../message-figures.ts';
import { messageVariables } from '../variables.ts';

/** A borrower's message that can be answered. */
export type AnswerableMessage = {
  /** The message's id in the communication log. */
  id: string;
  borrower_id: string;
  channel: ProviderChannel;
  from: string;
  subject: string | null;
  body: string;
};

/**
 * Automatic messages per hour because of one borrower. More indicate that two machines answer each other.
 */
const REPLIES_MAX = 10;

/**
 * Whether automatic answers to this borrower have reached the limit. Machines do not always identify
 * themselves, so the limit prevents endless loops.
 */
export const hasReachedReplyLimit = async ({ tx }: Work, { borrower_id }: AnswerableMessage) =>
  (await inbound.countRecentAnswers(tx, borrower_id)) >= REPLIES_MAX;

/** Answers a message at the address that it came from, even if the borrower has opted out. */
export async function sendReply(
  work: Work,
  { borrower_id, channel, from, id }: AnswerableMessage,
  answer: { subject?: string | null; body: string },
  rule: string,
) {
  const [recipient] = await recipients.findRecipients(work.tx, [borrower_id]);
  if (!recipient) return;
  const figures = buildMessageFigures(await loadSender(work), recipient, null);
  const message = renderMessage({ channel, ...answer }, messageVariables(figures, {}));
  const metadata = { auto_response: rule, is_answer: true };
  await queueReply(
    work,
    { borrower_id, channel, recipient: from, in_reply_to_id: id },
    {
      message,
      figures,
      metadata,
    },
  );
}

const FORWARD_TEMPLATE = {
  channel: 'email' as const,
  subject: '{{ borrower.name }}: {{ context.subject }}',
  body: '<p>{{ context.from }}:</p><p>{{ context.body }}</p>',
};

/** Forwards a borrower's message by email to the tenant's staff. */
export async function forwardMessage(
  work: Work,
  heard: AnswerableMessage,
  to: string,
  rule: string,
) {
  const { borrower_id, id, from, subject, body, channel } = heard;
  const [recipient] = await recipients.findRecipients(work.tx, [borrower_id]);
  if (!recipient) return;
  const figures = buildMessageFigures(await loadSender(work), recipient, null);
  const context = { from, body, subject: subject ?? (channel === 'sms' ? 'text message' : '') };
  const message = renderMessage(FORWARD_TEMPLATE, messageVariables(figures, {}, context));
  // The email goes to the tenant's staff, not to the borrower.
  const letter = { ...figures.letter, recipient: { name: '', address_lines: [] } };
  await queueReply(
    work,
    { borrower_id, channel: 'email', recipient: to, in_reply_to_id: id },
    {
      message,
      figures: {
        ...figures,
        letter,
      },
      metadata: {
        forwarded_by: rule,
        is_answer: true,
      },
    },
  );
}

type Row = {
  borrower_id: string;
  channel: ProviderChannel;
  recipient: string;
  in_reply_to_id: string;
};
type ReplyContent = { message: object; figures: MessageFigures; metadata: object };

async function queueReply(work: Work, row: Row, { message, figures, metadata }: ReplyContent) {
  const log_id = await insert(work.tx, 'communication_logs', {
    template_type: 'custom',
    ...row,
    ...message,
    figures,
    status: 'queued',
    queued_at: new Date().toISOString(),
    triggered_by: 'auto_response',
    metadata,
  });
  await enqueue(work.tx, sendCommunication, { tenant_id: work.tenant_id, log_id, attempt: 1 });
}
