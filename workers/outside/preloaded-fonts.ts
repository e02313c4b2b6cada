import type { Page } from 'puppeteer';
import { FONT_FAMILY, fontFiles, fontFaces } from '../../templates/letterhead.ts';
import { withScriptFonts } from '../../templates/printable-page.ts';
import type { ScriptFont } from '../../templates/script-fonts.ts';

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
export const preloadFonts = (page: Page) =>
  page.evaluate(`(${HOLD})(${JSON.stringify(FONT_FAMILY)}, ${JSON.stringify(fontFiles())})`);

/** Run in the browser: the fonts that the last document needed make way for those of this one. */
const CHANGE = `async (family, ids, fonts) => {
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

/** For each page the ids of the fonts that it holds beyond the Latin ones. */
const heldBy = new WeakMap<Page, ReadonlySet<string>>();

/**
 * Shows the document without the typeface that the page holds; a document that brings its own fonts keeps
 * and awaits them. The fonts that its other characters need are loaded before. Answers what no font prints.
 */
export async function showWithPreloadedFonts(page: Page, html: string): Promise<readonly string[]> {
  const stripped = html.replace(fontFaces(), '');
  const { html: shown, fonts, unprintable } = withScriptFonts(stripped);
  await holdOnly(page, fonts);
  await page.setContent(shown, { waitUntil: 'load', timeout: 0 });
  if (stripped === html) await page.evaluate('document.fonts.ready.then(() => undefined)');
  return unprintable;
}

async function holdOnly(page: Page, fonts: readonly ScriptFont[]) {
  const before = heldBy.get(page) ?? new Set();
  if (before.size === 0 && fonts.length === 0) return;
  const ids = fonts.map(({ id }) => id);
  const added = fonts.filter(({ id }) => !before.has(id));
  const given = [FONT_FAMILY, ids, added].map((value) => JSON.stringify(value)).join(', ');
  await page.evaluate(`(${CHANGE})(${given})`);
  heldBy.set(page, new Set(ids));
}
