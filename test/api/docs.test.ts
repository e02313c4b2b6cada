import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import Koa from 'koa';
import { expect, test } from 'vitest';
import { mayRead } from '../../api/docs/may-read.ts';
import { prepareAnswer, sendPrepared } from '../../api/http/prepared-answers.ts';
import { routes } from '../../api/routes.ts';
import { newClient } from '../setup/client.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const BROWSER = { headers: { Accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } };

test('the root address shows browsers links, in the tenant’s colors and language', async () => {
  const page = await tenant.anonymous().get('//', BROWSER);
  const spanish = await tenant.anonymous().get('//', {
    headers: { ...BROWSER.headers, 'Accept-Language': 'es' },
  });

  expect(page.status).toBe(200);
  expect(page.headers['content-type']).toContain('text/html');
  expect(page.body).toContain(`Tenant ${tenant.slug}`);
  expect(page.body).toMatch(/href="\/portal\/style-[0-9a-f]{16}\.css"/);
  for (const address of ['/portal', '/staff', '/ops', '/api/v1/docs'])
    expect(page.body).toContain(`href="${address}"`);
  expect(spanish.body).toContain('Portal de clientes');
});

test('the root address leads browsers to the portal if the tenant wants it', async () => {
  const lender = await stage.tenant();
  await saveSettings(lender, { portal: { is_home_page: true } });
  const client = newClient(await stage.listen(), lender.host);

  const page = await client.get('//', BROWSER);
  const other = await client.get('//nowhere', BROWSER);

  expect([page.status, page.headers['location']]).toEqual([303, '/portal']);
  expect(other.status).toBe(404);
});

test('the root address tells API clients where the API is', async () => {
  const here = await tenant.anonymous().get('//');

  expect(here).toMatchObject({
    status: 200,
    body: {
      api: '/api/v1',
      documentation: '/api/v1/docs',
      openapi: '/api/v1/openapi.json',
    },
  });
});

test('an unknown address is a page with links for browsers, and JSON for API clients', async () => {
  const client = tenant.officer;
  const page = await client.get('//no/such/page', BROWSER);
  const answers = [
    await client.get('//no/such/page'),
    await client.get('/no-such-endpoint', BROWSER),
    await client.post('//no/such/page', {}, BROWSER),
    await client.get('//favicon.ico', { headers: { Accept: 'image/avif,image/*,*/*;q=0.8' } }),
  ];

  expect(page.status).toBe(404);
  expect(page.body).toContain('We can&#x27;t find this page');
  expect(page.body).toContain('href="/api/v1/docs"');
  expect(page.body).not.toContain('no/such');
  expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
    answers.map(() => [404, 'not_found']),
  );
});

test('an unknown host has a page without links, and JSON for API clients', async () => {
  const nowhere = newClient(stage.port, 'nobody.test');

  const page = await nowhere.get('//', BROWSER);
  const answer = await nowhere.get('//');

  expect(page.status).toBe(404);
  expect(page.body).not.toContain('href="/portal"');
  expect([answer.status, answer.body.code]).toEqual([404, 'tenant_not_found']);
});

test('a page of the docs that does not exist is a page for browsers', async () => {
  const page = await tenant.anonymous().get('/docs/guides/nothing', BROWSER);

  expect(page.status).toBe(404);
  expect(page.body).toContain('href="/api/v1/docs"');
  expect(page.headers['content-security-policy']).toContain("script-src 'self'");
});

test.each([
  '/openapi.json',
  '/docs',
  '/docs/guides/using-these-pages',
  '/docs/search.json',
  '/docs/docs.css',
  '/docs/docs.js',
  '/docs/reference',
])('%s is sent with a version, and not sent again to a client that has it', async (path) => {
  const client = tenant.anonymous();

  const first = await client.get(path);
  const version = String(first.headers['etag']);
  const again = await client.get(path, { headers: { 'If-None-Match': version } });
  const other = await client.get(path, { headers: { 'If-None-Match': '"other"' } });

  expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'private, no-cache' } });
  expect(first.headers['content-length']).toBeDefined();
  expect(again).toMatchObject({ status: 304, body: '', headers: { etag: version } });
  expect(other).toMatchObject({ status: 200, body: first.body });
});

test.each(['/openapi.json', '/docs', '/docs/docs.css', '/docs/search.json'])(
  '%s is compressed for a client that accepts it, under a version of its own',
  async (path) => {
    const client = tenant.anonymous();
    const headers = { 'Accept-Encoding': 'gzip, deflate, br' };

    const plain = await client.get(path);
    const short = await client.get(path, { headers });
    const version = String(short.headers['etag']);
    const again = await client.get(path, { headers: { ...headers, 'If-None-Match': version } });
    const refused = await client.get(path, { headers: { 'Accept-Encoding': 'gzip;q=0' } });

    expect(short).toMatchObject({ status: 200, headers: { 'content-encoding': 'gzip' } });
    expect(Number(short.headers['content-length'])).toBeLessThan(
      Number(plain.headers['content-length']) / 2,
    );
    expect(String(short.headers['vary'])).toContain('Accept-Encoding');
    expect(version).not.toBe(plain.headers['etag']);
    expect(again).toMatchObject({ status: 304, body: '' });
    expect(refused.headers).not.toHaveProperty('content-encoding');
    expect(plain.headers).not.toHaveProperty('content-encoding');
  },
);

test('the bytes of a prepared answer are built once and shared by all requests', () => {
  const prepared = prepareAnswer('application/json', '{"name":"Zoë"}');
  const send = () => {
    const request = new IncomingMessage(new Socket());
    Object.assign(request, { method: 'GET', url: '/' });
    const ctx = new Koa().createContext(request, new ServerResponse(request));
    sendPrepared(ctx, prepared);
    return ctx;
  };

  const [one, other] = [send(), send()];

  expect(one.body).toBe(prepared.bytes);
  expect(other.body).toBe(prepared.bytes);
  expect(one.length).toBe(15);
});

test.each([
  '/docs/package.json',
  '/docs/reference/package.json',
  '/docs/reference/..%2fpackage.json',
  '/docs/guides/constructor',
  '/docs/guides/..%2findex',
  '/docs/toString',
  '/docs/'.repeat(2),
])('%s is not a file of the page', async (path) => {
  expect((await tenant.anonymous().get(path)).status).toBe(404);
});

test('each operation has a page with its own address', { timeout: 120_000 }, async () => {
  const client = tenant.anonymous();
  const { body: index } = await client.get('/docs/search.json');
  const operations = (index as { url: string; method?: string; title: string }[]).filter(
    ({ method }) => method !== undefined,
  );
  const broken: string[] = [];
  for (const { url, title } of operations) {
    const { status, body } = await client.get(`/${url}`);
    const isWhole =
      status === 200 &&
      String(body).includes('<h2>Try it</h2>') &&
      !/undefined|\[object/.test(body);
    if (!isWhole) broken.push(`${status} ${url} ${title}`);
  }

  expect(operations).toHaveLength(routes.length);
  expect(broken).toEqual([]);
});

test('the docs pages ask only for what their reader may read', { timeout: 120_000 }, async () => {
  const { body: known } = await tenant.anonymous().get('/docs/lists.json');
  const asked: Record<string, number> = {};
  for (const role of ['viewer', 'collector', 'loan_officer', 'admin', 'superadmin', 'borrower']) {
    const client = await tenant.signedIn(role);
    const { body: me } = await client.get('/users/me');
    const paths = Object.keys(known.lists as object)
      .map((path) => path.slice('/api/v1'.length).replaceAll(/\{\w+\}/g, randomUUID()))
      .filter((path) => mayRead(me, path, { ...known, base: '/api/v1' }));
    for (const path of paths) await client.get(`${path}?range=[0,0]`);
    asked[role] = paths.length;
  }
  const { rows: refusals } = await stage.owner.query(
    `select event, route, reason from security_log where tenant_id = $1 and outcome = 'refused'`,
    [tenant.id],
  );

  expect(refusals).toEqual([]);
  expect(asked['borrower']).toBeGreaterThan(15);
  expect(asked['viewer']).toBeGreaterThan(100);
  expect(asked['superadmin']).toBeGreaterThan(asked['viewer'] ?? 0);
});
