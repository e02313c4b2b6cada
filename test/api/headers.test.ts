import { expect, test } from 'vitest';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const { officer } = tenant;
const BODY = { first_name: 'Ada', last_name: 'Byron' };

test('a request keeps a valid request id that it came with', async () => {
  const headers = { 'X-Request-Id': 'client-made.1234' };

  const kept = await officer.get('/nowhere', { headers });

  expect(kept.headers['x-request-id']).toBe('client-made.1234');
  expect(kept.body.request_id).toBe('client-made.1234');
});

test.each([
  '123-45-6789',
  '123456789',
  '4111111111111111',
  'of-123-45-6789',
  '<b>"\'</b>',
  'short',
  'x'.repeat(65),
])(
  'a request id of %s is replaced, so that no personal number reaches logs and jobs',
  async (id) => {
    const { headers } = await officer.get('/nowhere', { headers: { 'X-Request-Id': id } });

    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  },
);

test('every answer forbids framing, sniffing and caching', async () => {
  const replies = [
    await officer.get('/borrowers'),
    await officer.get('/nowhere'),
    await officer.post('/borrowers', {}),
    await tenant.anonymous().get('/users/me'),
    await officer.get('//healthz'),
  ];

  for (const { headers } of replies) {
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringContaining("default-src 'none'"),
      'referrer-policy': 'same-origin',
    });
    expect(headers).not.toHaveProperty('x-powered-by');
  }
});

test('every answer of a tenant varies by cookie and origin', async () => {
  const replies = [
    await officer.get('/borrowers'),
    await officer.get('/nowhere'),
    await officer.post('/borrowers', {}),
    await officer.post('/borrowers', BODY, { headers: { 'X-CSRFToken': 'wrong' } }),
    await tenant.anonymous().get('/users/me'),
    await officer.send('OPTIONS', '/borrowers'),
  ];
  const compressed = [await officer.get('/docs'), await officer.get('/openapi.json')];

  for (const { headers } of replies) {
    expect(String(headers['vary']).split(', ')).toEqual(['Origin', 'Cookie']);
  }
  for (const { headers } of compressed) {
    expect(String(headers['vary']).split(', ')).toEqual(['Origin', 'Cookie', 'Accept-Encoding']);
  }
});

test('only dashboards of trusted origins may call with credentials', async () => {
  const { id, officer: insider } = await stage.tenant();
  const origin = 'https://admin.example.com';
  await stage.owner.query('update tenants set settings = $2 where id = $1', [
    id,
    { auth: { trusted_origins: [origin] } },
  ]);
  const fresh = await stage.listen();
  const ask = (method: string, from: string) =>
    insider.at(fresh).send(method, '/borrowers', method === 'POST' ? BODY : undefined, {
      headers: {
        Origin: from,
        ...(method === 'OPTIONS' && { 'Access-Control-Request-Method': 'PUT' }),
      },
    });

  const [preflight, list, made] = [
    await ask('OPTIONS', origin),
    await ask('GET', origin),
    await ask('POST', origin),
  ];
  const strange = await ask('OPTIONS', 'https://evil.example');
  const similar = await ask('GET', `${origin}.evil.example`);

  expect(preflight).toMatchObject({
    status: 204,
    headers: {
      'access-control-allow-origin': origin,
      'access-control-allow-credentials': 'true',
      'access-control-allow-methods': expect.stringContaining('DELETE'),
      'access-control-allow-headers': expect.stringMatching(/X-CSRFToken/i),
    },
  });
  expect(list.headers).toMatchObject({
    'access-control-allow-origin': origin,
    'access-control-expose-headers': expect.stringContaining('Content-Range'),
    vary: expect.stringContaining('Origin'),
  });
  expect(made.status).toBe(201);
  expect(strange.headers).not.toHaveProperty('access-control-allow-origin');
  expect(similar.headers).not.toHaveProperty('access-control-allow-origin');
  expect(similar.headers['vary']).toContain('Origin');
});
