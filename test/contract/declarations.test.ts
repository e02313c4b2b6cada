import { globSync } from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { z } from 'zod';
import type { Resource } from '../../api/endpoints/declaration.ts';
import { openapi } from '../../api/endpoints/openapi.ts';
import { routes } from '../../api/routes.ts';
import { sql } from '../../sql/database/db.ts';
import { newStage } from '../setup/world.ts';
import { nameOf } from './callers.ts';

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
const UNIQUE = [...new Map(resources.map((one) => [one.declaration.name, one])).values()];

test.each(UNIQUE.map((one) => [one.declaration.name, one.declaration] as const))(
  '%s declares the very columns that its rows have',
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

type Json = { [key: string]: Json };

function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return [];
  const { properties = {} } = schema as Json;
  return [...Object.keys(properties), ...Object.values(schema).flatMap(namesIn)];
}

const SECRET = /secret|password|ssn|account_number|token|hash|tin$/;
// The number of the account that bureaus are told is the number of the loan.
const HARMLESS =
  /^(consumer_account_number|ssn_last_four|account_number_last_four|csrf_token|sha256_hash|.*_last_four|has_.*|password_min|payer_tin)$/;

test('no answer has a field for a secret', () => {
  const named = routes.flatMap((route) =>
    route.reply
      ? namesIn(z.toJSONSchema(route.reply, { io: 'output', unrepresentable: 'any' }))
          .filter((name) => SECRET.test(name) && !HARMLESS.test(name))
          .map((name) => `${nameOf(route)}: ${name}`)
      : [],
  );

  // The one who creates a subscription is shown its secret, once; every other answer says null, which
  // test/webhooks/subscriptions.test.ts looks at. The account of a form 1099-C is the loan's number.
  const known = /^\w+ \/webhooks\b.*: secret$|1099c\b.*: account_number$/;
  expect(named.filter((one) => !known.test(one))).toEqual([]);
});

test('every route says what it answers', () => {
  const mute = routes.filter(({ reply, status }) => !reply && status !== 204);

  expect(mute.map(nameOf)).toEqual([]);
});

const document = JSON.parse(JSON.stringify(openapi(routes))) as Json;
const operations = Object.entries(document['paths'] as Json).flatMap(([at, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ at, method, operation })),
);

test('the OpenAPI document describes the route table and nothing else', () => {
  expect(document).toMatchObject({ openapi: expect.stringMatching(/^3\.1\./), info: {} });
  expect(operations.map(({ at, method }) => `${method.toUpperCase()} ${at}`).toSorted()).toEqual(
    routes.map(({ method, path: at }) => `${method} /api/v1${at}`).toSorted(),
  );
});

test('in the OpenAPI document every reference leads somewhere and every name is its own', () => {
  const text = JSON.stringify(document);
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)];
  const schemas = (document['components'] as Json)['schemas'] as Json;
  const ids = operations.map(({ operation }) => operation['operationId'] as unknown as string);

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

test('in the OpenAPI document every operation is whole', () => {
  type Parameter = { name: string; in: string; required: boolean; schema: object };
  for (const { at, operation } of operations) {
    const parameters = operation['parameters'] as unknown as Parameter[];
    const inPath = parameters.filter((one) => one.in === 'path').map(({ name }) => name);
    const responses = operation['responses'] as unknown as Record<string, { description: string }>;
    const names = parameters.map(({ in: where, name }) => `${where} ${name}`);

    expect(inPath, at).toEqual([...at.matchAll(/\{(\w+)\}/g)].map(([, name]) => name));
    expect(new Set(names).size, `${at} ${names.join()}`).toBe(names.length);
    expect(
      Object.keys(responses).every((code) => /^[2-5]\d\d$/.test(code)),
      at,
    ).toBe(true);
    for (const { description } of Object.values(responses)) expect(description, at).toBeTruthy();
    for (const scheme of operation['security'] as unknown as Record<string, unknown>[]) {
      expect(['session', 'csrf'], at).toEqual(expect.arrayContaining(Object.keys(scheme)));
    }
  }
});
