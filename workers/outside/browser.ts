import { mkdtemp, rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { launch, type Browser, type HTTPRequest, type Page } from 'puppeteer';
import type { Pdf, PdfOptions } from '../../jobs/outside.ts';
import { findChromium } from './chromium.ts';

export type BrowserOptions = {
  /** A folder of our own (below DATA_DIR), where the browser is unpacked and keeps its profile. */
  folder: string;
  /** PUPPETEER_EXECUTABLE_PATH: a browser to use instead. */
  executablePath?: string | undefined;
  /** Told of every start that failed and of every restart. */
  onTrouble?: (message: string) => void;
};

export type PdfBrowser = {
  pdf(html: string, options?: PdfOptions): Promise<Pdf>;
  /** Ends the browser and everything that it started. */
  close(): Promise<void>;
};

const HTML_BYTES_MAX = 2 * 1024 * 1024;
const PAGES_MAX = 200;
const RENDER_TIMEOUT_MS = 20_000;
const START_TIMEOUT_MS = 30_000;
/** Memory stays flat over hundreds; a fresh browser costs a fifth of a second. */
const RENDERS_PER_BROWSER = 1_000;
const BACKOFF_MS = [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

type Running = { browser: Browser; page: Page; profile: string; renders: number };

/**
 * One browser with one page, started at the first PDF and again after a crash.
 *
 * PDFs are made one after the other: two pages on two cores are slower than one. A document runs
 * no script and loads nothing, so that what a tenant wrote reaches neither a network nor a file.
 */
export function openBrowser(options: BrowserOptions): PdfBrowser {
  let running: Running | undefined;
  let failures = 0;
  let turn: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function page(): Promise<Running> {
    if (running?.browser.connected && running.renders < RENDERS_PER_BROWSER) return running;
    await stop();
    await pause(BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)]);
    try {
      running = await start(options);
      return running;
    } catch (error) {
      failures += 1;
      options.onTrouble?.(`The browser did not start: ${messageOf(error)}`);
      throw error;
    }
  }

  async function stop(): Promise<void> {
    const last = running;
    running = undefined;
    if (last) await end(last);
  }

  async function render(html: string, timeoutMs: number): Promise<Pdf> {
    if (isClosed) throw new Error('The browser is closed.');
    const current = await page();
    current.renders += 1;
    try {
      const pdf = await withDeadline(print(current.page, html), timeoutMs);
      failures = 0;
      return pdf;
    } catch (error) {
      // What a document left behind must not meet the next one: only a new browser is trusted.
      failures += 1;
      options.onTrouble?.(`The browser is started anew: ${messageOf(error)}`);
      await stop();
      throw error;
    }
  }

  return {
    pdf(html, { timeout_ms = RENDER_TIMEOUT_MS } = {}) {
      if (Buffer.byteLength(html) > HTML_BYTES_MAX) {
        return Promise.reject(new Error('The document is too large to be printed.'));
      }
      const mine = turn.then(() => render(html, timeout_ms));
      turn = mine.catch(() => undefined);
      return mine;
    },
    async close() {
      isClosed = true;
      await stop();
      await turn;
    },
  };
}

async function start({ folder, executablePath }: BrowserOptions): Promise<Running> {
  const chromium = await findChromium(folder, executablePath);
  const profile = await mkdtemp(join(resolve(folder), 'profile-'));
  // Root has no other way: Chromium refuses to build its sandbox there.
  const sandbox = process.getuid?.() === 0 ? ['--no-sandbox'] : [];
  try {
    const browser = await launch({
      ...chromium,
      // A pipe instead of a port: nobody else can talk to it, and it ends when we do.
      pipe: true,
      headless: 'shell',
      userDataDir: profile,
      timeout: START_TIMEOUT_MS,
      protocolTimeout: START_TIMEOUT_MS,
      // The worker has its own signals, and its exit ends the whole process group.
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
      args: [...FLAGS, ...sandbox],
    });
    return { browser, page: await preparePage(browser), profile, renders: 0 };
  } catch (error) {
    await rm(profile, { recursive: true, force: true });
    throw error;
  }
}

const FLAGS = [
  '--disable-gpu',
  '--disable-webgl',
  '--disable-dev-shm-usage',
  '--font-render-hinting=none',
  '--no-default-browser-check',
  '--no-zygote',
  // Even a request that escaped the page's own guard would find no host.
  '--host-resolver-rules=MAP * ~NOTFOUND',
  '--proxy-server=http://127.0.0.1:9',
];

async function preparePage(browser: Browser): Promise<Page> {
  const page = await browser.newPage();
  await page.setJavaScriptEnabled(false);
  await page.setRequestInterception(true);
  page.on('request', (request) => void refuse(request));
  return page;
}

async function refuse(request: HTTPRequest): Promise<void> {
  const isHere = /^(data:|about:blank$)/i.test(request.url());
  await (isHere ? request.continue() : request.abort('blockedbyclient')).catch(() => undefined);
}

async function print(page: Page, html: string): Promise<Pdf> {
  await page.setContent(html, { waitUntil: 'load', timeout: 0 });
  const bytes = await page.pdf({
    preferCSSPageSize: true,
    printBackground: true,
    tagged: true,
    outline: false,
    timeout: 0,
  });
  const pages = pagesOf(bytes);
  if (pages > PAGES_MAX) throw new Error(`The document has more than ${PAGES_MAX} pages.`);
  return { bytes, pages };
}

/** Chromium writes each page as an object of its own, uncompressed. */
function pagesOf(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return text.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const deadline = new AbortController();
  const late = pause(timeoutMs, undefined, { signal: deadline.signal }).then(() => {
    throw new Error(`The document was not printed within ${timeoutMs} ms.`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    deadline.abort();
    late.catch(() => undefined);
    work.catch(() => undefined);
  }
}

/** Kills the whole process group at once: a browser that hangs does not close when asked. */
async function end({ browser, profile }: Running): Promise<void> {
  const child = browser.process();
  if (child?.pid !== undefined && child.exitCode === null) {
    try {
      process.kill(process.platform === 'win32' ? child.pid : -child.pid, 'SIGKILL');
    } catch {
      child.kill('SIGKILL');
    }
  }
  await Promise.race([browser.close().catch(() => undefined), pause(2_000)]);
  await rm(profile, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
