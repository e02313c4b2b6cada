import { z } from 'zod';
import { addTemplate, changeTemplate } from '../../jobs/communications/template.ts';
import { CHANNELS } from '../../sql/communications/channels.ts';
import { templates as table } from '../../sql/communications/templates.ts';
import { flag, freeText, integer, timestamps, uuid, requiredText } from '../../sql/types.ts';
import { TEMPLATE_TYPES } from '../../templates/messages.ts';
import { resource } from '../endpoints/resource.ts';

/** Saving a template checks its content and the shorter limit of each part. */
const source = z.string().max(65_536);

export const communicationTemplates = resource({
  name: 'CommunicationTemplate',
  path: 'communication-templates',
  area: 'communications',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,

  fields: {
    id: uuid.readonly(),
    name: requiredText,
    template_type: z.enum(TEMPLATE_TYPES),
    channel: z.enum(CHANNELS),
    language: z
      .string()
      .regex(/^[a-z]{2}(-[A-Z]{2})?$/, 'Must be a language code like en or es-MX.')
      .default('en'),
    program_id: uuid.nullish(),
    subject: source.nullish(),
    body: source,
    description: freeText.nullish(),
    version: integer.readonly(),
    is_active: flag.default(true),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  filters: ['template_type', 'channel', 'language', 'program_id', 'is_active', 'name'],

  example: () => ({ template_type: 'custom' }),
  create: addTemplate,
  update: changeTemplate,
});
