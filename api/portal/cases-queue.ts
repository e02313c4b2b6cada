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

/** The messages of a case, listed and added at /cases/{id}/messages. */
const caseMessages = resource({
  name: 'CaseMessage',
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
    author_type: z.enum(['borrower', 'agent', 'system']).readonly(),
    author_id: uuid.nullable().readonly(),
    author_name: z.string().readonly(),
    message: nonBlankProse,
    is_internal: flag.default(false).describe('An internal staff note. No notification is sent.'),
    attachments: attachmentIds.default([]),
    created_at: timestamp.readonly(),
  },
  filters: ['author_type', 'is_internal'],

  create: answerCase,
});

/** The work queue of staff. cases.ts declares the borrower's view of a case. */
export const cases = resource({
  name: 'Case',
  path: 'cases',
  area: 'portal',
  table,
  read: 'collector',
  write: 'collector',
  offers: ['list', 'create', 'update'],

  fields: {
    id: uuid.readonly(),
    case_number: z.string().readonly(),
    borrower_id: uuid,
    borrower_name: z.string().readonly(),
    loan_id: uuid.nullish(),
    subject: requiredFreeText.describe('Visible to a borrower who can see the case.'),
    description: nonBlankProse,
    case_type: z.enum(CASE_TYPES).default('general'),
    status: z.enum(CASE_STATUSES).default('open'),
    priority: z.enum(PRIORITIES).default('normal'),
    source: z.enum(CASE_SOURCES).readonly(),
    assigned_to: uuid.nullish(),
    resolution: derivedFrom(
      prose.nullish().describe('Visible to a borrower who can see the case.'),
      'hardship-applications.application_number',
    ),
    awaits_answer: flag.readonly().describe('True if the borrower sent the last message.'),
    is_visible_to_borrower: flag.default(false),
    opened_at: timestamp.readonly(),
    first_response_at: nullableTimestamp,
    resolved_at: nullableTimestamp,
    closed_at: nullableTimestamp,
    last_message_at: timestamp.readonly(),
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
  action: 'show',
  resource: 'cases',
  transaction: 'read',
  status: 200,
  etag: cases.version,
  reply: cases.reply
    .extend({ messages: z.array(caseMessages.reply) })
    .meta({ id: 'CaseWithMessages' }),
  run: async ({ work, params }) => {
    const row = await findOrThrow(work, table, params['id']);
    return { ...row, messages: await listThread(work.tx, row.id) };
  },
});
