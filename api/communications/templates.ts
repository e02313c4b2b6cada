import { z } from 'zod';
import { addTemplate, changeTemplate, templateExists } from '../../jobs/communications/template.ts';
import { CHANNELS } from '../../sql/communications/channels.ts';
import { templates as table } from '../../sql/communications/templates.ts';
import { flag, freeText, integer, timestamps, uuid, requiredText } from '../../sql/types.ts';
import { TEMPLATE_TYPES } from '../../templates/messages.ts';
import { resource } from '../endpoints/resource.ts';

/** Saving a template checks its content and the shorter limit of each part. */
const source = z.string().max(65_536);

export const communicationTemplates = resource({
  name: 'CommunicationTemplate',
  about:
    "The text of a message to borrowers. Without one, the platform's own text for the type, channel and language is used.",
  path: 'communication-templates',
  area: 'communications',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,

  fields: {
    id: uuid.readonly(),
    name: requiredText.describe('The name of the template, for your staff.'),
    template_type: z
      .enum(TEMPLATE_TYPES)
      .describe('When the platform uses the template. `custom` is only sent when you name it.'),
    channel: z
      .enum(CHANNELS)
      .describe('The channel of the message. `in_app` appears in the portal.'),
    language: z
      .string()
      .regex(/^[a-z]{2}(-[A-Z]{2})?$/, 'Must be a language code like en or es-MX.')
      .default('en')
      .describe('The language of the text, such as en or es-MX.'),
    program_id: uuid
      .nullish()
      .describe('Only for loans of this program. Default: for all programs without their own.'),
    subject: source
      .nullish()
      .describe(
        'The subject of an email or letter. May contain variables such as {{loan.number}}.',
      ),
    body: source.describe(
      'The text: HTML for emails and letters, plain text otherwise. May contain variables such as {{borrower.name}}. A text with an unknown variable is refused with 422.',
    ),
    description: freeText.nullish().describe('What the template is for, for your staff.'),
    version: integer.readonly().describe('Counts the changes of the template, from 1.'),
    is_active: flag.default(true).describe('Whether the template is used.'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  filters: ['template_type', 'channel', 'language', 'program_id', 'is_active', 'name'],

  example: () => ({ template_type: 'custom' }),
  conflicts: {
    create: () => [templateExists()],
    update: () => [templateExists()],
  },
  create: addTemplate,
  update: changeTemplate,
});
