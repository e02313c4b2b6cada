import { hash } from 'node:crypto';
import { localDate } from '../../jobs/dates.ts';
import { dictionary } from '../../sql/dictionary.ts';

export type Schema = {
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  minLength?: number;
  maxLength?: number;
  minItems?: number;
  pattern?: string;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
  $ref?: string;
};

/** A placeholder. After sign-in the page replaces it with the id of a record of the reader's tenant. */
export const EXAMPLE_ID = '00000000-0000-4000-8000-000000000000';

/** Uses the time zone of most tenants, so that "today" is not already tomorrow for them. */
export const today = () => localDate(new Date(), 'America/New_York');

/** Example texts by field name, for fields whose format does not decide it. */
const EXAMPLE_TEXTS: [RegExp, string][] = [
  [/email/, 'nora.whitfield@example.com'],
  [/phone/, '+12025550123'],
  [/url/, 'https://receiver.example.com/hook'],
  [/postal_code/, '62701'],
  [/^state$|jurisdiction/, 'CA'],
  [/rate/, '0.05'],
  [/amount|value|price|income|expense|balance/, '100.00'],
  [/routing_number/, '021000021'],
  [/account_number/, '1234567890'],
  [/first_name/, 'Nora'],
  [/last_name/, 'Whitfield'],
  [/password/, 'correct horse battery'],
  [/reason/, 'Requested by the borrower'],
  [/title|subject/, 'Call the borrower back'],
  [/message/, 'Thank you for your call. We will answer by Friday.'],
  [/notes?$|comment$/, 'Agreed with the borrower on the phone.'],
  [/description/, 'Reviewed every quarter.'],
  [/external_id/, 'CRM-10482'],
  [/reference/, 'TRN-20481'],
  [/purpose/, 'Working capital'],
  [/city/, 'Springfield'],
];

/** Optional fields that are valid whatever the state of a record is, the most telling first. */
const TELLING_FIELDS = (
  'notes note contact_note reason_comment description reason reference_number public_name contact_name ' +
  'firm_name purpose current_password city first_name'
).split(' ');

/** The schemas that others refer to, by name. */
type Named = Readonly<Record<string, Schema>>;

/** Builds a value that satisfies the schema, with the required fields only. */
export function buildExample(name: string, schema: Schema, named: Named = {}): unknown {
  if (schema.$ref !== undefined)
    return buildExample(name, named[schema.$ref.split('/').at(-1) ?? ''] ?? {}, named);
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.examples) return /rate/.test(name) ? '0.05' : schema.examples[0];
  const [variant] = schema.anyOf ?? schema.allOf ?? [];
  if (variant) return buildExample(name, variant, named);
  if (schema.type === 'object') {
    const { properties = {}, required = [] } = schema;
    return Object.fromEntries(
      required.map((key) => [key, buildExample(key, properties[key] ?? {}, named)]),
    );
  }
  if (schema.type === 'array')
    return schema.items ? [buildExample(name.replace(/s$/, ''), schema.items, named)] : [];
  if (schema.type === 'boolean') return false;
  if (schema.type === 'integer' || schema.type === 'number')
    return Math.max(schema.minimum ?? 1, 1);
  return exampleText(name, schema);
}

/**
 * One optional field of a body that requires none, so that its example shows what to send. A change always has one,
 * an action only if the field cannot decide what it does.
 */
export function buildOptionalExample(schema: Schema, isChange: boolean, named: Named): object {
  const { properties = {} } = schema;
  const names = Object.keys(properties);
  const name =
    TELLING_FIELDS.find((one) => names.includes(one)) ?? (isChange ? names[0] : undefined);
  if (name === undefined) return {};
  return { [name]: buildExample(name, properties[name] ?? {}, named) };
}

function exampleText(name: string, schema: Schema): string {
  const { format } = schema;
  if (format === 'uuid') return EXAMPLE_ID;
  if (format === 'date') return today();
  if (format === 'date-time') return new Date().toISOString();
  const named = EXAMPLE_TEXTS.find(([pattern]) => pattern.test(name))?.[1] ?? 'Example';
  return [named, ...PATTERNED_TEXTS].find((text) => isAccepted(text, schema)) ?? named;
}

/** Texts for fields with a pattern: codes, times, numbers and keys. */
export const PATTERNED_TEXTS: readonly string[] = [
  'loans',
  'outbound',
  'USD',
  'US',
  'IL',
  'en',
  '02:30',
  '2026-01-15',
  '301.42',
  '#1f3a5f',
  '021000021',
  'R01',
  '123456',
  '94.9000000000',
  'EXMPUS33',
  'A',
  '1',
  '11',
  '111',
  '1042',
  'officer@demo.test',
  '+12025550123',
  'example',
  '*',
  'true',
  '',
  hash('sha256', 'example'),
  `SHA256:${hash('sha256', 'example', 'base64').slice(0, 43)}`,
];

/** Whether the value is of the schema's type, format, pattern and size. */
export function isAccepted(value: unknown, schema: Schema): boolean {
  const { type, format, pattern, minLength = 0, maxLength = Infinity } = schema;
  if (type === 'integer' || type === 'number') {
    const { minimum = -Infinity, maximum = Infinity, exclusiveMinimum = -Infinity } = schema;
    if (typeof value !== 'number' || value > maximum) return false;
    return value >= minimum && value > exclusiveMinimum;
  }
  if (type !== 'string') return value !== undefined;
  if (typeof value !== 'string' || value.length < minLength || value.length > maxLength)
    return false;
  if (format !== undefined && FORMATS[format]?.test(value) === false) return false;
  return pattern === undefined || new RegExp(pattern, 'u').test(value);
}

const FORMATS = dictionary<RegExp>({
  date: /^\d{4}-\d{2}-\d{2}$/,
  'date-time': /^\d{4}-\d{2}-\d{2}T/,
  decimal: /^-?\d+(?:\.\d+)?$/,
});
