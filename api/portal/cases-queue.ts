import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import {
  addCase,
  CASE_SOURCES,
  CASE_STATUSES,
  CASE_TYPES,
  changeCase,
  nonBlankProse,
} from '../../jobs/portal/cases.ts';
import { answerCase, attachmentIds } from '../../jobs/portal/case-thread.ts';
import { PRIORITIES } from '../../sql/borrowers/tasks.ts';
import { cases as table, messages, listThread } from '../../sql/portal/cases.ts';
import { flag, requiredFreeText, prose, timestamps, timestamp, uuid } from '../../sql/types.ts';
import { endpoint, findOrThrow, nested, resource } from '../endpoints/resource.ts';

const nullableTimestamp = timestamp.nullable().readonly();

const caseMessages = resource({
  name: 'CaseMessage',
  about: 'A message in a case: of the borrower, of staff to the borrower, or an internal note.',
  path: 'case-messages',
  area: 'portal',
  table: messages,
  read: 'collector',
  write: 'collector',
  offers: [],

  fields: {
    id: uuid.readonly(),
    case_id: uuid,
    borrower_id: uuid.readonly(),
    loan_id: uuid.nullable().readonly(),
    author_type: z
      .enum(['borrower', 'agent', 'system'])
      .readonly()
      .describe('Who wrote the message: the borrower, staff or the platform.'),
    author_id: uuid
      .nullable()
      .readonly()
      .describe('The user who wrote the message. Null for the platform.'),
    author_name: z.string().readonly().describe('The name of the author.'),
    message: nonBlankProse.describe('The text, up to 10,000 characters.'),
    is_internal: flag.default(false).describe('An internal staff note. No notification is sent.'),
    attachments: attachmentIds.default([]),
    created_at: timestamp.readonly(),
  },
  filters: ['author_type', 'is_internal'],

  create: answerCase,
});

export const cases = resource({
  name: 'Case',
  about:
    'A question, complaint or dispute of a borrower, with its messages. Cases that staff open are internal until they write to the borrower.',
  path: 'cases',
  area: 'portal',
  table,
  read: 'collector',
  write: 'collector',
  offers: ['list', 'create', 'update'],

  fields: {
    id: uuid.readonly(),
    case_number: z.string().readonly().describe('The number of the case, to quote in letters.'),
    borrower_id: uuid.describe('The id of the borrower whose case it is.'),
    borrower_name: z.string().readonly(),
    loan_id: uuid.nullish().describe('The loan that the case is about, if any.'),
    subject: requiredFreeText.describe('Visible to a borrower who can see the case.'),
    description: nonBlankProse.describe(
      'What the case is about. If staff open the case, the borrower never sees it.',
    ),
    case_type: z
      .enum(CASE_TYPES)
      .default('general')
      .describe(
        'The kind of case. A dispute about a loan that is reported to a credit bureau creates a compliance task.',
      ),
    status: z
      .enum(CASE_STATUSES)
      .default('open')
      .describe(
        'A new case is `open` or `in_progress`. To set `resolved` or `closed`, also give a resolution. A message of the borrower reopens a resolved case; a closed case stays closed.',
      ),
    priority: z
      .enum(PRIORITIES)
      .default('normal')
      .describe('How urgent the case is, for the order of your work.'),
    source: z.enum(CASE_SOURCES).readonly().describe('Where the case was opened.'),
    assigned_to: uuid.nullish().describe('The id of the staff user who works on the case.'),
    resolution: derivedFrom(
      prose.nullish().describe('Visible to a borrower who can see the case.'),
      'hardship-applications.application_number',
    ),
    awaits_answer: flag.readonly().describe('True if the borrower sent the last message.'),
    is_visible_to_borrower: flag
      .default(false)
      .describe('Whether the borrower sees the case. A message to the borrower sets it to true.'),
    opened_at: timestamp.readonly().describe('When the case was opened.'),
    first_response_at: nullableTimestamp.describe(
      'When staff first wrote to the borrower. Null until then.',
    ),
    resolved_at: nullableTimestamp.describe('When the case was resolved. Null if it is not.'),
    closed_at: nullableTimestamp.describe('When the case was closed. Null if it is not.'),
    last_message_at: timestamp.readonly().describe('When the newest message was written.'),
    ...timestamps,
  },
  fixed: ['borrower_id', 'loan_id', 'description'],
  filters: [
    ...(['borrower_id', 'loan_id', 'case_type', 'status', 'priority', 'source'] as const),
    ...(['assigned_to', 'awaits_answer', 'opened_at', 'last_message_at'] as const),
    'is_visible_to_borrower',
  ],

  create: addCase,
  update: changeCase,
  nested: { messages: nested(caseMessages, 'case_id') },
});

export const readCase = endpoint({
  method: 'GET',
  path: '/cases/{id}',
  allow: 'collector',
  tag: 'portal',
  summary: 'Get a case with its messages',
  description: 'Includes internal notes, from the oldest to the newest.',
  action: 'show',
  resource: 'cases',
  transaction: 'read',
  status: 200,
  etag: cases.version,
  reply: cases.reply
    .extend({
      messages: z
        .array(caseMessages.reply)
        .describe('The messages and internal notes of the case, oldest first.'),
    })
    .meta({ id: 'CaseWithMessages' }),
  run: async ({ work, params }) => {
    const row = await findOrThrow(work, table, params['id']);
    return { ...row, messages: await listThread(work.tx, row.id) };
  },
});
