import * as logs from '../../sql/communications/logs.ts';
import * as recipients from '../../sql/communications/recipients.ts';
import * as templates from '../../sql/communications/templates.ts';
import { renderMessage, TemplateRefused } from '../../templates/render.ts';
import { settingsOf } from '../users/settings.ts';
import type { Work } from '../work.ts';
import { whoMayBeContacted } from './contact.ts';
import type { Reason } from './may-contact.ts';
import { templateFor } from './pick-template.ts';
import { letterhead, messageVariables, tenantVariables } from './variables.ts';

/** What a borrower may have said after the message was queued, which still stops it. */
const STOPPING: ReadonlySet<Reason> = new Set([
  ...(['do_not_contact', 'channel_opted_out', 'no_contact_method'] as const),
  ...(['deceased', 'cease_and_desist', 'represented_by_attorney'] as const),
]);

export type Ready = logs.PendingMessage & {
  body: string;
  tenant: Awaited<ReturnType<typeof tenantVariables>>['tenant'];
  letterhead: Awaited<ReturnType<typeof letterhead>>;
  from_email: string;
  stopped_by: Reason | null;
};

/**
 * Everything that sending needs, so that no transaction is open meanwhile. A message of a batch is
 * rendered here. Null: this attempt has been made, or the message is gone.
 */
export async function prepare(work: Work, logId: string, attempt: number): Promise<Ready | null> {
  const pending =
    (await logs.pending(work.tx, logId, attempt)) ??
    ((await logs.takenUp(work.tx, logId, attempt)) &&
      (await logs.pending(work.tx, logId, attempt)));
  if (!pending) return null;
  const { borrower_id, channel, template_type, loan_id } = pending;
  const plan = { channel, template_type, loan_id };
  const contact = (await whoMayBeContacted(work, [borrower_id], plan)).get(borrower_id);
  if (!contact) return null;
  const { tenant } = await tenantVariables(work);
  const { communications } = await settingsOf(work.tx);
  const domain = tenant.url?.slice('https://'.length) ?? 'localhost';
  const message =
    pending.body === null
      ? await rendered(work, pending, contact.recipient)
      : { subject: pending.subject, body: pending.body };
  if (!message) return null;
  return {
    ...pending,
    ...message,
    tenant,
    letterhead: await letterhead(work, contact.recipient, await loanNumber(work, loan_id)),
    from_email: communications.from_email || `no-reply@${domain}`,
    stopped_by: pending.is_answer
      ? null
      : (contact.reasons.find((reason) => STOPPING.has(reason)) ?? null),
  };
}

/** The message of a batch, written down; one that cannot be written has failed, with the reason. */
async function rendered(
  work: Work,
  pending: logs.PendingMessage,
  recipient: recipients.Recipient,
): Promise<{ subject: string | null; body: string } | null> {
  const { id, template_id, template_type, loan_id, channel, language } = pending;
  const named = template_id === null ? null : await templates.usable(work.tx, template_id);
  const situation = { channel, language, program_id: null };
  const template = await templateFor(work, named, template_type ?? 'custom', situation);
  if (!template) return unwritten(work, id, 'The template is gone.');
  const loan = loan_id ?? (await recipients.onlyLoan(work.tx, recipient.id));
  const variables = await messageVariables(work, recipient, loan, {});
  try {
    const message = renderMessage(template, variables);
    await logs.fill(work.tx, id, message);
    return message;
  } catch (error) {
    if (error instanceof TemplateRefused) return unwritten(work, id, error.message);
    throw error;
  }
}

async function unwritten({ tx }: Work, id: string, error_message: string) {
  await logs.failed(tx, id, 1, { provider: 'none', error_code: 'template', error_message });
  return null;
}

async function loanNumber(work: Work, loanId: string | null): Promise<string> {
  if (loanId === null) return '';
  return (await recipients.loanNumber(work.tx, loanId)) ?? '';
}
