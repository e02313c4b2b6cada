import { z } from 'zod';
import { routes } from '../../api/routes.ts';
import type { Client } from '../setup/client.ts';

type Schema = {
  type?: string;
  format?: string;
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
  examples?: unknown[];
  minimum?: number;
  minItems?: number;
  pattern?: string;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
  properties?: Record<string, Schema>;
  required?: string[];
};

/** Collections whose name is not the plural of the key that refers to them. */
const COLLECTIONS: Record<string, string> = {
  account_id: '/ledger/accounts',
  template_id: '/communication-templates',
  collateral_id: '/collateral',
  loan_officer_id: '/users',
  assignee_id: '/users',
  user_id: '/users',
  member_id: '/users',
  record_id: '/loans',
};
export const collectionOf = (key: string) =>
  COLLECTIONS[key] ?? `/${key.replace(/^(target|destination)_|_ids?$/g, '')}s`;

export type Wishes = {
  /** Chooses one of several valid values. Default: the first. */
  choose: <One>(list: readonly One[]) => One;
  /** Whether to include an optional field. */
  wants: (name: string) => boolean;
  /** Where records come from. Default: requests to the API. */
  recordOf: (path: string) => Promise<string | undefined>;
};

/**
 * Bodies that a route's own schema accepts, and records created with them, for tests that walk through all
 * routes. What cannot be generated is left to the tests of its area.
 */
export function newSamples(client: Client, wishes: Partial<Wishes> = {}) {
  const { choose = first, wants = () => false } = wishes;
  const made = new Map<string, Promise<string | undefined>>();

  /** The id of some record of the collection. Creates a record if there is none. */
  function recordOf(path: string): Promise<string | undefined> {
    if (wishes.recordOf) return wishes.recordOf(path);
    const known = made.get(path) ?? findOrMake(path);
    made.set(path, known);
    return known;
  }

  async function findOrMake(path: string): Promise<string | undefined> {
    const found = await client.get(`${path}?range=[0,0]`);
    if (found.status === 200 && found.body[0]?.id) return found.body[0].id as string;
    const create = routes.find((route) => route.method === 'POST' && route.path === path);
    if (!create?.body) return undefined;
    made.set(path, Promise.resolve(undefined));
    const reply = await client.post(path, await bodyOf(create.body));
    return reply.status === 201 ? (reply.body.id as string) : undefined;
  }

  async function bodyOf(schema: z.ZodType): Promise<unknown> {
    const json = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema;
    return valueOf('body', json);
  }

  async function valueOf(name: string, schema: Schema): Promise<unknown> {
    if (schema.const !== undefined) return schema.const;
    if (schema.enum) return choose(schema.enum);
    if (schema.examples) return /rate/.test(name) ? '0.05' : choose([...schema.examples, '250.00']);
    const variants = schema.anyOf ?? schema.allOf;
    if (variants) return valueOf(name, choose(variants));
    if (schema.type === 'object') return objectOf(schema);
    if (schema.type === 'array') {
      return schema.items ? [await valueOf(name.replace(/s$/, ''), schema.items)] : [];
    }
    if (schema.type === 'null') return null;
    if (schema.type === 'boolean') return choose([false, true]);
    if (schema.type === 'integer' || schema.type === 'number')
      return Math.max(schema.minimum ?? 1, 1);
    return textOf(name, schema);
  }

  async function objectOf({ properties = {}, required = [] }: Schema) {
    const body: Record<string, unknown> = {};
    const names = [...required, ...Object.keys(properties).filter(isWanted(required, wants))];
    for (const name of names) body[name] = await valueOf(name, properties[name] ?? {});
    return body;
  }

  async function textOf(name: string, { format }: Schema): Promise<unknown> {
    if (format === 'uuid') return recordOf(collectionOf(name));
    if (format === 'date') return choose(DATES);
    if (format === 'date-time') return '2026-01-15T12:00:00Z';
    if (/email/.test(name)) return 'sample@example.com';
    if (/phone/.test(name)) return '+12025550123';
    if (/url/.test(name)) return 'https://receiver.example.com/hook';
    if (/postal_code/.test(name)) return '10001';
    if (/rate|amount|value|price|income|expense/.test(name)) return '100.00';
    return `Sample ${made.size}`;
  }

  /** A path with ids of real records, as far as its collections are known. */
  async function pathOf(path: string): Promise<string | undefined> {
    let whole = '';
    for (const part of path.split(/(\/\{\w+\})/)) {
      const [, parameter] = /^\/\{(\w+)\}$/.exec(part) ?? [];
      if (parameter === undefined) {
        whole += part;
        continue;
      }
      const id = await recordOf(parameter === 'loan_id' ? '/loans' : whole);
      if (id === undefined) return undefined;
      whole += `/${id}`;
    }
    return whole;
  }

  return { recordOf, bodyOf, pathOf };
}

const DATES = ['2026-01-15', '2026-02-20', '2026-03-15', '2026-03-16', '2026-04-15'];
const first = <One>(list: readonly One[]) => list[0] as One;
const isWanted =
  (required: readonly string[], wants: (name: string) => boolean) => (name: string) =>
    !required.includes(name) && wants(name);
