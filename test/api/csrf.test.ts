import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import { newClient } from '../setup/client.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const neighbour = await stage.tenant();
const { officer } = tenant;
const token = officer.cookies.get('csrftoken') ?? '';
const session = officer.cookies.get('sessionid') ?? '';
const BODY = { first_name: 'Ada', last_name: 'Byron' };

const borrowers = async () => (await officer.get('/borrowers')).headers['content-range'];
const before = await borrowers();

const sent = (cookie: string | null, header: string | null) => ({
  headers: {
    Cookie: `sessionid=${session}${cookie === null ? '' : `; csrftoken=${cookie}`}`,
    'X-CSRFToken': header ?? '',
  },
});

test.each([
  ['no header', sent(token, null)],
  ['no cookie', sent(null, token)],
  ['neither', sent(null, null)],
  ['both empty', sent('', '')],
  ['another header', sent(token, 'x'.repeat(32))],
  ['another cookie', sent('x'.repeat(32), token)],
  ['both alike but not the session’s', sent('y'.repeat(32), 'y'.repeat(32))],
  ['both too short', sent(token.slice(1), token.slice(1))],
  ['both too long', sent(`${token}x`, `${token}x`)],
  ['65 characters', sent('z'.repeat(65), 'z'.repeat(65))],
  ['other characters', sent('*'.repeat(32), '*'.repeat(32))],
  ['an accent in them', sent('\u00e9'.repeat(32), '\u00e9'.repeat(32))],
])('a change with %s is refused and nothing is written', async (_, options) => {
  const reply = await officer.post('/borrowers', BODY, options);

  expect(reply).toMatchObject({ status: 403, body: { code: 'csrf_failed' } });
  expect(await borrowers()).toBe(before);
});

test.each(['POST', 'PUT', 'PATCH', 'DELETE'])(
  '%s needs the CSRF token on every route',
  async (method) => {
    const reply = await tenant.anonymous().send(method, '/nowhere', {});

    expect(reply).toMatchObject({ status: 403, body: { code: 'csrf_failed' } });
  },
);

test('every answer carries the session’s CSRF token, refusals too', async () => {
  const replies = [
    await officer.get('/borrowers'),
    await officer.get('/nowhere'),
    await officer.get('/borrowers?sort=x'),
    await officer.get('/docs'),
    await officer.get('/openapi.json'),
    await officer.post('/borrowers', BODY, sent(token, null)),
    await officer.send('PATCH', '/borrowers', {}),
  ];

  for (const { headers, status } of replies) {
    expect(headers['set-cookie'], String(status)).toEqual([
      expect.stringContaining(`csrftoken=${token};`),
    ]);
  }
});

test('a well-formed token is kept, and a malformed one is replaced', async () => {
  const client = tenant.anonymous();
  client.cookies.set('csrftoken', 'k'.repeat(32));

  await client.get('/auth/csrf');
  const kept = client.cookies.get('csrftoken');
  client.cookies.set('csrftoken', '<script>');
  const reply = await client.get('/auth/csrf');

  expect(kept).toBe('k'.repeat(32));
  expect(reply.body.csrf_token).toMatch(/^[A-Za-z0-9]{32}$/);
  expect(client.cookies.get('csrftoken')).toBe(reply.body.csrf_token);
});

test('the token changes at sign-in, and the previous one is no longer accepted', async () => {
  const client = tenant.anonymous();
  await client.get('/auth/csrf');
  const early = client.cookies.get('csrftoken') ?? '';
  await client.login(`admin@${tenant.slug}.test`, PASSWORD);
  const late = client.cookies.get('csrftoken') ?? '';

  const reply = await client.post('/borrowers', BODY, {
    headers: {
      Cookie: `sessionid=${client.cookies.get('sessionid')}; csrftoken=${early}`,
      'X-CSRFToken': early,
    },
  });

  expect(late).not.toBe(early);
  expect(reply.status).toBe(403);
});

test('one user’s token is refused with another user’s session', async () => {
  const viewer = await tenant.signedIn('viewer');
  const theirs = viewer.cookies.get('csrftoken') ?? '';

  const reply = await officer.post('/borrowers', BODY, sent(theirs, theirs));

  expect(reply.status).toBe(403);
});

test.each([
  ['another tenant of ours', `http://${neighbour.host}`, 403],
  ['somebody', 'https://evil.example', 403],
  ['nothing that can be named', 'null', 403],
  ['our host on another port', `http://${tenant.host}:8080`, 403],
  ['ourselves', `http://${tenant.host}`, 201],
])('an Origin of %s is checked', async (_, origin, status) => {
  const reply = await officer.post('/borrowers', BODY, { headers: { Origin: origin } });

  expect(reply.status).toBe(status);
});

test('a Host header with the default port is the same origin', async () => {
  const reply = await officer.post('/borrowers', BODY, {
    headers: { Host: `${tenant.host}:80`, Origin: `http://${tenant.host}` },
  });

  expect(reply.status).toBe(201);
});

test.each([
  ['of a stranger', { Referer: 'https://evil.example/' }, 403],
  ['of ours without encryption', { Referer: `http://${tenant.host}/` }, 403],
  ['of ours', { Referer: `https://${tenant.host}/page` }, 201],
  ['missing', {}, 201],
  ['an Origin without encryption', { Origin: `http://${tenant.host}` }, 403],
])('behind HTTPS, a Referer that is %s is checked', async (_, headers, status) => {
  const secure = await stage.listen({ NODE_ENV: 'production' });
  const client = newClient(secure, tenant.host);
  for (const [name, value] of officer.cookies) client.cookies.set(name, value);

  const reply = await client.post('/borrowers', BODY, { headers });

  expect(reply.status).toBe(status);
  expect(String(reply.headers['set-cookie'])).toMatch(/csrftoken=.*; secure/);
  expect(reply.headers['strict-transport-security']).toMatch(/max-age=/);
});

test('a cross-site sign-in without the token is refused and not counted as an attempt', async () => {
  const reply = await tenant.anonymous().post('/auth/login', { email: 'a@b.test', password: 'x' });

  expect(reply).toMatchObject({ status: 403, body: { code: 'csrf_failed' } });
});

test('a body with a content type that needs no CORS preflight is refused', async () => {
  const headers = (type: string) => ({ headers: { 'Content-Type': type } });

  const plain = await officer.post('/borrowers', BODY, headers('text/plain'));
  const form = await officer.post('/borrowers', BODY, headers('application/x-www-form-urlencoded'));

  expect([plain.status, form.status]).toEqual([415, 415]);
});

test('a DELETE may have a text body, as dashboards send it, but still needs the token', async () => {
  const made = await officer.post('/borrowers', BODY);
  const text = { raw: '{"id":"x"}', headers: { 'Content-Type': 'text/plain' } };

  const without = await officer.delete(`/borrowers/${made.body.id}`, {
    ...text,
    headers: { ...text.headers, 'X-CSRFToken': '' },
  });
  const reply = await officer.delete(`/borrowers/${made.body.id}`, text);

  expect(without.status).toBe(403);
  expect(reply).toMatchObject({ status: 200, body: { id: made.body.id, is_archived: true } });
});

test('only requests from providers are accepted without the token', async () => {
  const untold: string[] = [];
  for (const route of routes.filter(({ method }) => method !== 'GET')) {
    const path = route.path.replaceAll(/\{\w+\}/g, randomUUID());
    const reply = await officer.send(route.method, path, {}, sent(null, null));
    if (reply.body?.code !== 'csrf_failed') untold.push(`${route.allow} ${route.path}`);
  }

  expect(untold.toSorted()).toEqual([
    'provider /communications/webhooks/delivery-status',
    'provider /communications/webhooks/inbound/email',
    'provider /communications/webhooks/inbound/sms',
  ]);
});
