import { fileURLToPath } from 'node:url';
import { extractText } from 'unpdf';
import { afterAll, expect, test } from 'vitest';
import { withScriptFonts } from '../../templates/printable-page.ts';
import { renderDocument } from '../../templates/render-document.ts';
import * as samples from '../../templates/samples.ts';
import { openBrowser } from '../../workers/outside/browser.ts';
import { plainLetter } from '../templates/samples.ts';

const folder = fileURLToPath(new URL('../../.data/browser', import.meta.url));
const browser = openBrowser({ folder });

afterAll(() => browser.close());

const NAMES = {
  Vietnamese: 'Nguyễn Thị Ngọc Ánh',
  Cyrillic: 'Фёдор Щербаков',
  Greek: 'Γεώργιος Παπαδόπουλος',
  Chinese: '王小明 臺灣銀行',
  Japanese: '山田太郎 さくら カナ',
  Korean: '김민준',
  Devanagari: 'शर्मा क्षत्रिय',
  Bengali: 'শ্রী রায়',
  Gujarati: 'શ્રી પટેલ',
  Gurmukhi: 'ਸਿੰਘ',
  Tamil: 'குமார்',
  Telugu: 'శ్రీ రెడ్డి',
  Kannada: 'ಶ್ರೀ',
  Malayalam: 'ശ്രീ',
  Sinhala: 'ශ්‍රී',
  Thai: 'สมชาย',
  Lao: 'ສະບາຍດີ',
  Khmer: 'សួស្តី',
  Myanmar: 'ကျော်',
  Ethiopic: 'አበበ',
  Armenian: 'Արամ',
  Georgian: 'გიორგი',
  Arabic: 'محمد',
  Hebrew: 'דוד',
};

const letter = (body_html: string) => renderDocument('letter', 'en', { ...plainLetter, body_html });

/** The fonts of a PDF. A font with variable weights is embedded as drawings (Type 3) without a name. */
function fontsOf(bytes: Uint8Array) {
  const text = Buffer.from(bytes).toString('latin1');
  const names = Array.from(text.matchAll(/\/BaseFont \/\S*?([^+\s/]+)$/gm), ([, name]) => name);
  return { names, drawn: text.match(/\/Subtype \/Type3/g)?.length ?? 0 };
}

test('a letter prints every supported script with embedded fonts only', async () => {
  const paragraphs = Object.values(NAMES).map((name) => `<p>${name} <b>${name}</b></p>`);

  const { bytes, unprintable } = await browser.pdf(letter(paragraphs.join('')));

  const { names, drawn } = fontsOf(bytes);
  const { text } = await extractText(new Uint8Array(bytes), { mergePages: true });
  expect(unprintable).toEqual([]);
  expect(names.filter((name) => !name?.startsWith('SourceSans3'))).toEqual([]);
  expect(drawn).toBeGreaterThan(20);
  for (const name of [NAMES.Vietnamese, NAMES.Cyrillic, NAMES.Greek, '王小明', '김민준', 'さくら'])
    expect(text).toContain(name);
});

test('an ordinary letter embeds no other fonts and does not change after a letter with other scripts', async () => {
  const html = renderDocument('payoff_letter', 'en', samples.payoff);
  const printed = [];
  for (const page of [html, letter(`<p>${NAMES.Chinese}</p>`), html])
    printed.push(Buffer.from((await browser.pdf(page, { dated: '2026-04-01' })).bytes));

  expect(withScriptFonts(letter('<p>María &amp; O’Neil — $5</p>')).fonts).toEqual([]);
  expect(printed[0]).toEqual(printed[2]);
  expect(printed[0]?.includes('/Type3')).toBe(false);
});

test('a character without a font is printed as a question mark, and the document names it', async () => {
  const html = letter('<p>Pay &#x1F600; 👩‍👩‍👧 now, ᏣᎳᎩ, &Zcy;&#x4E2D;</p>');

  const { bytes, unprintable } = await browser.pdf(html);

  const { text } = await extractText(new Uint8Array(bytes), { mergePages: true });
  expect(unprintable).toEqual(['Cherokee', 'emoji']);
  expect(fontsOf(bytes).names.filter((name) => !name?.startsWith('SourceSans3'))).toEqual([]);
  expect(text).toContain('Pay ? ? now, ?, З中');
});

test('decomposed letters are printed whole', () => {
  const whole = 'Ngọc 김민준 ガ';

  const { html, unprintable } = withScriptFonts(`<p>${whole.normalize('NFD')}</p>`);

  expect(html).toBe(`<p>${whole}</p>`);
  expect(unprintable).toEqual([]);
});

test('Chinese characters use the form of the adjacent language', () => {
  const packageOf = (text: string) =>
    withScriptFonts(text).fonts[0]?.id.match(/noto-sans-(\w+)/)?.[1];

  expect(['直', '直 さくら', '직 直'].map(packageOf)).toEqual(['sc', 'jp', 'kr']);
});

test('a right-to-left name keeps the order of the surrounding words', () => {
  const html = renderDocument('payoff_letter', 'en', {
    ...samples.payoff,
    recipient: { name: NAMES.Arabic, address_lines: [`${NAMES.Hebrew} 12`] },
  });

  expect(html).toContain(`\u2068${NAMES.Arabic}\u2069`);
  expect(html).toContain(`\u2068${NAMES.Hebrew} 12\u2069`);
  expect(html).not.toContain('\u2068Harbor');
});
