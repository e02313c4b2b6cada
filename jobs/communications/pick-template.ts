import type { Channel } from '../../sql/communications/channels.ts';
import * as templates from '../../sql/communications/templates.ts';
import { defaultMessage, TEMPLATE_TYPES, type TemplateType } from '../../templates/messages.ts';
import { Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

/** Selects a tenant's template by id, or a type of message. */
export type TemplateChoice = {
  template_id?: string | null | undefined;
  template_type?: string | null | undefined;
};

export type PickedTemplate = {
  id: string | null;
  template_type: string;
  channel: Channel;
  language: string;
  subject: string | null;
  body: string;
};

/**
 * The tenant's template with the requested id, or null if only a type is requested. Throws Invalid if it
 * does not exist.
 */
export async function findRequestedTemplate(
  { tx }: Work,
  { template_id, template_type }: TemplateChoice,
) {
  if (template_id) {
    const found = await templates.findUsable(tx, template_id);
    if (found) return found;
    throw new Invalid({ template_id: 'Does not exist.' });
  }
  if (!template_type) throw new Invalid({ template_id: 'Is required.' });
  return null;
}

type TemplateSelection = { channel: Channel; language: string; program_id: string | null };

/**
 * Chooses the template for a channel: the requested one if it is for that channel, otherwise the tenant's
 * for this type, otherwise the platform's. Null if there is none.
 */
export async function pickTemplate(
  { tx }: Work,
  named: templates.StoredTemplate | null,
  type: string,
  situation: TemplateSelection,
): Promise<PickedTemplate | null> {
  if (named && named.channel === situation.channel) return named;
  const own = await templates.findForType(tx, { type, ...situation });
  if (own) return own;
  const { channel, language } = situation;
  const known = TEMPLATE_TYPES.find((candidate) => candidate === type);
  const ours = known && builtInMessage(known, channel, language);
  return ours ? { ...ours, id: null, channel } : null;
}

/** In-app messages use the text message templates, because both are short plain text. */
const builtInMessage = (type: TemplateType, channel: Channel, language: string) =>
  defaultMessage(type, channel === 'in_app' ? 'sms' : channel, language);
