import type { Page } from 'puppeteer';
import { FAMILY, faces, fontFaces } from '../../templates/letterhead.ts';

/** Run in the browser, and so in its own words. */
const HOLD = `async (family, faces) => {
  for (const { weight, range, woff2 } of faces) {
    const bytes = Uint8Array.from(atob(woff2), (letter) => letter.charCodeAt(0));
    const face = new FontFace(family, bytes, { weight: String(weight), unicodeRange: range });
    document.fonts.add(await face.load());
  }
}`;

/**
 * Gives the page our typeface for all documents that it will show: reading it anew takes the browser nearly
 * half of the time of a page. Fonts that are given in this way outlive what the page shows, and what is
 * printed is the same to the byte.
 */
export const holdFonts = (page: Page) =>
  page.evaluate(`(${HOLD})(${JSON.stringify(FAMILY)}, ${JSON.stringify(faces())})`);

/** The document without the typeface that the page holds; one that brings others keeps and awaits them. */
export async function showHolding(page: Page, html: string) {
  const shown = html.replace(fontFaces(), '');
  await page.setContent(shown, { waitUntil: 'load', timeout: 0 });
  if (shown === html) await page.evaluate('document.fonts.ready.then(() => undefined)');
}
