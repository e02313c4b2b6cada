import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import type { DataEgress } from '../../jobs/job.ts';
import { allJobs } from '../../jobs/all-jobs.ts';
import { EVENT_TYPES, factsOfEvents } from '../../jobs/webhooks/event-types.ts';
import { fieldNamesIn } from '../setup/team.ts';
import { nameOf } from './callers.ts';
import { CONTROLS, controlsAt, kindOf, OUTPUTS, whatIsMissing } from './data-egress.ts';

/** Every name in a schema: fields at any depth, and JSON Schema keywords, which are no field's name. */
const namesOf = (schema: z.ZodType | undefined, io: 'input' | 'output') =>
  schema ? fieldNamesIn(z.toJSONSchema(schema, { io, unrepresentable: 'any' })) : [];

const byKind = Map.groupBy(routes, (route) => kindOf(route) ?? 'none');
const outbound = allJobs.filter(({ pool }) => pool === 'outbound');
const doors: [string, DataEgress | undefined][] = [
  ...[...byKind].map(([kind, own]): [string, DataEgress] => [kind, controlsAt(kind, own)]),
  ...outbound.map(({ name, egress }): [string, DataEgress | undefined] => [`job ${name}`, egress]),
  ...Object.entries(OUTPUTS),
];

/** The table of all data egress as Markdown. */
function printed(): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  const lines = doors.map(([name, { to, controls } = { to: '', controls: {} }]) => {
    const cells = CONTROLS.map((control) =>
      controls === 'nothing leaves' ? '' : (controls[control] ?? '–'),
    );
    return row([name, controls === 'nothing leaves' ? `${to} (nothing leaves)` : to, ...cells]);
  });
  const head = ['door', 'to', ...CONTROLS];
  return [row(head), row(head.map(() => '---')), ...lines].join('\n');
}

test('every way in which data leaves declares its controls', () => {
  console.log(printed());

  const open = doors.filter(
    ([, door]) =>
      door === undefined ||
      (door.controls !== 'nothing leaves' && Object.keys(door.controls).length === 0),
  );

  // A job of the outbound pool declares with `egress` where it sends data (jobs/job.ts).
  expect(open.map(([name]) => name)).toEqual([]);
  expect(byKind.get('none') ?? []).toEqual([]);
});

test('an endpoint that sends out files, sets up destinations or selects records declares its facts', () => {
  const missing = routes.map((route: Route) =>
    whatIsMissing(route, {
      sent: namesOf(route.body, 'input'),
      answered: namesOf(route.reply, 'output'),
    }),
  );

  expect(missing.filter((sentence) => sentence !== null)).toEqual([]);
});

test('an endpoint without the declaration gets an error that says what to do', () => {
  const known = routes.find((route) => nameOf(route) === 'POST /webhooks');
  const { carries: _, ...forgetful } = known as Route;
  const names = { sent: namesOf(forgetful.body, 'input'), answered: [] };

  expect(whatIsMissing(forgetful as Route, names)).toBe(
    'POST /webhooks takes url, events: say with `carries` which facts leave by it, [] for none (api/endpoints/route.ts).',
  );
});

test('every event names existing facts, or carries anything', () => {
  const resources = new Set(routes.map(({ resource }) => resource));
  const unknown = EVENT_TYPES.flatMap((type) => {
    const facts = factsOfEvents([type]);
    return facts === 'anything'
      ? []
      : facts.filter((fact) => !resources.has(fact.slice(0, fact.lastIndexOf('.'))));
  });

  expect(unknown).toEqual([]);
});
