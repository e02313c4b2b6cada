import { register } from 'prom-client';
import { expect, test } from 'vitest';
import { isSlowAsync } from '../setup/cpu-time.ts';
import { sendRaw } from '../setup/raw-socket.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const { officer } = tenant;
const BODY = { first_name: 'Ada', last_name: 'Byron' };

test('a body over one megabyte is refused early, with or without a Content-Length', async () => {
  const head = [
    'POST /api/v1/borrowers HTTP/1.1',
    `Host: ${tenant.host}`,
    `Cookie: ${[...officer.cookies].map(([name, value]) => `${name}=${value}`).join('; ')}`,
    `X-CSRFToken: ${officer.cookies.get('csrftoken')}`,
    'Content-Type: application/json',
  ].join('\r\n');
  const chunk = `100000\r\n${'x'.repeat(0x100000)}\r\n`;
  const started = performance.now();

  const announced = await sendRaw(stage.port, `${head}\r\nContent-Length: 11000000\r\n\r\n{}`);
  const streamed = await sendRaw(
    stage.port,
    `${head}\r\nTransfer-Encoding: chunked\r\n\r\n${chunk}${chunk}`,
  );

  for (const answer of [announced, streamed]) {
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('"code":"payload_too_large"');
  }
  expect(performance.now() - started).toBeLessThan(1_500);
});

test.each(['gzip', 'deflate', 'br', 'zstd', 'gzip, gzip'])(
  'a body with the encoding %s is not decompressed',
  async (coding) => {
    const reply = await officer.post('/borrowers', BODY, {
      headers: { 'Content-Encoding': coding },
    });

    expect(reply).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
  },
);

test.each([
  ['a broken object', '{"first_name": '],
  ['a bare word', 'null'],
  ['a number', '12'],
  ['not a number', '{"first_name": NaN}'],
  ['a planted prototype', '{"__proto__": {"polluted": true}, "first_name": "A", "last_name": "B"}'],
  ['a planted prototype, deeper', '{"metadata": {"a": {"__proto__": {"polluted": true}}}}'],
])('a body that is %s is malformed', async (_, raw) => {
  const reply = await officer.post('/borrowers', null, { raw });

  expect(reply).toMatchObject({ status: 400, body: { code: 'malformed_json' } });
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

test.each([
  ['a list', []],
  ['nested too deeply', { ...BODY, metadata: nest(500) }],
  ['with a constructor', { ...BODY, metadata: { constructor: { prototype: { polluted: 1 } } } }],
  ['with NUL in a text', { ...BODY, first_name: 'A\u0000' }],
  ['with NUL in JSON', { ...BODY, metadata: { note: 'a\u0000' } }],
  ['with half a character', { ...BODY, metadata: { note: '\ud800' } }],
  ['with half a character for a key', { ...BODY, metadata: { '\udfff': 1 } }],
  ['with a long text', { ...BODY, first_name: 'x'.repeat(201) }],
  ['with a number for a text', { ...BODY, first_name: 1e308 }],
  ['with a day that no calendar has', { ...BODY, date_of_birth: '2026-02-30' }],
  ['with the year zero', { ...BODY, date_of_birth: '0000-01-01' }],
  ['with too much JSON', { ...BODY, metadata: { text: 'x'.repeat(17_000) } }],
])('a body that is %s is invalid', async (_, body) => {
  const reply = await officer.post('/borrowers', body);

  expect(reply).toMatchObject({ status: 422, body: { code: 'validation_error' } });
  expect(Object.keys(reply.body.errors)).not.toHaveLength(0);
});

function nest(depth: number): object {
  let value: object = {};
  for (let at = 0; at < depth; at += 1) value = { a: value };
  return value;
}

test('half a million brackets do not exhaust the stack', async () => {
  const raw = `{"metadata": ${'['.repeat(400_000)}${']'.repeat(400_000)}}`;

  const reply = await officer.post('/borrowers', null, { raw });

  expect(reply.status).toBe(422);
});

test('a pattern takes linear time on a text designed to slow it down', async () => {
  const { body: made } = await officer.post('/borrowers', BODY);
  const puzzling = [`${'a'.repeat(50_000)}@`, `a@${'a.'.repeat(25_000)}`, '+1'.repeat(25_000)];
  const asked = puzzling.flatMap((text) => [{ email: text }, { phone_number: text }]);
  const statuses = new Set<number>();

  const isSlow = await isSlowAsync(500, async () => {
    for (const body of asked) {
      const path = 'email' in body ? 'emails' : 'phones';
      statuses.add((await officer.post(`/borrowers/${made.id}/${path}`, body)).status);
    }
  });

  expect(statuses).toEqual(new Set([422]));
  expect(isSlow).toBe(false);
});

test('a body is validated only if the user may send it', async () => {
  const viewer = await tenant.signedIn('viewer');
  const nobody = tenant.anonymous();
  await nobody.get('/auth/csrf');

  const forbidden = await viewer.post('/borrowers', null, { raw: '{' });
  const unknown = await nobody.post('/borrowers', null, { raw: '{' });

  expect([forbidden.status, unknown.status]).toEqual([403, 401]);
});

test('fields that only the server sets are ignored in a body', async () => {
  const id = '00000000-0000-7000-8000-000000000000';
  const planted = {
    id,
    tenant_id: id,
    is_archived: true,
    created_at: '2000-01-01T00:00:00Z',
    email: 'x@example.com',
    password_hash: 'x',
    toString: 1,
  };

  const made = await officer.post('/borrowers', { ...BODY, ...planted });
  const changed = await officer.put(`/borrowers/${made.body.id}`, planted);

  expect(made).toMatchObject({ status: 201, body: { is_archived: false, email: null } });
  expect(made.body.id).not.toBe(id);
  expect(changed).toMatchObject({ status: 200, body: { id: made.body.id, is_archived: false } });
  expect(changed.body.created_at).toBe(made.body.created_at);
  expect(changed.body).not.toHaveProperty('password_hash');
});

test.each([
  ['/api/v1/borrowers', ['GET', 'HEAD', 'POST']],
  ['/api/v1/auth/login', ['POST']],
])('%s lists the methods that it allows', async (path, methods) => {
  for (const method of ['PATCH', 'TRACE', 'OPTIONS']) {
    const reply = await officer.send(method, `/${path}`);

    expect(reply, method).toMatchObject({ status: 405, body: { code: 'method_not_allowed' } });
    expect(String(reply.headers['allow']).split(', ').toSorted()).toEqual(methods);
  }
});

test('CONNECT and invented methods close the connection', async () => {
  const head = `Host: ${tenant.host}\r\n\r\n`;

  expect(await sendRaw(stage.port, `CONNECT a.test:80 HTTP/1.1\r\n${head}`)).toBe('');
  expect(await sendRaw(stage.port, `FROB /api/v1/borrowers HTTP/1.1\r\n${head}`)).toMatch(/ 400 /);
});

test('HEAD answers like GET without the body', async () => {
  const reply = await officer.send('HEAD', '/borrowers');

  expect(reply).toMatchObject({ status: 200, body: '' });
  expect(reply.headers['content-range']).toMatch(/^borrowers /);
});

test('an unknown parameter is refused, but the parameters of lists are ignored where there is no list', async () => {
  const { body } = await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron' });
  const path = `/borrowers/${body.id}`;

  const list = await officer.get(`${path}?sort=["id","ASC"]&range=[0,9]&limit=5`);
  const unknown = await officer.get(`${path}?limit=5&fields=id`);
  const change = await officer.put(`${path}?limit=5`, { last_name: 'King' });

  expect(list).toMatchObject({ status: 200, body: { id: body.id } });
  expect(unknown).toMatchObject({
    status: 422,
    body: { errors: { query: expect.stringMatching(/^"fields" is not/) } },
  });
  expect(change).toMatchObject({
    status: 422,
    body: { errors: { query: expect.stringMatching(/^"limit" is not/) } },
  });
});

test('a slash at the end of a path makes no difference, and two are no endpoint', async () => {
  const created = await officer.post('/borrowers/', { first_name: 'Ada', last_name: 'Byron' });
  const path = `/borrowers/${created.body.id}`;

  const replies = [
    await officer.get(`${path}/`),
    await officer.get('/borrowers/?limit=1'),
    await officer.put(`${path}/`, { last_name: 'King' }),
    await officer.get(`${path}/phones/`),
    await tenant.anonymous().get('/borrowers/'),
    await officer.get('/borrowers//'),
    await officer.delete('/borrowers/'),
  ];

  expect(created.status).toBe(201);
  expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200, 401, 404, 405]);
});

test.each([
  ['two slashes', '//api/v1//borrowers'],
  ['capitals', '/Borrowers'],
  ['an encoded letter and slash', '/%62orrowers%2F'],
  ['matrix parameters', '/borrowers;admin=1'],
  ['dots', '/./borrowers/../users'],
  ['a broken escape', '/borrowers/%E0%A4%A'],
  ['NUL', '/borrowers/%00'],
  ['an id with something behind it', '/borrowers/00000000-0000-7000-8000-000000000000%20'],
  ['another prefix', '//api/v2/borrowers'],
])('a path with %s is not an endpoint', async (_, path) => {
  const reply = await officer.get(path);

  expect(reply).toMatchObject({ status: 404, body: { code: 'not_found' } });
});

test('request smuggling fails at the parser', async () => {
  const start = `POST /api/v1/auth/login HTTP/1.1\r\nHost: ${tenant.host}\r\n`;
  const both = `${start}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nG`;
  const folded = `${start}X-A: b\r\n c\r\nTransfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`;
  const twice = `${start}Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde`;

  for (const bytes of [both, folded, twice]) {
    expect(await sendRaw(stage.port, bytes)).toMatch(/^HTTP\/1\.1 400 /);
  }
});

test('headers and addresses have maximum lengths', async () => {
  const long = await officer.get('/borrowers', { headers: { 'X-Long': 'x'.repeat(17_000) } });
  const many = Object.fromEntries(
    Array.from({ length: 300 }, (_, at) => [`X-${at}`, 'x'.repeat(60)]),
  );

  expect(long.status).toBe(431);
  expect((await officer.get('/borrowers', { headers: many })).status).toBe(431);
  expect((await officer.get(`/borrowers?q=${'x'.repeat(9_000)}`)).status).toBe(422);
});

test.each([17_000, 69_000, 2_000_000])(
  'a request target of %d characters gets an answer',
  async (length) => {
    const { status, body, headers } = await officer.get(`/borrowers?q=${'x'.repeat(length)}`);

    expect({ status, body }).toEqual({
      status: 431,
      body: {
        message: 'The request target and headers together exceed 16 kB.',
        code: 'head_too_large',
        request_id: headers['x-request-id'],
      },
    });
  },
);

test('malformed requests get one refusal in the standard form, and the connection closes', async () => {
  const garbage = `GET /api/v1/users/me HTTP/1.1\r\nHost: ${tenant.host}\r\nBad Header: x\r\n\r\n`;
  const started = performance.now();
  const answer = await sendRaw(stage.port, garbage.repeat(2_000));

  expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\nConnection: close\r\n/);
  expect(answer.match(/"code":"malformed_request"/g)).toHaveLength(1);
  expect(performance.now() - started).toBeLessThan(1_500);
});

test('metrics use the route’s pattern and no text from the client as a label', async () => {
  const { body } = await officer.post('/borrowers', BODY);
  await officer.get(`/borrowers/${body.id}`);
  await officer.get('/made-up-by-somebody');

  const text = await register.metrics();

  expect(text).toMatch(
    /http_request_seconds_count\{method="GET",route="\/borrowers\/\{id\}",status="200"\} \d/,
  );
  expect(text).toMatch(/http_request_seconds_count\{method="",route="",status="404"\} \d/);
  expect(text).not.toMatch(new RegExp(`made-up-by-somebody|${body.id}|${tenant.host}`));
});
