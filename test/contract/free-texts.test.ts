import { expect, test } from 'vitest';
import { z } from 'zod';
import { routes } from '../../api/routes.ts';
import { isUnmaskedKind } from '../../sql/types.ts';
import { nameOf } from './callers.ts';

const SAID = 'SSN 123-45-6789';
type Definition = { innerType?: z.ZodType; element?: z.ZodType; options?: z.ZodType[] };
type Stored = { name: string; isUnmaskedKind: boolean };

/** The fields that store their text unmasked. */
function unmasked(name: string, schema: z.ZodType): Stored[] {
  const { innerType, element, options = [] } = schema.def as Definition;
  if (schema instanceof z.ZodObject) {
    return Object.entries<z.ZodType>(schema.shape).flatMap(([own, field]) => unmasked(own, field));
  }
  const inner = [innerType, element, ...options].filter((part) => part !== undefined);
  if (inner.length > 0) return inner.flatMap((part) => unmasked(name, part));
  return [SAID, { memo: SAID }, { key: { memo: SAID } }].some((given) =>
    JSON.stringify(schema.safeParse(given).data ?? '').includes('123-45-6789'),
  )
    ? [{ name, isUnmaskedKind: isUnmaskedKind(schema) }]
    : [];
}

/** Texts without a kind of sql/types.ts, and why they are not masked. */
const KEPT: Record<string, string> = {
  'checks events labels': 'codes, compared with those of the system or of the tenant',
  'email folder url': 'addresses',
  file: 'validated line by line',
  'subject body opening closing response_subject response_body keywords pattern':
    'templates, which address every borrower and name none',
  'password current_password new_password token identifier': 'secrets',
};
const isKept = new Set(Object.keys(KEPT).flatMap((names) => names.split(' ')));

/** Names of fields in which people write what they want. */
const FREE =
  /(^|_)(comments?|conditions?|descriptions?|details|explanation|findings|instructions|memo|message|notes?|purpose|reasons?|remarks?|summary|title)$/;

const stored = routes.flatMap((route) =>
  route.body
    ? unmasked('body', route.body).map((field) => ({ ...field, route: nameOf(route) }))
    : [],
);

test('a text that is stored unmasked is of a kind for names and identifiers', () => {
  const wrong = stored
    .filter((field) => !field.isUnmaskedKind && !isKept.has(field.name))
    .map(
      ({ name, route }) =>
        `${route}: ${name} stores social security numbers. Use freeText or prose (sql/types.ts), which mask them, or text for a name, an address or an identifier.`,
    );

  expect(wrong).toEqual([]);
  expect([...isKept].filter((name) => !stored.some((field) => field.name === name))).toEqual([]);
});

test('free words are masked', () => {
  const wrong = stored
    .filter(({ name }) => FREE.test(name) && !isKept.has(name))
    .map(
      ({ name, route }) =>
        `${route}: people write free words in ${name}. Use freeText or prose (sql/types.ts), which mask social security and card numbers.`,
    );

  expect(wrong).toEqual([]);
  expect(stored.length).toBeGreaterThan(50);
});
