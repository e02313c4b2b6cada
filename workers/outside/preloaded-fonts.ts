import type { Page } from 'puppeteer';
import { FONT_FAMILY, fontFiles, fontFaces } from '../../templates/letterhead.ts';
import { withScriptFonts } from '../../templates/printable-page.ts';
import type { ScriptFont } from '../../templates/script-fonts.ts';

/** The browser runs this, so it is text. */
const LOAD_FONTS = `async (family, faces) => {
  for (const { weight, range, woff2 } of faces) {
    const bytes = Uint8Array.from(atob(woff2), (letter) => letter.charCodeAt(0));
    const face = new FontFace(family, bytes, { weight: String(weight), unicodeRange: range });
    document.fonts.add(await face.load());
  }
}`;

/**
 * Loads our typeface into the page once for all documents. Loading it for each document takes nearly half
 * of a page's time. Fonts loaded this way survive a change of the page's content, and the PDF is identical
 * to the byte.
 */
export const preloadFonts = (page: Page) =>
  page.evaluate(`(${LOAD_FONTS})(${JSON.stringify(FONT_FAMILY)}, ${JSON.stringify(fontFiles())})`);

/** The browser runs this: it replaces the fonts of the previous document by those of the next one. */
const SWAP_FONTS = `async (family, ids, fonts) => {
  const held = (globalThis.scriptFonts ??= new Map());
  for (const [id, faces] of held) {
    if (ids.includes(id)) continue;
    for (const face of faces) document.fonts.delete(face);
    held.delete(id);
  }
  for (const { id, weights, range, woff2 } of fonts) {
    const bytes = Uint8Array.from(atob(woff2), (letter) => letter.charCodeAt(0));
    const faces = weights.map((weight) => new FontFace(family, bytes, { weight, unicodeRange: range }));
    for (const face of faces) document.fonts.add(await face.load());
    held.set(id, faces);
  }
}`;

/** The ids of each page's additional fonts for non-Latin characters. */
const loadedFonts = new WeakMap<Page, ReadonlySet<string>>();

/**
 * Shows the document without its embedded copy of our typeface, which the page already has. Other embedded
 * fonts stay. Loads the fonts for non-Latin characters first. Returns the characters that no font prints.
 */
export async function showWithPreloadedFonts(page: Page, html: string): Promise<readonly string[]> {
  const stripped = html.replace(fontFaces(), '');
  const { html: shown, fonts, unprintable } = withScriptFonts(stripped);
  await loadOnly(page, fonts);
  await page.setContent(shown, { waitUntil: 'load', timeout: 0 });
  if (stripped === html) await page.evaluate('document.fonts.ready.then(() => undefined)');
  return unprintable;
}

async function loadOnly(page: Page, fonts: readonly ScriptFont[]) {
  const before = loadedFonts.get(page) ?? new Set();
  if (before.size === 0 && fonts.length === 0) return;
  const ids = fonts.map(({ id }) => id);
  const added = fonts.filter(({ id }) => !before.has(id));
  const given = [FONT_FAMILY, ids, added].map((value) => JSON.stringify(value)).join(', ');
  await page.evaluate(`(${SWAP_FONTS})(${given})`);
  loadedFonts.set(page, new Set(ids));
}
