import { z } from 'zod';
import { describeFields } from '../field-descriptions.ts';

export type Json = Record<string, unknown>;

/** The parts of the document that operations refer to by name. */
export type Components = {
  schemas: Record<string, Json>;
  examples: Record<string, Json>;
};

const reference = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** Schemas with an id become components and are referenced. */
export function outputSchema(schema: z.ZodType, components: Components): Json {
  const id = (z.globalRegistry.get(schema) as { id?: string } | undefined)?.id;
  if (id !== undefined && components.schemas[id]) return reference(id);
  const { whole, parts } = convert(schema, 'output');
  for (const [name, part] of Object.entries(parts)) components.schemas[name] ??= part;
  if (id === undefined) return whole;
  // A recursive schema may arrive as a reference to its own definition.
  components.schemas[id] ??= whole;
  return reference(id);
}

export function inputSchema(schema: z.ZodType, components: Components): Json {
  const { whole, parts } = convert(schema, 'input');
  for (const [name, part] of Object.entries(parts)) components.schemas[name] ??= part;
  return whole;
}

/**
 * Makes the body a component under the first of these names that no other body has. Bodies with the same
 * fields share a component.
 */
export function bodySchema(
  body: z.ZodType,
  names: readonly string[],
  components: Components,
): { reference: Json; schema: Json } {
  const schema = inputSchema(body, components);
  const text = JSON.stringify(schema);
  const name = names.find((each) => {
    const known = components.schemas[each];
    return known === undefined || JSON.stringify(known) === text;
  });
  if (name === undefined) throw new Error(`The names ${names.join(', ')} are taken.`);
  components.schemas[name] = schema;
  return { reference: reference(name), schema };
}

function convert(schema: z.ZodType, io: 'input' | 'output') {
  const made = z.toJSONSchema(schema, { io, unrepresentable: 'any', override: simplify });
  const renamed = JSON.stringify(made).replaceAll('"#/$defs/', '"#/components/schemas/');
  const { $defs = {}, ...whole } = describeFields(
    JSON.parse(renamed) as Json & { $defs?: Record<string, Json> },
  );
  const parts = Object.entries($defs).map(
    ([name, part]) => [name, withoutSchemaIds(part)] as const,
  );
  return { whole: withoutSchemaIds(whole), parts: Object.fromEntries(parts) };
}

const withoutSchemaIds = ({ $schema: _schema, id: _id, ...rest }: Json): Json => rest;

type Made = {
  type?: unknown;
  format?: string;
  pattern?: string;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
};

/** Formats whose pattern and length say nothing more. */
const TELLING_FORMATS = new Set(['uuid', 'date', 'date-time']);

function simplify({ jsonSchema: made }: { jsonSchema: Made }) {
  // Amounts are parsed through a transform, which hides their type from the generator.
  if (made.format === 'decimal') made.type = 'string';
  if (TELLING_FORMATS.has(made.format ?? '')) {
    delete made.pattern;
    delete made.maxLength;
  }
  if (made.minimum === -2147483648 && made.maximum === 2147483647) {
    delete made.minimum;
    delete made.maximum;
    made.format = 'int32';
  }
}
