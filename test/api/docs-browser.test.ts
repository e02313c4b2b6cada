import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { addLoans, addBorrowers } from '../../workers/seed/loans.ts';
import { allowCodeReuse, enrollApp, totpCode } from '../setup/second-factors.ts';
import { clearProofs } from '../setup/proofs.ts';
import { findAccessibilityViolations, openBrowser } from '../setup/portal-browser.ts';
import { operationIdOf } from '../../api/endpoints/operation-ids.ts';
import { routes } from '../../api/routes.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
// On a fast machine, the sign-ins of all tests happen within one minute.
await saveSettings(tenant, { throttle: { login: 60 } });
await tenant.within(async (work) => addLoans(work, await addBorrowers(work, 'demo')));
const here = `${tenant.host}:${stage.port}`;
const docs = `http://${here}/api/v1/docs`;
const email = (role: string) => `${role}@${tenant.slug}.test`;
const upload = routes.find(({ takes_file, path }) => takes_file && path === '/documents');
const uploadId = upload && operationIdOf(upload);
const pictures = process.env['PICTURES'];

let browser: Awaited<ReturnType<typeof openBrowser>>;
beforeAll(async () => void (browser = await openBrowser()), 60_000);
afterAll(async () => browser.close());

/** A reader whose browser reports errors and requests to other hosts. */
async function newReader(width = 1280) {
  const context = await browser.newContext({ viewport: { width, height: 900 } });
  const page = await context.newPage();
  page.setDefaultTimeout(60_000);
  const complaints: string[] = [];
  page.on('console', (line) => {
    if (['error', 'warning'].includes(line.type())) complaints.push(line.text());
  });
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('request', (request) => {
    const { host } = new URL(request.url());
    if (host !== here && host !== '') complaints.push(`a request to ${host}`);
  });
  /** Checks accessibility and width, and saves a picture if PICTURES is set. */
  const look = async (name: string) => {
    complaints.push(...(await findAccessibilityViolations(page, name)));
    const { wide, seen } = await page.evaluate<{ wide: number; seen: number }>(
      '({ wide: document.documentElement.scrollWidth, seen: document.documentElement.clientWidth })',
    );
    if (wide > seen) complaints.push(`${name} is wider than the screen: ${wide}`);
    await savePicture(page, `${name}-${width}`);
  };
  return { context, page, complaints, look };
}

async function savePicture(page: Page, name: string, fullPage = false) {
  if (!pictures) return;
  await mkdir(pictures, { recursive: true });
  await page.screenshot({ path: path.join(pictures, `docs-${name}.png`), fullPage });
}

async function signIn(page: Page, role: string) {
  await page.click('.account summary');
  await page.fill('.password [name=email]', email(role));
  await page.fill('.password [name=password]', PASSWORD);
  await page.keyboard.press('Enter');
}

const isSignedIn = async (page: Page, role: string) => {
  await page.locator('.account summary', { hasText: email(role) }).waitFor();
};

/** Searches with the keyboard only, and opens the first result. */
async function search(page: Page, words: string) {
  await page.keyboard.press('/');
  await page.keyboard.type(words);
  await page.waitForSelector('.results a');
}

/** Opens an operation and sends its unchanged example. Returns the status that the page shows. */
async function tryOut(page: Page, id: string): Promise<string> {
  await page.goto(`${docs}/reference/${id}`);
  await page.waitForSelector('body[data-examples=own]');
  await page.click('.try button');
  await page.waitForSelector('.reply:not([hidden])');
  return ((await page.textContent('.reply .status')) ?? '').slice(0, 3);
}

const refusals = async () => {
  const { rows } = await stage.owner.query(
    `select event, route, reason from security_log where tenant_id = $1 and outcome = 'refused'`,
    [tenant.id],
  );
  return rows;
};

test('a reader searches, signs in and tries operations, with the keyboard alone', async () => {
  const { context, page, complaints, look } = await newReader();

  const response = await page.goto(docs);
  await look('home');
  await search(page, 'create borrower');
  await savePicture(page, 'search');
  await page.keyboard.press('ArrowDown');
  const first = await page.evaluate<string>('document.activeElement.textContent');
  await page.keyboard.press('Enter');
  await page.waitForURL(`${docs}/reference/createBorrower`);
  await look('operation');
  await signIn(page, 'loan_officer');
  await isSignedIn(page, 'loan_officer');
  const tried = [await tryOut(page, 'getBorrower'), await tryOut(page, 'createBorrower')];
  const shown = await page.textContent('.reply-body');
  await look('answer');

  expect(response?.headers()['content-security-policy']).toMatch(
    /script-src 'self'; style-src 'self';/,
  );
  expect(first).toContain('Create a borrower');
  expect(tried).toEqual(['200', '201']);
  expect(shown).toContain('"id"');
  expect(complaints).toEqual([]);
  expect(await refusals()).toEqual([]);
  await context.close();
}, 180_000);

test('a viewer’s page shows own records without asking for others', async () => {
  const { context, page, complaints } = await newReader();
  await page.goto(`${docs}/reference/getWebhookDelivery`);
  await signIn(page, 'viewer');
  await isSignedIn(page, 'viewer');
  for (const id of ['getLoan', 'getWebhookDelivery', 'listSecurityEvents', 'updateUser']) {
    await page.goto(`${docs}/reference/${id}`);
    await page.waitForSelector('body[data-examples=own]');
  }
  await page.goto(`${docs}/reference/getLoan`);
  await page.waitForSelector('body[data-examples=own]');
  const id = await page.inputValue('[data-name=id]');
  await page.click('.account summary');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('.account summary', { hasText: 'Sign in' }).waitFor();

  expect(id).not.toBe('00000000-0000-4000-8000-000000000000');
  expect(await refusals()).toEqual([]);
  expect(complaints).toEqual([]);
  await context.close();
}, 180_000);

test('the search knows words of the trade and corrects misspelled ones', async () => {
  const { context, page, complaints } = await newReader();
  await page.goto(docs);
  /** The titles of the best results, and the sentence above them. */
  const found = async (words: string) => {
    await page.fill('.search input', words);
    await page.waitForFunction(
      `document.querySelector('.results p').textContent.includes('found')`,
    );
    const titles = await page.locator('.results a span').allTextContents();
    return { titles: titles.slice(0, 3), summary: await page.textContent('.results p') };
  };

  const trade = [await found('nsf'), await found('bounced check')];
  const misspelled = await found('statment');
  const nothing = await found('qqqqqqqqqqqq');

  for (const { titles } of trade) expect(titles.join()).toMatch(/bounced|returned|return/i);
  expect(misspelled.titles.join()).toMatch(/statement/i);
  expect(misspelled.summary).toContain('for “statement');
  expect(nothing.summary).toContain('Nothing found');
  expect(complaints).toEqual([]);
  await context.close();
}, 180_000);

test('an operation says where to get an id if the reader has no such record', async () => {
  const { context, page } = await newReader();
  await page.goto(`${docs}/reference/getMailBatch`);
  await signIn(page, 'viewer');
  await isSignedIn(page, 'viewer');
  await page.waitForSelector('body[data-examples=own]');

  expect(await page.textContent('.try .as')).toContain(
    'No record was found for id: create one first, or enter an id from GET /mail-batches.',
  );
  await context.close();
}, 180_000);

test('the commands of a guide name the address of this server', async () => {
  const { context, page } = await newReader();
  await page.goto(`${docs}/guides/first-loan`);
  const first = await page.textContent('.text pre');

  expect(first).toContain(`url=http://${here}/api/v1`);
  await context.close();
}, 180_000);

test('a wrong password is explained, and a second factor is asked for', async () => {
  const { secret } = await enrollApp(await tenant.signedIn('admin'));
  await allowCodeReuse(stage, tenant);
  const { context, page, complaints } = await newReader();
  await page.goto(docs);

  await page.click('.account summary');
  await page.fill('.password [name=email]', email('admin'));
  await page.fill('.password [name=password]', 'wrong');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.password .error:not([hidden])');
  const message = await page.textContent('.password .error');
  await page.fill('.password [name=password]', PASSWORD);
  await page.keyboard.press('Enter');
  await page.waitForSelector('.code:not([hidden])');
  await page.keyboard.type(totpCode(secret));
  await page.keyboard.press('Enter');
  await isSignedIn(page, 'admin');

  expect(message).toBe('The email address or password is wrong.');
  expect(complaints.filter((line) => !/status of 401/.test(line))).toEqual([]);
  await context.close();
}, 180_000);

test('a sensitive change asks for the password again, in the page', async () => {
  const { context, page, complaints } = await newReader();
  await page.goto(`${docs}/reference/inviteUser`);
  await signIn(page, 'superadmin');
  await page.waitForSelector('body[data-examples=own]');
  await clearProofs(stage, tenant);

  await page.click('.try button');
  await page.waitForSelector('.prove:not([hidden])');
  await page.fill('.prove input', 'wrong');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.prove .error:not([hidden])');
  await page.fill('.prove input', PASSWORD);
  await page.keyboard.press('Enter');
  await page.locator('.reply .status', { hasText: '201' }).waitFor();

  expect(complaints.filter((line) => !/status of 4\d\d/.test(line))).toEqual([]);
  await context.close();
}, 180_000);

test('a file is sent with the other fields of its form', async () => {
  const { context, page } = await newReader();
  await page.goto(`${docs}/reference/${uploadId}`);
  await signIn(page, 'loan_officer');
  await page.waitForSelector('body[data-examples=own]');
  await page.setInputFiles('[name=file]', {
    name: 'letter.pdf',
    mimeType: 'application/pdf',
    buffer: Buffer.from('%PDF-1.4\n%%EOF\n'),
  });
  await page.click('.try button');
  await page.waitForSelector('.reply:not([hidden])');

  expect(await page.textContent('.reply .status')).toBe('201 Created');
  await context.close();
}, 180_000);

test('pages fit a phone and are printed without navigation', async () => {
  const { context, page, complaints, look } = await newReader(390);
  const names = {
    home: docs,
    guide: `${docs}/guides/first-loan`,
    reference: `${docs}/reference`,
    operation: `${docs}/reference/createLoan`,
    missing: `http://${here}/nowhere`,
    start: `http://${here}/`,
  };
  for (const [name, address] of Object.entries(names)) {
    await page.goto(address);
    await look(name);
  }
  await page.goto(names.guide);
  await page.emulateMedia({ media: 'print' });
  await savePicture(page, 'guide-print', true);
  const hidden = await Promise.all(
    ['.top', '.aside', '.onward'].map((part) => page.isHidden(part)),
  );

  expect(hidden).toEqual([true, true, true]);
  expect(await page.isVisible('article h1')).toBe(true);
  expect(complaints.filter((line) => !/status of 404/.test(line))).toEqual([]);
  await context.close();
}, 180_000);

test('the pages look right on a desktop', async () => {
  const { context, page, complaints, look } = await newReader();
  for (const [name, address] of Object.entries({
    guide: `${docs}/guides/first-loan`,
    reference: `${docs}/reference`,
    loan: `${docs}/reference/createLoan`,
    start: `http://${here}/`,
  })) {
    await page.goto(address);
    await look(name);
  }

  expect(complaints).toEqual([]);
  await context.close();
}, 180_000);

/** Runs a command as a reader would after pasting it. Names of tenants resolve to this machine. */
async function runInShell(command: string, { home, input = '' }: { home: string; input?: string }) {
  await writeFile(path.join(home, '.curlrc'), 'connect-to = "::127.0.0.1:"\n');
  return new Promise<string>((resolve, reject) => {
    const child = execFile(
      'bash',
      ['-c', command],
      { env: { PATH: process.env['PATH'], HOME: home } },
      (error, stdout, stderr) =>
        error ? reject(new Error(`${stdout}${stderr}`, { cause: error })) : resolve(stdout),
    );
    child.stdin?.end(input);
  });
}

async function copied(context: BrowserContext, page: Page, figure: string): Promise<string> {
  await page
    .locator('figure', { has: page.locator(figure) })
    .getByRole('button')
    .click();
  const other = await context.newPage();
  await other.setContent('<textarea autofocus></textarea>');
  await other.locator('textarea').press('Control+V');
  const text = await other.inputValue('textarea');
  await other.close();
  return text;
}

test('copied curl commands work as they are', async () => {
  const home = await mkdtemp(path.join(tmpdir(), 'docs-curl-'));
  const { context, page } = await newReader();
  await page.goto(`${docs}/reference/createBorrower`);
  await signIn(page, 'loan_officer');
  await page.waitForSelector('body[data-examples=own]');
  await page.fill(
    'textarea[name=body]',
    JSON.stringify({ first_name: "Siobhan 'Sio'", last_name: 'O"Neill $HOME' }, null, 2),
  );
  const create = await copied(context, page, '.curl');
  await page.click('.curl-session summary');
  const session = await copied(context, page, '.curl-sign-in');
  await page.goto(`${docs}/reference/listBorrowers`);
  await page.waitForSelector('body[data-examples=own]');
  const list = await copied(context, page, '.curl');

  const signedIn = await runInShell(session, { home, input: `${PASSWORD}\n` });
  const created = await runInShell(create, { home });
  const listed = await runInShell(list, { home });
  const { mode } = await stat(path.join(home, '.loan-servicing-session'));
  await rm(home, { recursive: true });

  expect(signedIn).toContain(`"email":"${email('loan_officer')}"`);
  expect(created).toMatch(/^HTTP\/1.1 201 /);
  expect(created).toContain(`"last_name":"O\\"Neill $HOME"`);
  expect(listed).toMatch(/^HTTP\/1.1 200 /);
  expect((mode & 0o077).toString(8)).toBe('0');
  await context.close();
}, 180_000);
