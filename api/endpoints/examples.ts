import { localDate } from '../../jobs/dates.ts';

export type Schema = {
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  minimum?: number;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
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
];

/** Builds a value that satisfies the schema, with the required fields only. */
export function buildExample(name: string, schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum) return schema.enum[0];
  if (schema.examples) return /rate/.test(name) ? '0.05' : schema.examples[0];
  const [variant] = schema.anyOf ?? schema.allOf ?? [];
  if (variant) return buildExample(name, variant);
  if (schema.type === 'object') {
    const { properties = {}, required = [] } = schema;
    return Object.fromEntries(
      required.map((key) => [key, buildExample(key, properties[key] ?? {})]),
    );
  }
  if (schema.type === 'array')
    return schema.items ? [buildExample(name.replace(/s$/, ''), schema.items)] : [];
  if (schema.type === 'boolean') return false;
  if (schema.type === 'integer' || schema.type === 'number')
    return Math.max(schema.minimum ?? 1, 1);
  return exampleText(name, schema.format);
}

function exampleText(name: string, format: string | undefined): string {
  if (format === 'uuid') return EXAMPLE_ID;
  if (format === 'date') return today();
  if (format === 'date-time') return new Date().toISOString();
  return EXAMPLE_TEXTS.find(([pattern]) => pattern.test(name))?.[1] ?? 'Example';
}
