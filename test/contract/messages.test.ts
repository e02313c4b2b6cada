import { expect, test } from 'vitest';
import { z } from 'zod';
import { parseInput } from '../../api/http/parse-input.ts';
import { routes } from '../../api/routes.ts';
import { Invalid } from '../../jobs/errors.ts';
import { Settings } from '../../jobs/users/settings/settings.ts';
import { nameOf } from './callers.ts';

/** A wrong value of each kind. Most fields accept some of them. */
const WRONG: unknown[] = [
  undefined,
  null,
  '',
  ' ',
  'x',
  'x'.repeat(11_000),
  '-5',
  '1.123456789',
  '99999999999999999999',
  '2026-02-30',
  '2026-13-01T25:00:00Z',
  'a\u0000b',
  -1,
  0,
  1.5,
  1e9,
  2 ** 53,
  true,
  [],
  [null],
  [[]],
  ['x', 'x'],
  Array.from({ length: 1_100 }, () => 'x'),
  {},
  { nonsense: 1 },
  { ['x'.repeat(200)]: 'x' },
];

type Definition = {
  type: string;
  shape?: Record<string, z.core.$ZodType>;
  element?: z.core.$ZodType;
  innerType?: z.core.$ZodType;
  in?: z.core.$ZodType;
  options?: readonly z.core.$ZodType[];
};

/** Bodies with one wrong value at each place of the schema. */
function* wrongValues(schema: z.core.$ZodType, depth = 0): Generator {
  yield* WRONG;
  if (depth > 4) return;
  const {
    type,
    shape = {},
    element,
    innerType,
    in: input,
    options = [],
  } = schema._zod.def as Definition;
  for (const inner of [innerType, input, ...(type === 'union' ? options : [])])
    if (inner) yield* wrongValues(inner, depth);
  if (element) for (const value of wrongValues(element, depth + 1)) yield [value];
  for (const [name, field] of Object.entries(shape))
    for (const value of wrongValues(field, depth + 1)) yield { [name]: value };
}

/** The words with which zod's own messages begin. */
const OF_ZOD = /^(Invalid|Too (small|big)|Unrecognized|Required|Expected)|(expected|received) /;
/** These do not say what to do. Declare a message with the check. */
const VAGUE = /Has a value that is not allowed|in the documented format|of another type/;
const SENTENCE =
  /^(Must|May|Is|The|This|There|"|Has|Have|Does|Do|Unknown|Contains?|Cannot|Send|Use|Give|Name|Choose|Enter|Only|At|A|An|Ends?|Starts?|Begins?).{1,1500}[.?]$/s;

function complaints(schema: z.ZodType): Map<string, string> {
  const found = new Map<string, string>();
  for (const body of wrongValues(schema)) {
    if (typeof body !== 'object' || body === null || Array.isArray(body)) continue;
    try {
      parseInput(schema, body);
    } catch (error) {
      if (!(error instanceof Invalid)) throw error;
      for (const [field, message] of Object.entries(error.errors))
        if (OF_ZOD.test(message) || VAGUE.test(message) || !SENTENCE.test(message))
          found.set(`${field}: ${message}`.slice(0, 200), JSON.stringify(body).slice(0, 80));
    }
  }
  return found;
}

test('wrong values of each kind get our own message, in every body and query of every endpoint', () => {
  const schemas = new Map<z.ZodType, string>([[Settings, 'the settings']]);
  for (const route of routes)
    // A form's file is never a JSON value.
    for (const schema of [route.takes_file ? undefined : route.body, route.query])
      if (schema) schemas.set(schema, nameOf(route));

  const found = [...schemas].flatMap(([schema, name]) =>
    [...complaints(schema)].map(([message, body]) => `${name} ${message} for ${body}`),
  );

  expect(schemas.size).toBeGreaterThan(150);
  expect(found).toEqual([]);
});
