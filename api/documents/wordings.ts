import { z } from 'zod';
import {
  addWording,
  changeWording,
  DOCUMENT_LANGUAGES,
  WordingParts,
  WordingPreview,
  previewWording,
} from '../../jobs/documents/wording.ts';
import { wordings as table } from '../../sql/documents/wordings.ts';
import { flag, integer, timestamps, uuid } from '../../sql/types.ts';
import { WORDED_DOCUMENTS } from '../../templates/wordings.ts';
import { endpoint, resource } from '../endpoints/resource.ts';

export const documentWordings = resource({
  name: 'DocumentWording',
  about:
    'Your own text in statements, payoff letters and adverse action notices, in addition to their required content.',
  path: 'document-wordings',
  area: 'documents',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'update', 'archive'],
  archivable: true,

  fields: {
    id: uuid.readonly(),
    document_type: z.enum(WORDED_DOCUMENTS).describe('The document that shows the text.'),
    language: z.enum(DOCUMENT_LANGUAGES).describe('The language of the text.'),
    ...WordingParts.shape,
    version: integer.readonly().describe('Counts the changes of the wording, from 1.'),
    is_active: flag.default(true).describe('Whether new documents show the text.'),
    is_archived: flag.readonly(),
    ...timestamps,
  },
  fixed: ['document_type', 'language'],
  filters: ['document_type', 'language', 'is_active'],

  create: addWording,
  update: changeWording,
});

export const previewWordingRoute = endpoint({
  method: 'POST',
  path: '/document-wordings/preview',
  tag: 'documents',
  resource: 'document-wordings',
  action: 'preview',
  allow: 'admin',
  summary: 'Preview a document with unsaved wording and sample data',
  description:
    'Answers with HTML that shows your letterhead, the given text and sample figures. Saves nothing.',
  transaction: 'read',
  status: 200,
  carries: 'anything',
  body: WordingPreview,
  reply: z.object({ html: z.string().describe('The document as an HTML page.') }),
  run: ({ work, body }) => previewWording(work, body as z.output<typeof WordingPreview>),
});
