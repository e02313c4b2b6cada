import { z } from 'zod';
import { addNote } from '../../jobs/borrowers/note.ts';
import { notes as table } from '../../sql/borrowers/notes.ts';
import { flag, freeText, prose, timestamps, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

export const notes = resource({
  name: 'Note',
  path: 'notes',
  about: 'A note of your staff about a borrower.',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list'],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    loan_id: uuid.nullish().describe('A loan that the borrower owes, if the note is about one.'),
    subject: freeText.nullish().describe('A heading.'),
    body: prose
      .refine((body) => body.trim() !== '', 'Must not be empty.')
      .describe('The text of the note.'),
    category: z
      .enum(['general', 'call', 'collections', 'legal', 'servicing', 'complaint'])
      .default('general')
      .describe('Classifies the note.'),
    visibility: z
      .enum(['internal', 'borrower'])
      .default('internal')
      .describe('For your records: the portal shows no notes.'),
    is_pinned: flag.default(false).describe('Whether to show it before other notes.'),
    author_id: uuid.nullable().readonly().describe('The user who wrote it.'),
    author_name: z.string().nullable().readonly().describe('The name of that user.'),
    ...timestamps,
  },
  filters: [
    'borrower_id',
    'loan_id',
    'category',
    'visibility',
    'is_pinned',
    'author_id',
    'created_at',
  ],

  create: addNote,
});
