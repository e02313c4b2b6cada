import { readFileSync } from 'node:fs';
import simpleRestProvider from 'ra-data-simple-rest';
import { expect, test } from 'vitest';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const base = `http://127.0.0.1:${stage.port}/api/v1`;
await stage.owner.query("insert into tenant_domains (domain, tenant_id) values ('127.0.0.1', $1)", [
  tenant.id,
]);

type HttpClient = NonNullable<Parameters<typeof simpleRestProvider>[1]>;

/**
 * Like a browser: sends the cookies and repeats the readable one in a header. Otherwise the same as the
 * data provider's default client.
 */
const cookies = new Map<string, string>();
const httpClient: HttpClient = async (url: string, { method, body, headers: given } = {}) => {
  const headers = new Headers(given);
  if (!headers.has('Content-Type') && body) headers.set('Content-Type', 'application/json');
  headers.set('Accept', 'application/json');
  headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
  headers.set('X-CSRFToken', cookies.get('csrftoken') ?? '');
  const reply = await fetch(url, { headers, ...(method && { method }), ...(body && { body }) });
  for (const line of reply.headers.getSetCookie()) {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
    cookies.set(name, value);
  }
  const text = await reply.text();
  const { status } = reply;
  const json = JSON.parse(text);
  if (!reply.ok) throw Object.assign(new Error(json.message), { status, body: json });
  return { status, headers: reply.headers, body: text, json };
};
const admin = simpleRestProvider(base, httpClient);

await httpClient(`${base}/auth/csrf`);
await httpClient(`${base}/auth/login`, {
  method: 'POST',
  body: JSON.stringify({ email: `admin@${tenant.slug}.test`, password: PASSWORD }),
});

const LIST = {
  pagination: { page: 1, perPage: 2 },
  sort: { field: 'last_name', order: 'ASC' as const },
  filter: { first_name: 'React' },
};

async function make(count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let at = 0; at < count; at += 1) {
    const data = { first_name: 'React', last_name: `Admin ${at}` };
    ids.push(String((await admin.create('borrowers', { data })).data.id));
  }
  return ids;
}

test('react-admin’s simple REST provider works unchanged, with each of its methods', async () => {
  const ids = await make(5);
  const [id = '', second = '', third = '', ...rest] = ids;

  const list = await admin.getList('borrowers', LIST);
  const last = await admin.getList('borrowers', { ...LIST, pagination: { page: 3, perPage: 2 } });
  const found = await admin.getList('borrowers', { ...LIST, filter: { q: 'admin 3' } });
  const single = await admin.getOne('borrowers', { id });
  const many = await admin.getMany('borrowers', { ids: [id, third] });
  const updated = await admin.update('borrowers', {
    id,
    data: { ...single.data, last_name: 'Changed', nonsense: 1 },
    previousData: single.data,
  });
  const some = await admin.updateMany('borrowers', {
    ids: [id, second],
    data: { do_not_contact: true },
  });
  const gone = await admin.delete('borrowers', { id: third, previousData: single.data });
  const allGone = await admin.deleteMany('borrowers', { ids: rest });
  const left = await admin.getList('borrowers', LIST);

  expect(list).toMatchObject({
    total: 5,
    data: [{ last_name: 'Admin 0' }, { last_name: 'Admin 1' }],
  });
  expect(last.data).toHaveLength(1);
  expect(found.data).toMatchObject([{ last_name: 'Admin 3' }]);
  expect(single.data).toMatchObject({ id, last_name: 'Admin 0' });
  expect(new Set(many.data.map((row) => row.id))).toEqual(new Set([id, third]));
  expect(updated.data).toMatchObject({ id, first_name: 'React', last_name: 'Changed' });
  expect(some.data).toEqual([id, second]);
  expect(gone.data).toMatchObject({ id: third, is_archived: true });
  expect(allGone.data).toEqual(rest);
  expect(left).toMatchObject({
    total: 2,
    data: [{ do_not_contact: true }, { do_not_contact: true }],
  });
});

test('react-admin’s references load the children of a record', async () => {
  const [id = ''] = await make(1);
  const { json } = await httpClient(`${base}/borrowers/${id}/emails`, {
    method: 'POST',
    body: JSON.stringify({ email: 'react@example.com' }),
  });

  const nested = await admin.getList(`borrowers/${id}/emails`, {
    ...LIST,
    sort: { field: 'email', order: 'ASC' },
    filter: {},
  });
  const referring = await admin.getManyReference('borrowers', {
    ...LIST,
    target: 'id',
    id,
    filter: {},
  });

  expect(nested).toMatchObject({ total: 1, data: [{ id: json.id }] });
  expect(referring).toMatchObject({ total: 1, data: [{ id }] });
});

test('react-admin receives a refusal by status and by field', async () => {
  const refusal = await admin
    .create('borrowers', { data: { first_name: '', last_name: 'X' } })
    .catch((error: unknown) => error);
  const missing = await admin
    .getOne('borrowers', { id: 'nobody' })
    .catch((error: unknown) => error);

  expect(refusal).toMatchObject({
    status: 422,
    body: { errors: { first_name: expect.any(String) } },
  });
  expect(missing).toMatchObject({ status: 404 });
});

test('the guide shows the file that connects the example admin to the API', () => {
  const read = (file: string) => readFileSync(new URL(`../../${file}`, import.meta.url), 'utf8');

  const shown = /```ts api\.ts\n(.*?)```/s.exec(read('templates/guides/build-an-admin.md'))?.[1];

  expect(shown).toBe(read('test/admin/src/api.ts'));
});
