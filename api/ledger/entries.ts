import { z } from 'zod';
import {
  addDraft,
  archiveDraft,
  DraftLines,
  postDraft,
  controlAccount,
  alreadyPosted,
  accountInactive,
  postedEntry,
} from '../../jobs/ledger/draft.ts';
import {
  EntryReversal,
  reverseEntry,
  alreadyReversed,
  isReversal,
  notPosted,
  yearClosed,
  reportedToInvestor,
} from '../../jobs/ledger/reverse.ts';
import { entries as table } from '../../sql/ledger/entries.ts';
import { date, flag, freeText, money, timestamp, uuid, requiredText } from '../../sql/types.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';
import { action, resource } from '../endpoints/resource.ts';
import { periodClosed } from '../../jobs/ledger/close-period.ts';

const entryLine = z
  .object({
    account_id: uuid.describe('The account.'),
    account_code: z.string().describe('The number of the account.'),
    account: z.string().describe('The name of the account.'),
    role: z
      .string()
      .nullable()
      .describe('The account role, whichever account the product assigns to it.'),
    debit: money.describe('The debit.'),
    credit: money.describe('The credit.'),
    description: z.string().nullable().describe('A text for the line.'),
  })
  .meta({ id: 'JournalLine' });

const entryFields = {
  id: uuid.readonly(),
  entry_date: date.describe('The booking date. Must not be in a closed period.'),
  effective_date: date
    .readonly()
    .describe(
      'The day for which the entry counts on the loan. `entry_date` is later if it was recorded late.',
    ),
  description: freeText.nullish().describe('What the entry is for.'),
  reference_type: requiredText.default('manual').describe('Your classification of the entry.'),
  reference_id: uuid.nullable().readonly().describe('The record that caused the entry.'),
  loan_id: uuid
    .nullish()
    .describe('The loan that the entry is about. Required for lines on control accounts.'),
  source: z.enum(['system', 'manual']).readonly().describe('Whether the system or a user made it.'),
  status: z.enum(['draft', 'posted']).readonly().describe('Only a `posted` entry counts.'),
  lines: z.array(entryLine).readonly().describe('The lines, whose debits and credits are equal.'),
  posted_at: timestamp.nullable().readonly().describe('When it was posted.'),
  posted_by: uuid.nullable().readonly().describe('The user who posted it.'),
  reversal_of_entry_id: uuid.nullable().readonly().describe('The entry that this one reverses.'),
  reversal_reason: z.string().nullable().readonly().describe('Why that entry was reversed.'),
  is_reversed: flag.readonly().describe('Whether another entry reverses it.'),
  reversed_by_entry_id: uuid.nullable().readonly().describe('The entry that reverses it.'),
  reversed_at: timestamp.nullable().readonly().describe('When it was reversed.'),
  is_archived: flag.readonly(),
  created_by: uuid.nullable().readonly(),
  created_at: timestamp.readonly(),
};

export const entries = resource({
  name: 'JournalEntry',
  path: 'ledger/entries',
  about:
    'A balanced entry of the general ledger. The system posts its own; you can add manual ones.',
  area: 'ledger',
  table,
  read: 'viewer',
  write: 'admin',
  offers: ['list', 'read', 'create', 'delete'],
  archivable: true,

  fields: entryFields,
  writeOnly: { lines: DraftLines },
  filters: [
    'status',
    'entry_date',
    'effective_date',
    'reference_type',
    'reference_id',
    'loan_id',
    'source',
    'is_reversed',
    'reversal_of_entry_id',
    'created_by',
    'posted_by',
  ],

  example: () => ({
    reference_type: 'adjustment',
    lines: [
      { account_id: EXAMPLE_ID, debit: '10.00' },
      { account_id: EXAMPLE_ID, credit: '10.00' },
    ],
  }),
  conflicts: {
    create: () => [periodClosed('2025-12-31'), controlAccount([2])],
    delete: () => [postedEntry({ current_status: 'posted' })],
  },
  create: addDraft,
  remove: archiveDraft,
  actions: {
    post: action({
      allow: 'admin',
      summary: 'Post a draft entry permanently',
      description:
        'The entry counts from then on and can only be reversed. Answers 409 if its period is closed or an account is no longer active.',
      conflicts: () => [
        alreadyPosted({ current_status: 'posted' }),
        periodClosed('2025-12-31'),
        accountInactive(),
        controlAccount([2]),
      ],
      run: postDraft,
    }),
    reverse: action({
      allow: 'admin',
      summary: 'Reverse a journal entry',
      description:
        'Posts a mirror entry and answers with it. The original entry stays unchanged. An entry can be reversed once.',
      conflicts: () => [
        alreadyReversed(EXAMPLE_ID),
        isReversal(),
        notPosted({ current_status: 'draft' }),
        yearClosed(),
        reportedToInvestor(),
      ],
      body: EntryReversal,
      reply: z.object(entryFields),
      run: reverseEntry,
    }),
  },
});
