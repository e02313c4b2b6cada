import { expect, test } from 'vitest';
import { filterNames, filterOperators, filterValues } from '../../api/endpoints/filters.ts';
import type { ListDeclaration } from '../../api/endpoints/list-declaration.ts';
import type { Route } from '../../api/endpoints/route.ts';
import { routes } from '../../api/routes.ts';
import { sqlTypeOf } from '../../sql/types.ts';
import { newStage } from '../setup/world.ts';
import { everybody, filled, nameOf, RANDOM_ID, rightful } from './callers.ts';
import { newSamples } from './samples.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const clients = await everybody(tenant);
// A session is marked as seen once a minute, which would move it between two lists of sessions.
await stage.owner.query("update sessions set last_seen_at = now() + interval '1 hour'");
const samples = newSamples(clients.superadmin);
const VALUES: Record<string, string> = {
  uuid: RANDOM_ID,
  date: '2026-01-15',
  timestamptz: '2026-01-15T00:00:00Z',
  numeric: '1.5',
  int4: '1',
  bool: 'true',
};

const lists = routes.flatMap((route) =>
  route.list ? [[nameOf(route), route, route.list] as const] : [],
);
/** The list's address with its required query parameters, ready for more. */
async function addressOf({ path, query }: Route): Promise<string> {
  const own = query ? ((await samples.bodyOf(query)) as Record<string, string>) : {};
  return `${(await samples.pathOf(path)) ?? filled(path)}?${new URLSearchParams(own).toString()}&`;
}

const valueOf = (list: ListDeclaration, field: string) =>
  filterValues(list, field)?.[0] ?? VALUES[typeOf(list, field)] ?? 'x';
const typeOf = ({ fields, special = {} }: ListDeclaration, field: string) =>
  special[field]?.type ?? (fields[field] ? sqlTypeOf(fields[field]) : 'text');

test.each(lists)('%s follows the list convention', async (_, route, list) => {
  const client = clients[rightful(route)];
  const path = await addressOf(route);
  const get = (query: string) => client.get(`${path}${query}`);
  const whole = await get('');
  // If no such record can be generated, its list is tested with its area.
  if (whole.status === 404 && route.path.includes('{')) return;

  expect(whole.status, JSON.stringify(whole.body)).toBe(200);
  expect(whole.headers['content-range']).toMatch(/^[a-z0-9-]+ (\d+-\d+|\*)\/\d+$/);
  expect(String(whole.headers['content-range']).split(' ')[0]).toBe(list.name);
  for (const query of [
    'nonsense=1',
    'filter={"nonsense":1}',
    'filter={"tenant_id":"x"}',
    'sort=["nonsense","ASC"]',
    'sort=["tenant_id","ASC"]',
    'ordering=nonsense',
    ...[...filterNames(list)]
      .filter((field) => filterValues(list, field))
      .flatMap((field) => [`${field}=nonsense`, `${field}__ne=nonsense`]),
    'range=[5,1]',
    'limit=-1',
    ...(list.hasSearch ? [] : ['q=x']),
  ]) {
    expect(await get(query), query).toMatchObject({ status: 422, body: { errors: {} } });
  }
});

test.each(lists)('%s sorts and filters by all declared fields', async (_, route, list) => {
  const client = clients[rightful(route)];
  const path = await addressOf(route);
  if ((await client.get(path)).status === 404) return;

  for (const [index, [field, schema]] of Object.entries(list.fields).entries()) {
    const pair = JSON.stringify([field, 'DESC']);
    const json = await client.get(`${path}sort=${pair}&range=[0,4]`);

    expect(json.status, `${field}: ${JSON.stringify(json.body)}`).toBe(
      sqlTypeOf(schema) === 'jsonb' ? 422 : 200,
    );
    // Both spellings mean the same for every field. A quarter of the fields are compared.
    if (json.status !== 200 || index % 4 > 0) continue;
    const flat = await client.get(`${path}ordering=-${field}&limit=5&offset=0`);
    expect(flat.body, field).toEqual(json.body);
    expect(flat.headers['content-range'], field).toBe(json.headers['content-range']);
  }
  for (const field of ['id', ...list.filters]) {
    const value = valueOf(list, field);
    const json = await client.get(
      `${path}filter=${encodeURIComponent(JSON.stringify({ [field]: [value] }))}`,
    );
    const flat = await client.get(`${path}${field}=${encodeURIComponent(value)}`);

    expect([200, 422], `${field}: ${JSON.stringify(json.body)}`).toContain(json.status);
    expect(flat.status, field).toBe(json.status);
    expect(flat.headers['content-range'], field).toBe(json.headers['content-range']);
    const noValue = await client.get(`${path}filter=${JSON.stringify({ [field]: [] })}`);
    expect([200, 422], `${field}: ${JSON.stringify(noValue.body)}`).toContain(noValue.status);
    if (noValue.status === 200) expect(noValue.body, field).toEqual([]);
  }
  const none = await client.get(`${path}id=${RANDOM_ID}`);
  expect(none).toMatchObject({ body: [], headers: { 'content-range': `${list.name} */0` } });
});

const ALL_OPERATORS = 'in ne gt gte lt lte icontains isnull contains regex'.split(' ');
const totalOf = (reply: { headers: Record<string, unknown> }) =>
  Number(String(reply.headers['content-range']).split('/')[1]);

test.each(lists)('%s supports the comparisons of each filter’s type', async (_, route, list) => {
  const client = clients[rightful(route)];
  const path = await addressOf(route);
  if ((await client.get(path)).status === 404) return;
  const get = (query: string) => client.get(`${path}limit=1&${query}`);

  // One field of each type is tested with every operator, all other fields with the operators that every
  // type supports.
  const kinds = new Set<string>();
  for (const field of filterNames(list)) {
    const value = encodeURIComponent(valueOf(list, field));
    const possible: readonly string[] = filterOperators(list, field);
    const isNew = kinds.size < kinds.add(possible.join()).size;
    for (const operator of isNew ? ALL_OPERATORS : []) {
      const asked = `${field}__${operator}=${operator === 'isnull' ? 'true' : value}`;
      const { status, body } = await get(asked);

      expect(status, `${asked}: ${JSON.stringify(body)}`).toBe(
        possible.includes(operator) ? 200 : 422,
      );
      if (status === 422) expect(body.errors.filter, asked).toContain(`Use one of: ${field},`);
    }
    const [same, other, listed] = [
      await get(`${field}=${value}`),
      await get(`${field}__ne=${value}`),
      await get(`${field}__in=${value}`),
    ];
    expect(totalOf(listed), field).toBe(totalOf(same));
    // A list that hides archived records shows them when a filter names this field.
    if (field === 'is_archived' || field === 'status') continue;
    if (field === 'id') continue;
    expect(totalOf(same) + totalOf(other), field).toBe(totalOf(await get('')));
  }
});
