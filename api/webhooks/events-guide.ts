import { z } from 'zod';
import { EVENT_EXAMPLES, exampleBody } from '../../jobs/webhooks/event-examples.ts';
import { envelopeOf, EVENT_TYPES, EVENTS, TestEventData } from '../../jobs/webhooks/event-types.ts';
import { TEST_EVENT } from '../../sql/webhooks/events.ts';
import { fieldTable, schemaOf } from '../docs/field-table.ts';

const INTRODUCTION = `# Events catalogue

An event says that something has happened to a loan, a payment or a document. We send it to every active
subscription whose \`events\` contain its type, or \`*\`. [Receive and verify webhooks](webhooks.md) shows how to subscribe, and
how to check that a delivery is ours.

- We send an event if and only if the change that caused it was saved.
- One change can cause several events. A returned payment causes \`payment.reversed\`, \`payment.failed\`, and often
  \`fee.assessed\` and \`delinquency.changed\`.
- Amounts are decimal strings. Dates are the tenant's business dates. Timestamps are UTC.
- We may add fields and events. Ignore those that you do not know.
- A subscription is refused if a field of its events is hidden from the user who creates it.

## The body of a delivery

The body is the same for all events, except for \`data\`.
`;

/** The Markdown of the events catalogue, made from the declarations of the events. */
export function eventsGuide(): string {
  const envelope = schemaOf(
    envelopeOf(
      'payment.received',
      z.object({}).describe('What happened. It depends on the event.'),
    ),
  );
  return [
    INTRODUCTION,
    fieldTable(envelope),
    exampleOf(exampleBody('payment.received')),
    ...EVENT_TYPES.flatMap((type) => [
      ...sectionOf(type, EVENTS[type]),
      exampleOf(EVENT_EXAMPLES[type]),
    ]),
    ...sectionOf(TEST_EVENT, TestEventData),
    'You cannot subscribe to this event. `POST /webhooks/{id}/test` sends it, also to a disabled subscription.\n',
  ].join('\n');
}

function sectionOf(type: string, data: z.ZodType): string[] {
  const schema = schemaOf(data);
  return [`## ${type}\n`, `${schema.description ?? ''}\n`, fieldTable(schema)];
}

const exampleOf = (value: unknown) => `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\`\n`;
