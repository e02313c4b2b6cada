import { mkdir } from 'node:fs/promises';
import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import Koa from 'koa';
import { chromium, type Page } from 'playwright-core';
import { expect, test } from 'vitest';
import { toOpenApi30 } from '../../api/endpoints/openapi-30.ts';
import { prepareAnswer, sendPrepared } from '../../api/http/prepared-answers.ts';
import { findChromium } from '../../workers/outside/chromium.ts';
import { addLoans, addBorrowers } from '../../workers/seed/loans.ts';
import { newClient } from '../setup/client.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
await tenant.within(async (work) => addLoans(work, await addBorrowers(work, 'demo')));
const pictures = process.env['PICTURES'];

/** A browser that resolves every name to this machine and can reach nothing else. */
async function openBrowser() {
  const { env, ...chosen } = await findChromium(path.join(tmpdir(), 'servicing-test-browser'));
  return chromium.launch({
    ...chosen,
    env,
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * 127.0.0.1'],
  });
}

/** Executes an operation with its unchanged example. Returns the status that the page shows. */
async function tryOut(page: Page, tag: string, name: string): Promise<string | null> {
  const operation = `#operations-${tag}-${name}`;
  if (!(await page.isVisible(operation))) await page.click(`#operations-tag-${tag}`);
  await page.click(`${operation} button`);
  await page.click(`${operation} .try-out button`);
  await page.click(`${operation} button.execute`);
  const status = `${operation} .live-responses-table .response .response-col_status`;
  return ((await page.textContent(status)) ?? '').trim().slice(0, 3);
}

test('the documentation page works under its policy and loads only its own files', async () => {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
    page.setDefaultTimeout(120_000);
    const complaints: string[] = [];
    const hosts = new Set<string>();
    page.on('console', (line) => {
      if (['error', 'warning'].includes(line.type())) complaints.push(line.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    page.on('request', (request) => hosts.add(new URL(request.url()).host));
    const here = `${tenant.host}:${stage.port}`;

    const response = await page.goto(`http://${here}/api/v1/docs`);
    await page.click('#operations-tag-authentication');
    await page.click('#operations-authentication-signIn button');
    await page.click('#operations-authentication-signIn .try-out button');
    await page.fill(
      '#operations-authentication-signIn textarea',
      JSON.stringify({ email: `loan_officer@${tenant.slug}.test`, password: PASSWORD }),
    );
    await page.click('#operations-authentication-signIn button.execute');
    await page.waitForSelector('#operations-authentication-signIn .live-responses-table .response');
    const shown = await page.textContent('#operations-authentication-signIn .live-responses-table');
    await page.waitForSelector('body[data-examples=real]');
    const tried = [
      await tryOut(page, 'borrowers', 'getBorrower'),
      await tryOut(page, 'borrowers', 'createBorrower'),
    ];
    if (pictures) {
      await mkdir(pictures, { recursive: true });
      await page.screenshot({ path: path.join(pictures, 'docs.png'), fullPage: false });
      await page.evaluate('window.scrollTo(0, 0)');
      await page.screenshot({ path: path.join(pictures, 'docs-top.png') });
    }

    expect(response?.headers()['content-security-policy']).toMatch(/script-src 'self';/);
    expect([...hosts].filter((host) => host !== here && host !== '')).toEqual([]);
    expect(complaints).toEqual([]);
    expect(shown).toContain('200');
    expect(shown).toContain(`loan_officer@${tenant.slug}.test`);
    expect(tried).toEqual(['200', '201']);
    const { rows: refusals } = await stage.owner.query(
      `select event, route from security_log where tenant_id = $1 and outcome = 'refused'`,
      [tenant.id],
    );
    expect(refusals).toEqual([]);
  } finally {
    await browser.close();
  }
}, 180_000);

test('the root address of a tenant leads to the docs, and an unknown host gets 404', async () => {
  const here = await tenant.anonymous().get('//');
  const nowhere = await newClient(stage.port, 'nobody.test').get('//');

  expect([here.status, here.headers['location']]).toEqual([302, '/api/v1/docs']);
  expect(nowhere.status).toBe(404);
});

test.each(['/openapi.json', '/docs', '/docs/start.js', '/docs/swagger-ui.css'])(
  '%s is sent with a version, and not sent again to a client that has it',
  async (path) => {
    const client = tenant.anonymous();

    const first = await client.get(path);
    const version = String(first.headers['etag']);
    const again = await client.get(path, { headers: { 'If-None-Match': version } });
    const other = await client.get(path, { headers: { 'If-None-Match': '"other"' } });

    expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'private, no-cache' } });
    expect(first.headers['content-length']).toBeDefined();
    expect(again).toMatchObject({ status: 304, body: '', headers: { etag: version } });
    expect(other).toMatchObject({ status: 200, body: first.body });
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

test.each(['/docs/package.json', '/docs/..%2fpackage.json', '/docs/toString', '/docs/'.repeat(2)])(
  '%s is not a file of the page',
  async (path) => {
    expect((await tenant.anonymous().get(path)).status).toBe(404);
  },
);

test('the page receives its data in the form that its renderer reads fastest', () => {
  const older = toOpenApi30({
    openapi: '3.1.0',
    schemas: {
      Loan: {
        properties: {
          type: { anyOf: [{ type: 'string', maxLength: 9 }, { type: 'null' }], description: 'A.' },
          parent: { anyOf: [{ $ref: '#/Loan' }, { type: 'null' }] },
          either: { anyOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
          const: { type: ['integer', 'null'], exclusiveMinimum: 0, exclusiveMaximum: 5 },
          kind: { const: 'loan', type: 'string' },
        },
        example: { type: ['as', 'null'], const: 1 },
      },
    },
  });

  expect(older).toEqual({
    openapi: '3.0.4',
    schemas: {
      Loan: {
        properties: {
          type: { type: 'string', maxLength: 9, description: 'A.', nullable: true },
          parent: { allOf: [{ $ref: '#/Loan' }], nullable: true },
          either: { anyOf: [{ type: 'string' }, { type: 'integer' }], nullable: true },
          const: {
            type: 'integer',
            nullable: true,
            minimum: 0,
            exclusiveMinimum: true,
            maximum: 5,
            exclusiveMaximum: true,
          },
          kind: { type: 'string', enum: ['loan'] },
        },
        example: { type: ['as', 'null'], const: 1 },
      },
    },
  });
});
