import type { Channel } from '../../sql/communications/channels.ts';
import * as recipients from '../../sql/communications/recipients.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';
import { loadCurrentFigures, renderTemplate } from './compose.ts';
import { checkContacts } from './check-contacts.ts';
import { assertLoanUnambiguous, findMessageLoan } from './inbound/message-loan.ts';
import type { BlockReason } from './contact-rules.ts';
import { findRequestedTemplate, pickTemplate, type TemplateChoice } from './pick-template.ts';
import { messageVariables } from './variables.ts';

type PreviewRequest = TemplateChoice & {
  borrower_id: string;
  loan_id?: string | null | undefined;
  channel?: Channel | null | undefined;
  context: Record<string, unknown>;
};

/** Renders the message as it would be sent now. Changes nothing and checks no blockers. */
export async function previewMessage(work: Work, request: PreviewRequest) {
  const named = await findRequestedTemplate(work, request);
  const [recipient] = await recipients.findRecipients(work.tx, [request.borrower_id]);
  if (!recipient) throw new Invalid({ borrower_id: 'Does not exist.' });
  const loan = await findMessageLoan(work, request);
  const channel = request.channel ?? named?.channel ?? recipient.preferred_channel ?? 'email';
  const type = named?.template_type ?? request.template_type ?? 'custom';
  const program_id = typeof loan?.['program_id'] === 'string' ? loan['program_id'] : null;
  const language = recipient.language_preference;
  const template = await pickTemplate(work, named, type, { channel, language, program_id });
  if (!template)
    throw new Invalid({
      channel: `No template of this type exists for ${channel}. Create one first.`,
    });
  const { borrower_id, context } = request;
  if (loan === null) await assertLoanUnambiguous(work, { borrower_id, words: template, context });
  const figures = await loadCurrentFigures(work, template, recipient, loan);
  return {
    ...renderTemplate(template, messageVariables(figures, template, request.context)),
    channel,
  };
}

type PreviewContext = {
  borrower_id: string;
  channel: Channel;
  template_type?: string | null | undefined;
  loan_id?: string | null | undefined;
  at?: string | null | undefined;
};

/** Checks the same rules as sending a message. */
export async function canInteract(
  work: Work,
  { borrower_id, channel, template_type, loan_id, at }: PreviewContext,
): Promise<{ can_interact: boolean; reasons: BlockReason[] }> {
  const plan = { channel, template_type: template_type ?? null, loan_id: loan_id ?? null };
  const when = at ? { at: new Date(at) } : {};
  const asked = await checkContacts(work, [borrower_id], { ...plan, ...when });
  const contact = asked.get(borrower_id);
  if (!contact) throw new Invalid({ borrower_id: 'Does not exist.' });
  if (loan_id) await findMessageLoan(work, { borrower_id, loan_id });
  return { can_interact: contact.reasons.length === 0, reasons: contact.reasons };
}
