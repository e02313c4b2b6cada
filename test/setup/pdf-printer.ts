import { fileURLToPath } from 'node:url';
import { extractText, getDocumentProxy } from 'unpdf';
import { afterAll } from 'vitest';
import { openBrowser } from '../../workers/outside/browser.ts';
import { newOutside } from './outside.ts';
import type { Stage } from './world.ts';

export type Language = 'en' | 'es';

/**
 * A printer with the real browser. It records the text of each printed document and any overlapping text.
 */
export function newPdfPrinter({ pool }: Pick<Stage, 'pool'>) {
  const folder = fileURLToPath(new URL('../../.data/browser', import.meta.url));
  const browser = openBrowser({ folder });
  afterAll(() => browser.close());
  const printed: { text: string; upon: string[] }[] = [];
  const outside = newOutside(pool);
  outside.pdf = async (html, options) => {
    const pdf = await browser.pdf(html, options);
    const document = await getDocumentProxy(new Uint8Array(pdf.bytes));
    const { text } = await extractText(document, { mergePages: true });
    printed.push({ text: collapseWhitespace(text), upon: await findOverlappingTexts(document) });
    return pdf;
  };
  return Object.assign(outside, { printed });
}

type Box = { words: string; left: number; right: number; low: number; high: number };

/** Pairs of texts on a page that overlap, measured from the descender of a g to the top of a capital. */
async function findOverlappingTexts(
  document: Awaited<ReturnType<typeof getDocumentProxy>>,
): Promise<string[]> {
  const found: string[] = [];
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number);
    const { items } = await page.getTextContent();
    const boxes = items.flatMap((item): Box[] => {
      if (!('str' in item) || item.str.trim() === '') return [];
      const [, , , , left, low] = item.transform as number[];
      const { width, height } = item;
      if (left === undefined || low === undefined) return [];
      const [foot, top] = [low - 0.2 * height, low + 0.66 * height];
      return [{ words: item.str, left, right: left + width, low: foot, high: top }];
    });
    for (const [at, box] of boxes.entries())
      for (const other of boxes.slice(at + 1))
        if (isOverlapping(box, other)) found.push(`${box.words} | ${other.words}`);
  }
  return found;
}

const isOverlapping = (box: Box, other: Box) =>
  box.left < other.right - 1 &&
  other.left < box.right - 1 &&
  box.low < other.high &&
  other.low < box.high;

export const collapseWhitespace = (text: string) => text.replaceAll(/\s+/g, ' ').trim();

/**
 * How a reader in the United States expects the API's figures to be written. Deliberately shares no code
 * with the filters under test.
 */
export function expectedFormats(language: Language) {
  const locale = `${language}-US`;
  const plain = (text: string) => text.replaceAll(/[\u00a0\u202f]/g, ' ');
  const number = (options: Intl.NumberFormatOptions) => (value: string) =>
    plain(new Intl.NumberFormat(locale, options).format(value as Intl.StringNumericLiteral));
  const day = (options: Intl.DateTimeFormatOptions) => (value: string) =>
    plain(new Intl.DateTimeFormat(locale, { ...options, timeZone: 'UTC' }).format(new Date(value)));
  return {
    words: (english: string, spanish: string) => (language === 'es' ? spanish : english),
    money: number({ style: 'currency', currency: 'USD' }),
    rate: number({ style: 'percent', minimumFractionDigits: 2, maximumFractionDigits: 6 }),
    day: day({ dateStyle: 'long' }),
    shortDay: day({ year: 'numeric', month: '2-digit', day: '2-digit' }),
  };
}

/** Artifacts of programming that no reader of a letter should see, in any language. */
const PROGRAMMING_ARTIFACTS =
  /undefined|\bnull\b|NaN|\[object|\{\{|\}\}|\(\s*\)|\b[a-z]+_[a-z_]+\b|Invalid Date|\$-|,\s*,|\s[.,;](?:\s|$)/;

/** English words that reveal an untranslated passage in a Spanish letter. */
const ENGLISH_WORDS =
  /\b(?:the|your|you|we|our|is|are|was|will|with|payment|payments|balance|due|amount|interest|fees?|principal|please|dear|sincerely|loan|date|past|monthly|beginning|page)\b/i;

/**
 * Words that should not be in the text. `english` lists the English that a Spanish text contains on
 * purpose.
 */
export function findUnexpectedWords(
  text: string,
  language: Language,
  english: readonly RegExp[] = [],
): string[] {
  const found = [PROGRAMMING_ARTIFACTS.exec(text)];
  if (language === 'es')
    found.push(ENGLISH_WORDS.exec(english.reduce((rest, meant) => rest.replace(meant, ''), text)));
  return found.flatMap((match) =>
    match ? [text.slice(Math.max(0, match.index - 40), match.index + 40)] : [],
  );
}
