import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { extractText } from 'unpdf';
import { afterAll, expect, test } from 'vitest';
import { renderDocument } from '../../templates/render-document.ts';
import { openBrowser } from '../../workers/outside/browser.ts';
import * as samples from '../templates/samples.ts';

// Where the demo and the workers of this checkout unpack it, too: once for all runs.
const folder = fileURLToPath(new URL('../../.data/browser', import.meta.url));
const troubles: string[] = [];
const browser = openBrowser({ folder, onTrouble: (trouble) => troubles.push(trouble) });

afterAll(() => browser.close());

async function textOf(bytes: Uint8Array): Promise<string[]> {
  return (await extractText(new Uint8Array(bytes))).text;
}

/** The browser that is our child, as the system sees it. */
function browserPid(): number {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8');
  const pid = children
    .trim()
    .split(' ')
    .map(Number)
    .find((child) => readFileSync(`/proc/${child}/cmdline`, 'utf8').includes(folder));
  if (!pid) throw new Error('The browser does not run.');
  return pid;
}

test('a statement is printed on letter paper with its figures and its pages counted', async () => {
  const html = renderDocument('monthly_statement', 'en', samples.statement);

  const { bytes, pages } = await browser.pdf(html);

  const [first = '', second = ''] = await textOf(bytes);
  expect(pages).toBe(2);
  for (const figure of ['$10,074.52', '-$315.68', '$72.19', '$9,856.03', 'April 15, 2026']) {
    expect(first.replace(/- \$/g, '-$')).toContain(figure);
  }
  expect(first).toContain('María O’Neil');
  expect(first).toContain('Page 1 of 2');
  expect(second).toContain('Page 2 of 2');
  expect(Buffer.from(bytes).includes('/MarkInfo')).toBe(true);
});

test('the typeface is in the document', async () => {
  const { bytes } = await browser.pdf(renderDocument('payoff_letter', 'es', samples.payoff));

  const names =
    Buffer.from(bytes)
      .toString('latin1')
      .match(/\/BaseFont \/\S+/g) ?? [];

  expect(names.length).toBeGreaterThan(0);
  expect(names.every((name) => name.includes('SourceSans3'))).toBe(true);
});

test('a document runs no script and loads nothing', async () => {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.end();
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  const address = server.address();
  const url = `http://127.0.0.1:${address && typeof address === 'object' ? address.port : 0}`;

  const { bytes } = await browser.pdf(`
    <link rel="stylesheet" href="${url}/a"><style>@import url(${url}/b)</style>
    <p>Dear Ann</p><img src="${url}/c"><iframe src="${url}/d"></iframe>
    <iframe src="file:///etc/passwd"></iframe><iframe src="javascript:1"></iframe>
    <script src="${url}/e"></script><script>document.body.textContent = 'changed'</script>`);

  const [text] = await textOf(bytes);
  server.close();
  expect(requests).toBe(0);
  expect(text?.trim()).toBe('Dear Ann');
});

test('too large, too long or too slow is refused, and the next document is printed', async () => {
  const refusals = await Promise.allSettled([
    browser.pdf('x'.repeat(2 * 1024 * 1024 + 1)),
    browser.pdf('<p style="break-after: page">x</p>'.repeat(300)),
    browser.pdf('<div style="height: 99999999px">x</div>', { timeout_ms: 1_000 }),
  ]);
  const next = await browser.pdf('<p>fine</p>');

  expect(refusals).toMatchObject([
    { reason: { message: 'The document is too large to be printed.' } },
    { reason: { message: 'The document has more than 200 pages.' } },
    { reason: { message: 'The document was not printed within 1000 ms.' } },
  ]);
  expect(next.pages).toBe(1);
});

test.runIf(process.platform === 'linux')('a killed browser is replaced', async () => {
  await browser.pdf('<p>one</p>');
  troubles.length = 0;
  process.kill(browserPid(), 'SIGKILL');

  const { pages } = await browser.pdf('<p>two</p>');

  expect(pages).toBe(1);
  expect(troubles.length).toBeLessThanOrEqual(1);
});

test.runIf(process.platform === 'linux')(
  'the browser knows nothing of our environment',
  async () => {
    process.env['SECRET_OF_THE_WORKER'] = 'x';
    await browser.pdf('<p>x</p>');

    const environment = readFileSync(`/proc/${browserPid()}/environ`, 'utf8');

    const names = environment.split('\0').map((line) => line.split('=')[0]);
    expect(names).not.toContain('SECRET_OF_THE_WORKER');
    expect(names).not.toContain('DATABASE_URL');
  },
);

test.runIf(process.platform === 'linux')('a killed worker leaves no browser behind', async () => {
  const script = `
    import { openBrowser } from ${JSON.stringify(new URL('../../workers/outside/browser.ts', import.meta.url).href)};
    await openBrowser({ folder: ${JSON.stringify(folder)} }).pdf('<p>x</p>');
    process.kill(process.pid, 'SIGKILL');`;
  const { pid, signal } = spawnSync(process.execPath, ['--input-type=module', '-e', script]);

  expect(signal).toBe('SIGKILL');
  await expect.poll(() => commandsWith(`profile-${pid}-`), { timeout: 5_000 }).toEqual([]);
});

/** The command lines of running processes that hold the text. */
async function commandsWith(text: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(commands)).filter((command) => command.includes(text));
}
