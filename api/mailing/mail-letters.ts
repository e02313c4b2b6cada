import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import { BLOCK_REASONS } from '../../jobs/communications/contact-rules.ts';
import {
  holdLetter,
  releaseLetter,
  LetterNote,
  withdrawLetter,
  letterBatched,
  letterWithdrawn,
  notHeld,
} from '../../jobs/mailing/letter.ts';
import { recordReturnedLetter } from '../../jobs/mailing/returned-letters.ts';
import { letters as table, LETTER_STATUSES } from '../../sql/mailing/letters.ts';
import { date, integer, prose, timestamps, text, uuid } from '../../sql/types.ts';
import { action, resource } from '../endpoints/resource.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';

const routeDefaults = { allow: 'loan_officer', body: LetterNote } as const;
const nullableId = uuid.nullable().readonly();
const nullableNumber = integer.nullable().readonly();

export const mailLetters = resource({
  name: 'MailLetter',
  about:
    'A printed letter to a borrower. It has the same id as its message in the communication log.',
  path: 'mail-letters',
  area: 'mailing',
  table,
  read: 'viewer',
  write: 'loan_officer',
  offers: ['list', 'read'],

  fields: {
    id: uuid.readonly().describe('The subject of the message.'),
    borrower_id: uuid.readonly(),
    loan_id: nullableId,
    document_id: uuid.readonly(),
    template_type: text.nullable().readonly(),
    posted_on: date.readonly().describe('The business date on which it was printed.'),
    status: z
      .enum(LETTER_STATUSES)
      .readonly()
      .describe('Whether the letter waits for a batch, is held, is in a batch, or was withdrawn.'),
    hold_reasons: derivedFrom(
      z
        .array(z.enum([...BLOCK_REASONS, 'by_hand']))
        .readonly()
        .describe('Why the letter is not in a batch.'),
      'cases.facts',
    ),
    note: prose
      .nullable()
      .readonly()
      .describe('What staff noted about holding it. Null if nothing.'),
    mail_batch_id: nullableId,
    mail_batch_file_id: nullableId.describe(
      'The file of the batch that contains the letter. Null until it is in one.',
    ),
    position: nullableNumber.describe('The position of the letter in its batch.'),
    first_page: nullableNumber.describe('The first page of the letter in its file.'),
    last_page: nullableNumber.describe('The last page of the letter in its file.'),
    page_count: integer.readonly().describe('How many pages the letter has.'),
    returned_on: date
      .nullable()
      .readonly()
      .describe('When the letter came back from the address. Null if it did not.'),
    ...timestamps,
  },
  filters: [
    ...(['borrower_id', 'loan_id', 'document_id', 'template_type', 'posted_on', 'status'] as const),
    ...(['mail_batch_id', 'mail_batch_file_id', 'returned_on'] as const),
  ],

  actions: {
    hold: action({
      ...routeDefaults,
      summary: 'Hold a letter out of batches',
      description:
        'The letter waits until you release it. Answers 409 if it is already in a batch or was withdrawn.',
      conflicts: () => [letterBatched(EXAMPLE_ID), letterWithdrawn()],
      run: holdLetter,
    }),
    release: action({
      ...routeDefaults,
      summary: 'Release a held letter',
      description: 'The next batch checks the letter again and includes it.',
      conflicts: () => [notHeld(), letterBatched(EXAMPLE_ID), letterWithdrawn()],
      run: releaseLetter,
    }),
    returned: action({
      ...routeDefaults,
      summary: 'Record a returned letter',
      description:
        "Marks the letter's address as undeliverable, so that further letters to it are held, and creates a task. A repeat changes nothing.",
      run: recordReturnedLetter,
    }),
    withdraw: action({
      ...routeDefaults,
      summary: 'Withdraw a letter',
      description:
        'Takes the letter out of all batches permanently, because it was sent in another way or is no longer needed. Answers 409 if it is already in a batch.',
      conflicts: () => [letterBatched(EXAMPLE_ID), letterWithdrawn()],
      run: withdrawLetter,
    }),
  },
});
