import { z } from 'zod';

type Schema = {
  format?: string;
  items?: Schema;
  anyOf?: Schema[];
  properties?: Record<string, Schema>;
};

/** The paths in a body that name another record: fields with such a name that hold one or more UUIDs. */
export function keysIn(body: z.ZodType): string[][] {
  const walk = (schema: Schema, place: string[]): string[][] => {
    if (schema.anyOf) return schema.anyOf.flatMap((option) => walk(option, place));
    if (schema.items) return walk(schema.items, [...place, '0']);
    if (schema.format === 'uuid') return [place];
    return Object.entries(schema.properties ?? {}).flatMap(([name, inner]) =>
      walk(inner, [...place, name]),
    );
  };
  const json = z.toJSONSchema(body, { io: 'input', unrepresentable: 'any' }) as Schema;
  return walk(json, []).filter((place) => place.some((name) => /_ids?$/.test(name)));
}

/** The body with this id at the path. */
export function withKey(body: unknown, [name = '', ...rest]: string[], id: string): unknown {
  if (name === '') return id;
  if (name === '0') {
    const [first, ...others] = Array.isArray(body) ? (body as unknown[]) : [];
    return [withKey(first, rest, id), ...(rest.length > 0 ? others : [])];
  }
  const whole = (body ?? {}) as Record<string, unknown>;
  return { ...whole, [name]: withKey(whole[name], rest, id) };
}
