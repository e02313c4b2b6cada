import { expect, test } from 'vitest';
import { z } from 'zod';
import { eventsGuide } from '../../api/webhooks/events-guide.ts';
import { EVENT_EXAMPLES, exampleBody } from '../../jobs/webhooks/event-examples.ts';
import {
  envelopeOf,
  EVENT_TYPES,
  EVENTS,
  TestEventData,
  type EventType,
} from '../../jobs/webhooks/event-types.ts';

type Described = {
  description?: string;
  properties?: Record<string, Described>;
  items?: Described;
};

/** The places in the schema that lack a description. */
const undescribed = (schema: Described, at: string): string[] => [
  ...(schema.description ? [] : [at]),
  ...Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
    undescribed(field, `${at}.${name}`),
  ),
  ...Object.entries(schema.items?.properties ?? {}).flatMap(([name, field]) =>
    undescribed(field, `${at}[].${name}`),
  ),
];

test.each([
  ...EVENT_TYPES.map((type) => [type, EVENTS[type]] as const),
  ['webhook.test', TestEventData] as const,
])('the declaration of %s says when it is sent and what each field means', (type, schema) => {
  expect(
    undescribed(z.toJSONSchema(schema, { unrepresentable: 'any' }) as Described, type),
  ).toEqual([]);
  expect(schema.description).toMatch(/^Sent /);
});

test.each(EVENT_TYPES)('the example of %s is what a receiver could get', (type: EventType) => {
  const body = envelopeOf(type, z.strictObject(EVENTS[type].shape));

  expect(body.safeParse(exampleBody(type)).error?.message).toBeUndefined();
});

test('the events catalogue describes every event, in order, with its fields and an example', () => {
  const guide = eventsGuide();

  const headings = [...guide.matchAll(/^## (.+)$/gm)].map(([, title]) => title);
  expect(headings).toEqual(['The body of a delivery', ...EVENT_TYPES, 'webhook.test']);
  for (const type of EVENT_TYPES) {
    const [, section = ''] = guide.split(`\n## ${type}\n`);
    const [own = ''] = section.split('\n## ');
    for (const name of Object.keys(EVENTS[type].shape)) expect(own).toContain(`| \`${name}\` |`);
    expect(own).toContain(JSON.stringify(EVENT_EXAMPLES[type], null, 2));
  }
  expect(guide).not.toContain('undefined');
});
