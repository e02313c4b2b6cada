import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { extractText } from 'unpdf';
import { afterAll, expect, test } from 'vitest';
import { DocumentTooSlow } from '../../jobs/files/render-errors.ts';
import { renderDocument } from '../../templates/render-document.ts';
import { isOnePage } from '../../templates/statement-lines.ts';
import { openBrowser } from '../../workers/outside/browser.ts';
import * as samples from '../../templates/samples.ts';

// The demo and the workers of this checkout use the same folder, so the browser is unpacked only once.
const folder = fileURLToPath(new URL('../../.data/browser', import.meta.url));
const troubles: string[] = [];
const browser = openBrowser({ folder, onTrouble: (trouble) => troubles.push(trouble) });

afterAll(() => browser.close());

async function textOf(bytes: Uint8Array): Promise<string[]> {
  return (await extractText(new Uint8Array(bytes))).text;
}

/** The process id of the browser, which is our child. */
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

test('a statement is printed on letter paper with its amounts and page numbers', async () => {
  const html = renderDocument('monthly_statement', 'en', samples.statement);

  const { bytes, pages } = await browser.pdf(html);

  const [first = ''] = await textOf(bytes);
  expect(pages).toBe(1);
  for (const figure of ['$10,074.52', '-$315.68', '$72.19', '$9,856.03', 'April 15, 2026']) {
    expect(first.replace(/- \$/g, '-$')).toContain(figure);
  }
  expect(first).toContain('María O’Neil');
  expect(first).toContain('Page 1 of 1');
  expect(Buffer.from(bytes).includes('/MarkInfo')).toBe(true);
});

test('a statement has its payment slip on the first page, and no more pages than it needs', async () => {
  const { statement } = samples;
  const [row] = statement.activity;
  const calm = { ...statement.due, past_due: '0.00', late_fee: null };
  const long = { name: 'Maximiliana '.repeat(7), address_lines: ['1 Long Boulevard '.repeat(4)] };
  const autopay = { date: '2026-04-15', amount: '315.68' };
  const product_name = 'Préstamo personal con garantía hipotecaria para la vivienda principal';
  const named = { ...statement.loan, product_name };
  const kinds = [
    { rows: 6, due: calm, pages: 1 },
    { rows: 3, due: statement.due, pages: 1 },
    { rows: 3, due: statement.due, loan: named, pages: 1 },
    { rows: 2, due: { ...statement.due, autopay }, recipient: long, pages: 2 },
    { rows: 60, due: statement.due, pages: 3 },
  ];
  for (const { rows, pages, ...kind } of kinds) {
    const activity = Array.from({ length: rows }, () => ({
      ...row,
      date: '',
      description: 'Pago',
    }));
    const told = { ...statement, ...kind, activity } as typeof statement;

    const pdf = await browser.pdf(
      renderDocument('monthly_statement', 'es', { ...told, is_one_page: isOnePage(told) }),
    );

    const texts = await textOf(pdf.bytes);
    expect(texts, `${rows}`).toHaveLength(pages);
    expect(texts[0], `${rows}`).toContain('Cantidad adjunta');
    for (const text of texts.slice(1)) expect(text).toContain('Descripción');
  }
});

test('the typeface is embedded in the document', async () => {
  const { bytes } = await browser.pdf(renderDocument('payoff_letter', 'es', samples.payoff));

  const names =
    Buffer.from(bytes)
      .toString('latin1')
      .match(/\/BaseFont \/\S+/g) ?? [];

  expect(names.length).toBeGreaterThan(0);
  expect(names.every((name) => name.includes('SourceSans3'))).toBe(true);
});

test('a page has the same bytes whatever was printed before it', async () => {
  const { tenant } = samples.statement;
  const html = renderDocument('monthly_statement', 'en', {
    ...samples.statement,
    tenant: { ...tenant, name: 'Żółć Łódź Kredyt' },
  });
  // Another spelling that does not match the embedded typeface.
  const bringing = html.replaceAll('@font-face{', '@font-face {');

  const printed = [];
  for (const page of [html, bringing, '<p>Another page</p>', html])
    printed.push(Buffer.from((await browser.pdf(page, { dated: '2026-04-01' })).bytes));

  expect(bringing).not.toBe(html);
  expect(printed[1]).toEqual(printed[0]);
  expect(printed[3]).toEqual(printed[0]);
});

test('a document runs no script and loads no file', async () => {
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

test('a document that is too large, too long or too slow is refused, and the next one is printed', async () => {
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
  expect(refusals[2]).toMatchObject({ reason: expect.any(DocumentTooSlow) });
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
  'the browser gets nothing of our environment',
  async () => {
    process.env['SECRET_OF_THE_WORKER'] = 'x';
    await browser.pdf('<p>x</p>');

    const environment = readFileSync(`/proc/${browserPid()}/environ`, 'utf8');

    const names = environment.split('\0').map((line) => line.split('=')[0]);
    expect(names).not.toContain('SECRET_OF_THE_WORKER');
    expect(names).not.toContain('DATABASE_URL');
  },
);

test.runIf(process.platform === 'linux')(
  'the browser is never root, and is sandboxed if user namespaces are allowed',
  async () => {
    await browser.pdf('<p>x</p>');
    const pid = browserPid();
    const isRoot = process.getuid?.() === 0;
    const nobody = isRoot ? { uid: 65534, gid: 65534 } : {};
    const isAllowed = spawnSync('/usr/bin/unshare', ['-U', 'true'], nobody).status === 0;

    const arguments_ = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    const user = /^Uid:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];

    expect(arguments_.includes('--no-sandbox')).toBe(!isAllowed);
    expect(user).toBe(String(isRoot ? 65534 : process.getuid?.()));
  },
);

test.runIf(process.platform === 'linux')(
  'without a sandbox, documents are still printed and the log mentions it once',
  async () => {
    await browser.pdf('<p>x</p>');
    const real = readlinkSync(`/proc/${browserPid()}/exe`);
    const place = mkdtempSync(path.join(tmpdir(), 'browser-'));
    const refusing = path.join(place, 'browser');
    const libraries = path.join(path.dirname(real), 'al2023', 'lib');
    chmodSync(place, 0o755);
    writeFileSync(
      refusing,
      `#!/bin/sh\ncase "$*" in *--no-sandbox*) ;; *) exit 1 ;; esac\n` +
        `export LD_LIBRARY_PATH='${libraries}'\nexec '${real}' "$@"\n`,
      { mode: 0o755 },
    );
    const printed: string[] = [];
    const open = () =>
      openBrowser({
        folder,
        executablePath: refusing,
        onTrouble: (trouble) => printed.push(trouble),
      });

    for (const bare of [open(), open()]) {
      const { pages } = await bare.pdf('<p>x</p>');
      await bare.close();
      expect(pages).toBe(1);
    }

    rmSync(place, { recursive: true });
    expect(printed).toEqual([expect.stringContaining('without its sandbox')]);
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

/** Command lines of running processes that contain the text. */
async function commandsWith(text: string): Promise<string[]> {
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  const commands = pids.map((pid) => readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''));
  return (await Promise.all(commands)).filter((command) => command.includes(text));
}
