import { setTimeout as pause } from 'node:timers/promises';
import type { Browser, CDPSession, HTTPRequest, Page } from 'puppeteer';
import { DocumentNotPrintable, DocumentTooSlow } from '../../jobs/files/render-errors.ts';
import type { Pdf, PdfOptions } from '../../jobs/external-systems.ts';
import {
  killBrowser,
  startBrowser,
  type StartedBrowser,
  type BrowserOptions,
} from './browser-process.ts';
import { preloadFonts, showWithPreloadedFonts } from './preloaded-fonts.ts';
import { makePdfDeterministic } from './deterministic-pdf.ts';

export type PdfBrowser = {
  pdf(html: string, options?: PdfOptions): Promise<Pdf>;
  /** Closes the browser and its child processes. */
  close(): Promise<void>;
};

const HTML_BYTES_MAX = 2 * 1024 * 1024;
const PAGES_MAX = 200;
const RENDER_TIMEOUT_MS = 20_000;
/** Limits memory growth. Starting a new browser takes 0.2 seconds. */
const RENDERS_PER_BROWSER = 1_000;
const BACKOFF_MS = [0, 500, 1_000, 2_000, 5_000, 10_000, 30_000] as const;

/** Tagged for screen readers. Paper size and margins come from the document's style sheet. */
const PRINTED = {
  preferCSSPageSize: true,
  printBackground: true,
  generateTaggedPDF: true,
  marginTop: 0,
  marginBottom: 0,
  marginLeft: 0,
  marginRight: 0,
} as const;

type Sheet = { page: Page; session: CDPSession };
type RunningBrowser = StartedBrowser & Sheet & { renders: number };
type PrintOptions = { timeout_ms: number; dated: string | undefined };

/**
 * One browser with one page. It starts with the first PDF and again after a crash.
 *
 * PDFs are printed one at a time, because two pages on two cores are slower than one. Documents run no
 * scripts and load nothing, so a tenant's HTML reaches neither the network nor files.
 */
export function openBrowser(options: BrowserOptions): PdfBrowser {
  let running: RunningBrowser | undefined;
  let failures = 0;
  let turn: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  async function page(): Promise<RunningBrowser> {
    if (running?.browser.connected && running.renders < RENDERS_PER_BROWSER) return running;
    await stop();
    await pause(BACKOFF_MS[Math.min(failures, BACKOFF_MS.length - 1)]);
    try {
      const started = await startBrowser(options);
      running = { ...started, ...(await preparePage(started.browser)), renders: 0 };
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
    if (last) await killBrowser(last);
  }

  async function render(html: string, { timeout_ms, dated }: PrintOptions): Promise<Pdf> {
    if (isClosed) throw new Error('The browser is closed.');
    const current = await page();
    current.renders += 1;
    try {
      const pdf = await withDeadline(printPdf(current, html, dated), timeout_ms);
      failures = 0;
      return pdf;
    } catch (error) {
      if (isClosed || error instanceof DocumentNotPrintable) throw error;
      options.onTrouble?.(`The browser restarts: ${messageOf(error)}`);
      // A document may have left something behind, so the next one gets a new browser.
      await stop();
      // A slow document is not the browser's fault and must not delay other documents.
      if (!(error instanceof DocumentTooSlow)) failures += 1;
      throw error;
    }
  }

  /** Tries again if the browser died before or while it printed the document. */
  async function renderAgain(html: string, asked: PrintOptions): Promise<Pdf> {
    try {
      return await render(html, asked);
    } catch (error) {
      const isFinal = error instanceof DocumentNotPrintable || error instanceof DocumentTooSlow;
      if (isFinal || isClosed) throw error;
      return render(html, asked);
    }
  }

  return {
    pdf(html, { timeout_ms = RENDER_TIMEOUT_MS, dated } = {}) {
      if (Buffer.byteLength(html) > HTML_BYTES_MAX) {
        return Promise.reject(new DocumentNotPrintable('The document is too large to be printed.'));
      }
      const mine = turn.then(() => renderAgain(html, { timeout_ms, dated }));
      turn = mine.catch(() => undefined);
      return mine;
    },
    async close() {
      isClosed = true;
      await stop();
      await turn;
      // Stops a browser that was still starting during the first stop.
      await stop();
    },
  };
}

async function preparePage(browser: Browser): Promise<Sheet> {
  const page = await browser.newPage();
  // The screen image is not needed. A viewport of one pixel's height avoids painting and saves an eighth of
  // the time.
  await page.setViewport({ width: 800, height: 1 });
  await page.setJavaScriptEnabled(false);
  await page.setRequestInterception(true);
  page.on('request', (request) => void blockExternalRequest(request));
  await preloadFonts(page);
  return { page, session: await page.createCDPSession() };
}

async function blockExternalRequest(request: HTTPRequest): Promise<void> {
  const isHere = /^(data:|about:blank$)/i.test(request.url());
  await (isHere ? request.continue() : request.abort('blockedbyclient')).catch(() => undefined);
}

async function printPdf({ page, session }: Sheet, html: string, dated: string | undefined) {
  const unprintable = await showWithPreloadedFonts(page, html);
  // Returns the PDF in one answer. The library's own method reads it piece by piece, which is a tenth
  // slower.
  const { data } = await session.send('Page.printToPDF', PRINTED);
  const bytes = Buffer.from(data, 'base64');
  makePdfDeterministic(bytes, dated);
  const pages = pagesOf(bytes);
  if (pages > PAGES_MAX)
    throw new DocumentNotPrintable(`The document has more than ${PAGES_MAX} pages.`);
  return { bytes, pages, unprintable };
}

/** Chromium writes each page as an uncompressed object. */
function pagesOf(bytes: Uint8Array): number {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  return text.match(/\/Type\s*\/Page\b/g)?.length ?? 0;
}

async function withDeadline<T>(work: Promise<T>, timeoutMs: number): Promise<T> {
  const deadline = new AbortController();
  const late = pause(timeoutMs, undefined, { signal: deadline.signal }).then(() => {
    throw new DocumentTooSlow(`The document was not printed within ${timeoutMs} ms.`);
  });
  try {
    return await Promise.race([work, late]);
  } finally {
    deadline.abort();
    late.catch(() => undefined);
    work.catch(() => undefined);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error);
}
