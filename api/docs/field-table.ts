import { z } from 'zod';

type Schema = {
  type?: string;
  format?: string;
  const?: unknown;
  enum?: string[];
  description?: string;
  anyOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
};

export const schemaOf = (schema: z.ZodType, io: 'input' | 'output' = 'output') =>
  z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Schema;

/** One row for each field. Fields of a list's items follow their list. */
export function fieldTable(schema: Schema): string {
  return ['| Field | Type | Meaning |', '|---|---|---|', ...fieldRows(schema, ''), ''].join('\n');
}

function fieldRows({ properties = {}, required = [] }: Schema, prefix: string): string[] {
  return Object.entries(properties).flatMap(([name, field]) => {
    const isOptional = required.includes(name) ? '' : ', optional';
    const row = `| \`${prefix}${name}\` | ${typeOf(field)}${isOptional} | ${field.description ?? ''} |`;
    return [row, ...(field.items ? fieldRows(field.items, `${prefix}${name}[].`) : [])];
  });
}

const FORMATS = new Map([
  ['uuid', 'UUID'],
  ['date', 'date'],
  ['date-time', 'timestamp'],
  ['decimal', 'amount'],
]);

function typeOf({ type = '', format = '', anyOf, enum: words, const: constant }: Schema): string {
  if (anyOf) return anyOf.map(typeOf).join(' or ');
  if (constant !== undefined) return `\`${String(constant)}\``;
  if (words) return words.map((word) => `\`${word}\``).join(', ');
  return FORMATS.get(format) ?? (type === 'array' ? 'list' : type);
}
