import { mkdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import checker from 'axe-core';
import { chromium, type Browser, type Page } from 'playwright-core';
import { phrase, type Language } from '../../templates/portal/words.ts';
import { findChromium } from '../../workers/outside/chromium.ts';

export type Visitor = { language: Language; width: number; has_script: boolean };

/** A browser that resolves every name to this machine and can reach nothing else. */
export async function openBrowser(): Promise<Browser> {
  const { env, ...chosen } = await findChromium(path.join(tmpdir(), 'servicing-test-browser'));
  return chromium.launch({
    ...chosen,
    env,
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP * 127.0.0.1'],
  });
}

const pictures = process.env['PICTURES'];

/**
 * One page of each kind, checked for accessibility in every run. With PICTURES set, all pages are checked.
 */
const KINDS = ['sign-in-refused', 'home', 'pay-refused', 'documents-sent', 'thread', 'profile'];

/** A browser user on a phone or a desktop, in one language, with or without JavaScript. */
export async function newVisitor(browser: Browser, here: string, visitor: Visitor) {
  const { language, width, has_script } = visitor;
  const context = await browser.newContext({
    viewport: {
      width,
      height: 900,
    },
    locale: language === 'en' ? 'en-US' : 'es-US',
    javaScriptEnabled: has_script,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(30_000);
  const complaints: string[] = [];
  page.on('console', (line) => {
    if (line.type() === 'error') complaints.push(`${page.url()}: ${line.text()}`);
  });
  const t = (key: string, values: Record<string, unknown> = {}) => phrase(language, key, values);
  const looks = new Set<string>();

  /**
   * Checks a page's width and accessibility when it is first visited, and saves a picture if PICTURES is
   * set.
   */
  async function look(name: string) {
    if (looks.has(name)) return;
    looks.add(name);
    if (pictures) {
      await mkdir(pictures, { recursive: true });
      const file = `${name}-${language}-${width}${has_script ? '' : '-bare'}.png`;
      await page.screenshot({ path: path.join(pictures, file), fullPage: true });
    }
    const size = await sizeOf(page);
    if (size.wide > size.seen) complaints.push(`${name} is wider than the screen: ${size.wide}`);
    const isLookedAt = pictures !== undefined || KINDS.includes(name);
    if (has_script && isLookedAt)
      complaints.push(...(await findAccessibilityViolations(page, name)));
  }

  return {
    page,
    complaints,
    t,
    look,
    context,
    open: async (address: string, name: string) => {
      await page.goto(`http://${here}/portal${address}`);
      await look(name);
    },
    send: async (fields: Record<string, string>, button: string, name: string) => {
      for (const [field, value] of Object.entries(fields)) await fillField(page, field, value);
      await page
        .getByRole('button', {
          name: button,
          exact: true,
        })
        .first()
        .click();
      await page.waitForLoadState();
      await look(name);
    },
    title: () => page.textContent('h1'),
    notice: async () => ((await page.textContent('.notice').catch(() => '')) ?? '').trim(),
  };
}

async function fillField(page: Page, field: string, value: string) {
  const found = page.locator(`main [name="${field}"]:not([type="hidden"])`).first();
  const kind = await found.evaluate((element) => element.tagName);
  if (kind === 'SELECT') await found.selectOption(value);
  else await found.fill(value);
}

const sizeOf = (page: Page) =>
  page.evaluate<{ wide: number; seen: number }>(
    '({ wide: document.documentElement.scrollWidth, seen: document.documentElement.clientWidth })',
  );

type AxeResult = { violations: { id: string; impact: string; nodes: { html: string }[] }[] };

/** All serious and critical accessibility violations that axe finds. */
export async function findAccessibilityViolations(page: Page, name: string) {
  await page.evaluate(checker.source);
  const { violations } = await page.evaluate<AxeResult>('axe.run()');
  return violations
    .filter(({ impact }) => ['serious', 'critical', 'moderate'].includes(impact))
    .map(({ id, nodes }) => `${name}: ${id} ${nodes[0]?.html}`);
}
