import { globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Resource } from '../../api/endpoints/declaration.ts';
import { listedOperations } from '../../api/endpoints/operation-ids.ts';
import { routes } from '../../api/routes.ts';
import { ACTOR_TYPES } from '../../jobs/work.ts';
import { PROVIDER_CHANNELS } from '../../sql/communications/channels.ts';
import { sql } from '../../sql/database/db.ts';
import { sqlTypeOf } from '../../sql/types.ts';
import { newStage } from '../setup/world.ts';
import { nameOf } from './callers.ts';
import { document, operations, type Json } from './openapi-document.ts';

const stage = await newStage();
const root = path.resolve(import.meta.dirname, '../..');
const modules = await Promise.all(
  globSync('api/*/*.ts', { cwd: root, exclude: ['api/http/*', 'api/endpoints/*'] }).map(
    (file) => import(pathToFileURL(path.join(root, file)).href) as Promise<Record<string, unknown>>,
  ),
);
const isResource = (value: unknown): value is Resource =>
  typeof value === 'object' && value !== null && 'declaration' in value;
const resources = modules.flatMap((module) => Object.values(module)).filter(isResource);
const UNIQUE = [
  ...new Map(resources.map((resource) => [resource.declaration.name, resource])).values(),
];

test.each(UNIQUE.map(({ declaration }) => [declaration.name, declaration] as const))(
  '%s declares exactly the columns of its rows',
  async (_, { fields, table, filters = [] }) => {
    const { fields: columns } = await stage.pool.query(
      sql.unsafe`select * from (${table.rows}) as row limit 0`,
    );
    const names = columns.map(({ name }) => name);
    const hidden = [...(table.secret ?? [])];

    expect(names.filter((name) => !hidden.includes(name)).toSorted()).toEqual(
      Object.keys(fields).toSorted(),
    );
    expect(filters.filter((name) => !names.includes(name))).toEqual([]);
  },
);

/** The Postgres types of a column by the kind of its field. Arrays are shown as JSON. */
const FITTING: Partial<Record<ReturnType<typeof sqlTypeOf>, RegExp>> = {
  uuid: /^uuid$/,
  date: /^date$/,
  timestamptz: /^timestamptz$/,
  numeric: /^numeric$/,
  int4: /^int\d$/,
  bool: /^bool$/,
  jsonb: /^(jsonb?|_.*)$/,
};
const fits = (field: z.ZodType, type: string) => {
  const kind = FITTING[sqlTypeOf(field)];
  if (kind) return kind.test(type);
  // A text column takes every text. Other columns need a pattern, such as that of a decimal.
  return type === 'text' || field.def.type === 'readonly' || !field.safeParse('any words').success;
};

test('the kind of a field fits its column', async () => {
  const { rows: types } = await stage.owner.query<{ oid: number; name: string }>(
    'select oid::integer, typname as name from pg_type',
  );
  const nameOfType = new Map(types.map(({ oid, name }) => [oid, name]));
  const wrong: string[] = [];
  for (const { declaration } of UNIQUE) {
    const { name, fields, table } = declaration;
    const { fields: columns } = await stage.pool.query(
      sql.unsafe`select * from (${table.rows}) as row limit 0`,
    );
    for (const { name: column, dataTypeId } of columns) {
      const [field, type = ''] = [fields[column], nameOfType.get(dataTypeId)];
      if (field && !fits(field, type))
        wrong.push(
          `${name}.${column} is a column of type ${type}. Declare a kind of sql/types.ts that fits it, or change the column.`,
        );
    }
  }

  expect(wrong).toEqual([]);
});

test('the API has every endpoint that a resource declares', () => {
  const offered = new Set(routes.map(nameOf));
  const lost = UNIQUE.flatMap(({ declaration: { name }, routes: own }) =>
    own
      .filter((route) => !offered.has(nameOf(route)))
      .map(
        (route) =>
          `${nameOf(route)} of ${name} is not reachable. Add nested(…) to the parent's \`nested\`, or its routes to api/routes.ts.`,
      ),
  );

  expect(lost).toEqual([]);
});

/** Resources whose lists are found and counted in the table itself. */
const FOUND_BARE = UNIQUE.filter(({ declaration: { table } }) => table.own).map(
  ({ declaration }) => [declaration.name, declaration] as const,
);
test.each(FOUND_BARE)(
  '%s lists as its own only columns of its table, including all filters',
  async (_, { table: { name, rows, own = [], filters: compared = {} }, filters = [] }) => {
    const query = rows.sql.replaceAll('$slonik_', '$');
    const { fields: shown } = await stage.owner.query(
      `select * from (${query}) as row limit 0`,
      rows.values as unknown[],
    );
    const bare = await stage.owner.query(`select * from ${name} limit 0`);
    const origins = new Map(bare.fields.map((column) => [column.columnID, column]));
    const kept = shown
      .filter((column) => {
        const origin = origins.get(column.columnID);
        return origin?.name === column.name && origin.tableID === column.tableID;
      })
      .map((column) => column.name);

    const found = ['q', ...kept, ...Object.keys(compared)];

    expect(own.filter((column) => !found.includes(column))).toEqual([]);
    expect(filters.filter((filter) => kept.includes(filter) && !own.includes(filter))).toEqual([]);
  },
);

/**
 * Values that answers add to the stored ones, computed from a date that has passed or from another column.
 */
const COMPUTED = new Map([
  ['approvals.status', ['expired']],
  ['cob_runs.status', ['failed']],
  ['credit_disputes.status', ['overdue']],
  ['hardship_applications.status', ['completed']],
  ['portfolios.status', ['archived']],
]);

/** The values that a column's check constraint lists. */
async function listedValues() {
  const { rows } = await stage.owner.query<{ place: string; values: string[] }>(
    `select conrelid::regclass || '.' || attname as place,
            array(select (regexp_matches(definition, '''([^'']+)''::text', 'g'))[1]) as values
     from pg_constraint
     cross join pg_get_constraintdef(pg_constraint.oid) as definition
     join pg_attribute on attrelid = conrelid and array[attnum] = conkey
     where definition like 'CHECK ((% = ANY (ARRAY[%::text])))'`,
  );
  return new Map(rows.map(({ place, values }) => [place, values.toSorted()]));
}

test('a field declares exactly the values that its column may hold', async () => {
  const listed = await listedValues();
  const told = UNIQUE.flatMap(({ declaration: { fields, table } }) =>
    Object.entries(fields).flatMap(([name, field]) => {
      const { anyOf = [], ...whole } = z.toJSONSchema(field, {
        io: 'output',
        unrepresentable: 'any',
      });
      const values = [whole, ...anyOf].flatMap((part) => part.enum ?? []).map(String);
      return values.length > 0 ? [{ place: `${table.name}.${name}`, values }] : [];
    }),
  );
  const both = [
    ...told,
    { place: 'audit_log.actor_type', values: ACTOR_TYPES },
    { place: 'communication_providers.channel', values: PROVIDER_CHANNELS },
  ].filter(({ place }) => listed.has(place));
  const stored = both.map(({ place, values }) => ({
    place,
    values: values.filter((value) => !COMPUTED.get(place)?.includes(value)).toSorted(),
  }));

  expect(both.length).toBeGreaterThan(30);
  expect(stored).toEqual(both.map(({ place }) => ({ place, values: listed.get(place) })));
});

function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as Json;
  return [...Object.keys(properties), ...Object.values(schema).flatMap(namesIn)];
}

const SECRET = /secret|password|ssn|account_number|token|hash|tin$/;
// The account number in a credit report is the loan's number. The security log keeps keyed hashes of unknown addresses.
const HARMLESS =
  /^(consumer_account_number|ssn_last_four|account_number_last_four|csrf_token|sha256_hash|.*_last_four|has_.*|password_min|payer_tin|attempted_address_hash)$/;

test('no answer has a field for a secret', () => {
  const named = routes.flatMap((route) =>
    route.reply
      ? namesIn(z.toJSONSchema(route.reply, { io: 'output', unrepresentable: 'any' }))
          .filter((name) => SECRET.test(name) && !HARMLESS.test(name))
          .map((name) => `${nameOf(route)}: ${name}`)
      : [],
  );

  // Creating a subscription shows its secret once; all other answers contain null
  // (test/webhooks/subscriptions.test.ts). Enrolling an authenticator app shows its secret once
  // (test/users/own-sessions.test.ts). The account number of a form 1099-C is the loan's number.
  const known =
    /^\w+ \/webhooks\b.*: secret$|1099c\b.*: account_number$|\/second-factors\/totp: secret$/;
  expect(named.filter((field) => !known.test(field))).toEqual([]);
});

test('every route declares its answer', () => {
  const mute = routes.filter(({ reply, status }) => !reply && status !== 204);

  expect(mute.map(nameOf)).toEqual([]);
});

test('the OpenAPI document describes the route table and nothing else', () => {
  expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: {} });
  expect(operations.map(({ at, method }) => `${method.toUpperCase()} ${at}`).toSorted()).toEqual(
    routes.map(({ method, path: at }) => `${method} /api/v1${at}`).toSorted(),
  );
});

test('every operationId is a verb and a noun in camelCase', () => {
  const ids = operations.map(({ operation }) => operation.operationId);
  const endpoints = routes.map(({ method, path: at }) => `${method} ${at}`);

  expect(ids.filter((id) => !/^[a-z]+(?:[A-Z0-9][A-Za-z0-9]*|)$/.test(id))).toEqual([]);
  expect(ids).toEqual(expect.arrayContaining(['recordPayment', 'listLoanPayments', 'approveLoan']));
  expect(listedOperations().filter((endpoint) => !endpoints.includes(endpoint))).toEqual([]);
});

/** Generated clients name their functions after operationIds. `--update` accepts an intended change. */
test('an operationId changes only on purpose, not with the wording of a summary', async () => {
  const lines = operations.map(({ at, method, operation }) =>
    [method.toUpperCase(), at.replace('/api/v1', ''), operation.operationId].join(' '),
  );

  await expect(`${lines.toSorted().join('\n')}\n`).toMatchFileSnapshot('operation-ids.txt');
});

test('every reference in the OpenAPI document resolves, and every name is unique', () => {
  const text = JSON.stringify(document);
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
  const schemas = (document['components'] as Json)['schemas'] as Json;
  const ids = operations.map(({ operation }) => operation.operationId);

  const selves = Object.entries(schemas).filter(
    ([name, { $ref }]) => ($ref as unknown) === `#/components/schemas/${name}`,
  );

  expect(selves.map(([name]) => name)).toEqual([]);
  expect(references.filter(([, name = '']) => !(name in schemas)).map(String)).toEqual([]);
  expect(/"\$ref":"#\/\$defs/.test(text)).toBe(false);
  expect(/"\$schema"/.test(text)).toBe(false);
  expect(Object.keys(schemas).filter((name) => !/^[\w.-]+$/.test(name))).toEqual([]);
  expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
});

test('every operation in the OpenAPI document is complete', () => {
  for (const { at, operation } of operations) {
    const { parameters, responses, security } = operation;
    const inPath = parameters
      .filter((parameter) => parameter.in === 'path')
      .map(({ name }) => name);
    const names = parameters.map(({ in: where, name }) => `${where} ${name}`);

    expect(inPath, at).toEqual([...at.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(new Set(names).size, `${at} ${names.join()}`).toBe(names.length);
    expect(
      Object.keys(responses).every((code) => /^[2-5]\d\d$/.test(code)),
      at,
    ).toBe(true);
    for (const { description } of [...Object.values(responses), operation])
      expect(description, at).toBeTruthy();
    for (const scheme of security) {
      expect(['session', 'csrf'], at).toEqual(expect.arrayContaining(Object.keys(scheme)));
    }
  }
});
