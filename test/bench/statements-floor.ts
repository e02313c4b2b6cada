import { mkdirSync } from 'node:fs';
import path from 'node:path';
import puppeteer from 'puppeteer';
import { findChromium } from '../../workers/outside/chromium.ts';

/** The plainest way to print: one page of one browser, page.pdf() with its defaults, in a loop. */
export async function openFloor(folder: string) {
  const home = path.join(folder, 'browser');
  mkdirSync(home, { recursive: true });
  const { env, executablePath } = await findChromium(home);
  const browser = await puppeteer.launch({
    env,
    headless: 'shell',
    pipe: true,
    ...(executablePath && { executablePath }),
    args: process.getuid?.() === 0 ? ['--no-sandbox'] : [],
  });
  const page = await browser.newPage();
  const print = async (html: string) => {
    await page.setContent(html);
    await page.pdf();
  };
  return {
    /** Pages per second, once the browser is warm. */
    rate: async (pages: readonly string[]): Promise<number> => {
      for (const html of pages.slice(0, 10)) await print(html);
      const started = performance.now();
      for (const html of pages) await print(html);
      return (pages.length / (performance.now() - started)) * 1000;
    },
    close: () => browser.close(),
  };
}
