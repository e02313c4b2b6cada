import { z } from 'zod';
import { auditChange } from '../../jobs/audit.ts';
import { CASE_STATUSES, CASE_TYPES, nonBlankProse, REQUEST_TYPES } from '../../jobs/cases/cases.ts';
import { attachmentIds, postBorrowerMessage, caseClosed } from '../../jobs/cases/thread.ts';
import { openBorrowerCase, tooManyCases } from '../../jobs/portal/cases.ts';
import { cases, messages } from '../../sql/cases/cases.ts';
import { casesOfBorrower, listVisibleThread } from '../../sql/portal/cases.ts';
import { requiredFreeText, timestamps, timestamp, uuid } from '../../sql/types.ts';
import { fetchPage } from '../endpoints/record-operations.ts';
import { findOrThrow } from '../endpoints/resource.ts';
import type { Call, Route } from '../endpoints/route.ts';
import { borrowerEndpoint } from './borrower-endpoint.ts';

const nullableTimestamp = timestamp.nullable();

const portalCase = z
  .object({
    id: uuid,
    case_number: z.string().describe('The number of the case, to quote in letters.'),
    loan_id: uuid.nullable(),
    subject: z.string().describe('What the case is about, in a few words.'),
    application_number: z
      .string()
      .nullable()
      .describe('The hardship application for which the case was opened.'),
    description: z
      .string()
      .nullable()
      .describe("The borrower's question. Null if staff opened the case."),
    case_type: z.enum(CASE_TYPES).describe('The kind of case.'),
    status: z
      .enum(CASE_STATUSES)
      .describe('How far the case is. A message of the borrower reopens a resolved case.'),
    resolution: z.string().nullable().describe('How the case was resolved. Null until then.'),
    opened_at: timestamp.describe('When the case was opened.'),
    resolved_at: nullableTimestamp.describe('When the case was resolved. Null if it is not.'),
    closed_at: nullableTimestamp.describe('When the case was closed. Null if it is not.'),
    last_message_at: timestamp.describe('When the newest message was written.'),
    ...timestamps,
  })
  .meta({ id: 'PortalCase' });

const message = z
  .object({
    id: uuid,
    author_type: z
      .enum(['borrower', 'agent', 'system'])
      .describe('Who wrote the message: the borrower, staff or the platform.'),
    author_name: z.string().describe('The name of the author, or of the lender.'),
    message: z.string().describe('The text of the message.'),
    attachments: z.array(uuid).describe('Documents that are visible in the portal.'),
    created_at: timestamp,
  })
  .meta({ id: 'PortalCaseMessage' });

const caseThread = portalCase
  .extend({
    messages: z.array(message).describe('The messages that the borrower may see, oldest first.'),
  })
  .meta({ id: 'PortalCaseWithMessages' });

const NewCase = z.object({
  loan_id: uuid.nullish().describe('The loan that the case is about, if any.'),
  subject: requiredFreeText.describe('What the case is about, in one line.'),
  description: nonBlankProse.describe('The question or complaint, up to 10,000 characters.'),
  case_type: z
    .enum(REQUEST_TYPES)
    .default('general')
    .describe('The kind of case. The two kinds of dispute can start a credit dispute.'),
});
const NewMessage = z.object({
  message: nonBlankProse.describe('The text, up to 10,000 characters.'),
  attachments: attachmentIds.default([]),
});

export const portalCases: Route[] = [
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/support/cases',
    action: 'list-cases',
    summary: "List the borrower's cases",
    description: "The borrower's own cases, and those in which staff have written to the borrower.",
    reply: portalCase,
    list: {
      name: 'cases',
      fields: portalCase.shape,
      filters: ['loan_id', 'case_type', 'status'],
      hasSearch: false,
      isArchivable: false,
    },
    run: (call, borrowerId) => fetchPage(call, casesOfBorrower(borrowerId)),
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/support/cases',
    action: 'create',
    summary: 'Open a case',
    description:
      'Asks a question to the staff, who get a task due in two days. A dispute about a loan that is reported to a credit bureau also creates a compliance task. Answers 409 `too_many_cases` above 20 open cases.',
    conflicts: () => [tooManyCases()],
    status: 201,
    body: NewCase,
    reply: caseThread,
    run: async ({ work, body }, borrower_id) => {
      const question = { ...(body as z.output<typeof NewCase>), borrower_id };
      const { id } = await auditChange(work, cases, 'create', null, () =>
        openBorrowerCase(work, question),
      );
      return withMessages(work, borrower_id, id);
    },
  }),
  borrowerEndpoint({
    method: 'GET',
    path: '/portal/support/cases/{id}',
    action: 'show-case',
    summary: 'Get a case with its messages',
    description: 'Leaves out internal notes of the staff.',
    reply: caseThread,
    run: ({ work, params }, borrowerId) => withMessages(work, borrowerId, params['id']),
  }),
  borrowerEndpoint({
    method: 'POST',
    path: '/portal/support/cases/{id}/messages',
    action: 'create',
    summary: 'Add a message to a case',
    description:
      'Staff get a task to answer. A resolved case reopens; a closed one answers 409 `case_closed`.',
    conflicts: () => [caseClosed()],
    status: 201,
    body: NewMessage,
    reply: message,
    run: ({ work, params, body }, borrowerId) =>
      auditChange(work, messages, 'create', null, () =>
        postBorrowerMessage(
          work,
          borrowerId,
          params['id'] ?? '',
          body as z.output<typeof NewMessage>,
        ),
      ),
  }),
];

async function withMessages(work: Call['work'], borrowerId: string, id?: string) {
  const row = await findOrThrow(work, casesOfBorrower(borrowerId), id);
  return { ...row, messages: await listVisibleThread(work.tx, row.id) };
}
