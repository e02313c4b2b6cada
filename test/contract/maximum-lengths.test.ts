import { expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from '../../api/routes.ts';
import { nameOf } from './callers.ts';

type Schema = { [key: string]: unknown };

/** The places where a body accepts a text or a list without a maximum length. */
function endless(schema: Schema, path: string): string[] {
  const { type, maxLength, maxItems, enum: words, const: word, pattern } = schema;
  const own =
    (type === 'string' && !maxLength && !words && word === undefined && !isFixed(pattern)) ||
    (type === 'array' && maxItems === undefined)
      ? [path]
      : [];
  const inner = [
    ...Object.entries((schema['properties'] ?? {}) as Record<string, Schema>),
    ...((schema['anyOf'] ?? schema['oneOf'] ?? schema['allOf'] ?? []) as Schema[]).map(
      (option): [string, Schema] => ['', option],
    ),
    ...(schema['items'] ? [['[]', schema['items'] as Schema] as [string, Schema]] : []),
  ];
  return [
    ...own,
    ...inner.flatMap(([name, part]) => endless(part, name ? `${path}.${name}` : path)),
  ];
}

/** An anchored pattern without a star or a plus limits the length of a text. */
const isFixed = (pattern: unknown) =>
  typeof pattern === 'string' && /^\^.*\$$/.test(pattern) && !/[*+](?!\])/.test(pattern);

test('every text and list in a request body has a maximum length', () => {
  const found = routes.flatMap((route) => {
    if (!route.body) return [];
    const schema = z.toJSONSchema(route.body, {
      io: 'input',
      unrepresentable: 'any',
      reused: 'inline',
    });
    return endless(schema, nameOf(route));
  });

  expect(found).toEqual([]);
});
