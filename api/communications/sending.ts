import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { derivedFrom } from '../../jobs/facts.ts';
import { BatchResult, composeBatch } from '../../jobs/communications/batch.ts';
import { compose } from '../../jobs/communications/compose.ts';
import { composeToAll } from '../../jobs/communications/compose-to-all.ts';
import { canInteract, previewMessage } from '../../jobs/communications/preview.ts';
import { BLOCK_REASONS } from '../../jobs/communications/contact-rules.ts';
import { addDays } from '../../jobs/dates.ts';
import { CHANNELS } from '../../sql/communications/channels.ts';
import { logs } from '../../sql/communications/logs.ts';
import { flag, jsonObject, timestamp, uuid } from '../../sql/types.ts';
import { TEMPLATE_TYPES } from '../../templates/messages.ts';
import { EXAMPLE_ID } from '../endpoints/examples.ts';
import { findOrThrow } from '../endpoints/resource.ts';
import type { Route } from '../endpoints/route.ts';
import { HttpRefusal } from '../http/errors.ts';
import { communicationLogs } from './logs.ts';
import { Conflict } from '../../jobs/errors.ts';
import { conflictRefusal } from '../endpoints/record-operations.ts';

const channel = z.enum(CHANNELS);
const template_type = z.enum(TEMPLATE_TYPES).nullish();
const templateFields = {
  template_id: uuid
    .nullish()
    .describe('The communication template to send. Required unless `template_type` is set.'),
  template_type: template_type.describe(
    "Instead of a template: the tenant's active template of this type for the channel, the borrower's language and the loan's program, otherwise the platform's own.",
  ),
};

const Preview = z.object({
  ...templateFields,
  borrower_id: uuid.describe('The id of the borrower who receives the message.'),
  loan_id: uuid
    .nullish()
    .describe(
      "The loan that the message is about. Default: the borrower's only loan. Required for a text with loan values if the borrower has several.",
    ),
  channel: channel
    .nullish()
    .describe(
      "How the message is sent. Default: the template's channel, otherwise the borrower's preferred one. `in_app` appears in the portal.",
    ),
  context: jsonObject
    .default({})
    .describe(
      'Values for the template that are not in the records, such as {"payment_amount": "100.00"}.',
    ),
});
const Send = Preview.extend({
  to_all_who_owe: flag
    .default(false)
    .describe('Also send to co-borrowers who receive notices, on their preferred channels.'),
});
const Batch = z.object({
  ...templateFields,
  borrower_ids: z
    .array(uuid)
    .min(1)
    .max(1_000)
    .describe('The ids of the borrowers, up to 1,000. Repeated ids count once.'),
  channel: channel
    .nullish()
    .describe("How the messages are sent. Default: the template's channel, otherwise email."),
});
const BlockersQuery = z.object({
  borrower_id: uuid.describe('The id of the borrower to contact.'),
  channel: channel.describe('How you want to contact the borrower.'),
  template_type: template_type.describe(
    'The type of message. Limits on collection apply to collection types only.',
  ),
  loan_id: uuid
    .nullish()
    .describe('The loan that the message is about. The weekly cap counts per loan.'),
  at: timestamp
    .nullish()
    .describe('The time at which you want to send it, for quiet hours. Default: now.'),
});

const routeDefaults = {
  tag: 'communications',
  resource: 'communications',
  method: 'POST',
} as const;
const staffRouteDefaults = { ...routeDefaults, allow: 'loan_officer' } as const;

export const communicationRoutes: Route[] = [
  {
    ...staffRouteDefaults,
    path: '/communications/send',
    throttle: 'communication',
    summary: 'Send a message to a borrower',
    description:
      'Queues a message from a template and records it in the communication log. Answers 409 `communication_blocked` with the `reasons` if the borrower may not be contacted. With `to_all_who_owe`, it also goes to co-borrowers.',
    conflicts: () => [communicationBlocked(['do_not_contact'], [])],
    action: 'send',
    transaction: 'write',
    status: 201,
    body: Send,
    example: (today) => ({
      loan_id: EXAMPLE_ID,
      template_type: 'payment_reminder',
      channel: 'email',
      context: { payment_amount: '100.00', due_date: addDays(today, 5) },
    }),
    reply: communicationLogs.reply
      .extend({ copies: z.array(BatchResult).describe('The result for each co-borrower.') })
      .meta({ id: 'SentMessage' }),
    run: async ({ work, body }) => {
      const { to_all_who_owe, ...message } = body as z.output<typeof Send>;
      const request = { ...message, triggered_by: 'user' } as const;
      const { copies, ...composed } = to_all_who_owe
        ? await composeToAll(work, request)
        : { ...(await compose(work, request)), copies: [] };
      if (composed.status === 'blocked') return blockedRefusal(composed.reasons, copies);
      return { ...(await findOrThrow(work, logs, composed.log_id)), copies };
    },
  },
  {
    ...staffRouteDefaults,
    path: '/communications/send-batch',
    throttle: 'communication',
    summary: 'Send a message to many borrowers',
    description:
      'Each borrower gets at most one message, in their own language. The answer shows the result for each of them: a blocked one does not stop the others.',
    action: 'send',
    transaction: 'write',
    status: 200,
    body: Batch,
    reply: z.object({
      batch_id: uuid.describe('The id of the batch. Filter GET /communication-logs by it.'),
      total: z.int().describe('How many borrowers were named.'),
      queued: z.int().describe('How many messages will be sent.'),
      blocked: z.int().describe('How many messages may not be sent, such as after an opt-out.'),
      failed: z.int().describe('How many messages could not be composed.'),
      results: z.array(BatchResult).describe('The result for each borrower.'),
    }),
    run: ({ work, body }) => composeBatch(work, randomUUID(), body as z.output<typeof Batch>),
  },
  {
    ...staffRouteDefaults,
    path: '/communications/preview',
    carries: 'anything',
    summary: 'Preview a message',
    description: 'Renders the message without sending it or checking blockers.',
    action: 'send',
    transaction: 'read',
    status: 200,
    body: Preview,
    reply: z.object({
      subject: z.string().nullable().describe('The subject of an email. Null for other channels.'),
      body: z.string().describe('The text of the message.'),
      channel: channel.describe('The channel that would be used.'),
    }),
    run: ({ work, body }) => previewMessage(work, body as z.output<typeof Preview>),
  },
  {
    ...staffRouteDefaults,
    path: '/communications/can-interact',
    summary: 'Check whether a borrower may be contacted',
    description:
      'Applies the same rules as sending a message, and sends nothing. Use it before you call a borrower, too.',
    action: 'send',
    transaction: 'read',
    status: 200,
    body: BlockersQuery,
    reply: z.object({
      can_interact: z.boolean().describe('Whether the borrower may be contacted this way now.'),
      reasons: derivedFrom(
        z.array(z.enum(BLOCK_REASONS)).describe('Why not. Empty if the borrower may be contacted.'),
        'cases.facts',
      ),
    }),
    run: ({ work, body }) => canInteract(work, body as z.output<typeof BlockersQuery>),
  },
];

/** Returned rather than thrown, so that the log row of the blocked message is kept. */
function blockedRefusal(reasons: readonly string[], copies: readonly object[]): HttpRefusal {
  const refusal = conflictRefusal(communicationBlocked(reasons, copies));
  Object.assign(refusal.answer.body, { reasons });
  return refusal;
}

const communicationBlocked = (reasons: readonly string[], copies: readonly object[]) =>
  new Conflict('The borrower may not be contacted this way.', 'communication_blocked', {
    reasons,
    copies,
  });
