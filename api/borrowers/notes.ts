import { z } from 'zod';
import { addNote } from '../../jobs/borrowers/note.ts';
import { notes as table } from '../../sql/borrowers/notes.ts';
import { flag, freeText, prose, timestamps, uuid } from '../../sql/types.ts';
import { resource } from '../endpoints/resource.ts';

export const notes = resource({
  name: 'Note',
  path: 'notes',
  area: 'borrowers',
  table,
  read: 'viewer',
  write: 'loan_officer',
  // The specification lists and creates notes only below their borrower.
  offers: [],

  fields: {
    id: uuid.readonly(),
    borrower_id: uuid,
    loan_id: uuid.nullish(),
    subject: freeText.nullish(),
    body: prose.refine((body) => body.trim() !== '', 'Must not be empty.'),
    category: z
      .enum(['general', 'call', 'collections', 'legal', 'servicing', 'complaint'])
      .default('general'),
    visibility: z.enum(['internal', 'borrower']).default('internal'),
    is_pinned: flag.default(false),
    author_id: uuid.nullable().readonly(),
    author_name: z.string().nullable().readonly(),
    ...timestamps,
  },
  filters: ['borrower_id', 'loan_id', 'category', 'visibility', 'is_pinned', 'author_id'],

  create: addNote,
});
