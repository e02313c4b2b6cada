import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import {
  addCase,
  CASE_SOURCES,
  CASE_STATUSES,
  CASE_TYPES,
  changeCase,
  nonBlankProse,
  conditionsOpen,
  caseExists,
  caseTransition,
  applicationOpen,
} from '../../jobs/cases/cases.ts';
import { deadlinesOfCase } from '../../jobs/cases/record-facts.ts';
import { DEADLINES } from '../../jobs/cases/rules/deadlines.ts';
import { FACTS } from '../../jobs/cases/rules/facts.ts';
import { answerCase, attachmentIds, caseClosed } from '../../jobs/cases/thread.ts';
import { PRIORITIES } from '../../sql/borrowers/tasks.ts';
import { cases as table, messages, listThread } from '../../sql/cases/cases.ts';
import { caseFacts } from '../../sql/cases/facts.ts';
import {
  date,
  flag,
  freeText,
  integer,
  jsonObject,
  ownJson,
  requiredFreeText,
  prose,
  timestamps,
  timestamp,
  uuid,
} from '../../sql/types.ts';
import { endpoint, findOrThrow, nested, resource } from '../endpoints/resource.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';

const nullableTimestamp = timestamp.nullable().readonly();

const caseMessages = resource({
  name: 'CaseMessage',
  about: 'A message in a case: of the borrower, of staff to the borrower, or an internal note.',
  path: 'case-messages',
  area: 'cases',
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

  conflicts: {
    create: () => [caseClosed()],
  },
  create: answerCase,
});

const factVersions = resource({
  name: 'CaseFactVersion',
  about: 'The facts of a case as they were recorded once. The highest version is in force.',
  path: 'case-facts',
  area: 'cases',
  table: caseFacts,
  read: 'collector',
  write: 'collector',
  offers: [],

  fields: {
    id: uuid.readonly(),
    case_id: uuid.readonly(),
    borrower_id: uuid.readonly(),
    version: integer.readonly().describe('Counts from 1.'),
    facts: derivedFrom(ownJson.readonly(), 'cases.facts').describe('The facts of this version.'),
    reason: derivedFrom(
      z.string().nullable().readonly().describe('Why the facts were corrected.'),
      'cases.facts',
    ),
    changed_by: uuid.nullable().readonly().describe('The user who recorded them.'),
    created_at: timestamp.readonly(),
  },
  filters: ['version'],
  sort: { field: 'version', descending: true },
});

const LegalCondition = z
  .object({
    condition: z.string().describe('Such as stay_13. The guide about cases lists all of them.'),
    borrower_id: uuid.describe('The person whom it concerns.'),
    loan_id: uuid.nullable().describe('Null: all loans that the person owes.'),
    from_date: date.describe('The first day on which the condition holds.'),
    until_date: date.nullable().describe('The first day on which it no longer applies.'),
  })
  .meta({ id: 'LegalCondition' });

/** The borrower's fields that follow from the facts of cases, and from which they could be concluded. */
const BORROWER_FACTS = [
  ...(['borrowers.bankruptcy_status', 'borrowers.military_status'] as const),
  ...(['borrowers.is_deceased', 'borrowers.cease_and_desist_date'] as const),
] as const;

/** Any of the forms. The operation checks the one of the case's type, so that it can name the wrong field. */
const factsField = jsonObject.meta({
  // Both kinds of disputes have the same facts.
  anyOf: [...new Set(Object.values(FACTS))].map((facts) => {
    const { $schema: _draft, ...schema } = z.toJSONSchema(facts, { io: 'input' });
    return schema;
  }),
});

export const cases = resource({
  name: 'Case',
  about:
    'A question, complaint or dispute of a borrower, or an event with legal effect such as a bankruptcy, with its messages. Cases that staff open are internal until they write to the borrower.',
  path: 'cases',
  area: 'cases',
  table,
  read: 'collector',
  write: 'collector',
  offers: ['list', 'create', 'update'],

  fields: {
    id: uuid.readonly(),
    case_number: z.string().readonly().describe('The number of the case, to quote in letters.'),
    borrower_id: uuid.describe('The id of the borrower whose case it is.'),
    borrower_name: z.string().readonly(),
    loan_id: uuid
      .nullish()
      .describe(
        'The loan that the case is about. Default: all loans that the borrower owes. Omit it for a bankruptcy, a servicemember and a death.',
      ),
    subject: requiredFreeText.describe('Visible to a borrower who can see the case.'),
    description: nonBlankProse.describe(
      'What the case is about. If staff open the case, the borrower never sees it.',
    ),
    case_type: derivedFrom(
      z
        .enum(CASE_TYPES)
        .default('general')
        .describe(
          'The kind of case. A dispute about a loan that is reported to a credit bureau creates a compliance task. Types with legal effect, such as `bankruptcy`, need facts.',
        ),
      'cases.facts',
    ),
    status: z
      .enum(CASE_STATUSES)
      .default('open')
      .describe(
        'A new case is `open` or `in_progress`. To set `resolved` or `closed`, also give a resolution; a legal condition that ends must have an end (409 `conditions_open`). A message of the borrower reopens a resolved case; a closed case stays closed.',
      ),
    priority: z
      .enum(PRIORITIES)
      .default('normal')
      .describe('How urgent the case is, for the order of your work.'),
    source: z.enum(CASE_SOURCES).readonly().describe('Where the case was opened.'),
    assigned_to: uuid.nullish().describe('The id of the staff user who works on the case.'),
    facts: derivedFrom(
      factsField
        .nullish()
        .describe(
          'The dated facts of the case, replaced as a whole. Required for the types with legal effect; the guide about cases lists the facts of each type. Corrections are kept as versions.',
        ),
      ...BORROWER_FACTS,
    ),
    facts_reason: derivedFrom(
      freeText.nullish().describe('Why the facts were corrected.'),
      'cases.facts',
    ),
    conditions: derivedFrom(
      z
        .array(LegalCondition)
        .describe('The legal conditions that follow from the facts, with their dates.')
        .readonly(),
      'cases.facts',
    ),
    document_ids: z
      .array(uuid)
      .max(50)
      .default([])
      .describe('Documents of the borrower, or of the loans that the borrower owes, as evidence.'),
    opened_in_error: flag
      .default(false)
      .describe(
        'Set it to true, with a resolution, if the case should never have been opened. It is closed, and everything that followed from its facts is undone. This cannot be undone.',
      ),
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

  conflicts: {
    create: () => [caseExists({ id: EXAMPLE_ID, case_number: 'C-2026-000012' })],
    update: () => [
      conditionsOpen('bankruptcy_stay'),
      applicationOpen(),
      caseTransition('closed', 'open', []),
    ],
  },
  create: addCase,
  update: changeCase,
  nested: {
    messages: nested(caseMessages, 'case_id'),
    facts: nested(factVersions, 'case_id', ['list']),
  },
});

export const readCase = endpoint({
  method: 'GET',
  path: '/cases/{id}',
  allow: 'collector',
  tag: 'cases',
  summary: 'Get a case with its messages',
  description:
    'Includes internal notes, from the oldest to the newest, and the deadlines that are not met yet.',
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
      deadlines: derivedFrom(
        z
          .array(
            z.object({
              deadline: z.enum(DEADLINES).describe('What must be done.'),
              last_day: date.describe('The last day for it.'),
              due_date: date.describe('The day on which its task is due.'),
            }),
          )
          .describe('Deadlines that the facts have not met yet, the earliest first.'),
        'cases.facts',
      ),
    })
    .meta({ id: 'CaseWithMessages' }),
  run: async ({ work, params }) => {
    const row = await findOrThrow(work, table, params['id']);
    return { ...row, messages: await listThread(work.tx, row.id), deadlines: deadlinesOfCase(row) };
  },
});
