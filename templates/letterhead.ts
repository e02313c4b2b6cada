import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const INK = '#14365c';
export const FONT_FAMILY = 'Source Sans 3';
const LOGO_CHARACTERS_MAX = 700_000;
const WEIGHTS = [400, 600, 700] as const;
const SUBSETS = {
  latin:
    'U+0000-00FF,U+0131,U+0152-0153,U+02BB-02BC,U+02C6,U+02DA,U+02DC,U+2000-206F,U+20AC,' +
    'U+2122,U+2191,U+2193,U+2212,U+2215,U+FEFF,U+FFFD',
  'latin-ext':
    'U+0100-02BA,U+02BD-02C5,U+02C7-02CC,U+02CE-02D7,U+02DD-02FF,U+0304,U+0308,U+0329,' +
    'U+1D00-1DBF,U+1E00-1E9F,U+1EF2-1EFF,U+2020,U+20A0-20AB,U+20AD-20C0,U+2113,U+2C60-2C7F,' +
    'U+A720-A7FF',
} as const;

/** One font file: the characters that it contains, in one weight. */
export type FontFile = { weight: number; range: string; woff2: string };

let fontFilesCache: FontFile[] | undefined;
let fontFacesCache: string | undefined;

/** The font files in base64. Use this to load the typeface once for many pages. */
export const fontFiles = (): readonly FontFile[] =>
  (fontFilesCache ??= Object.entries(SUBSETS).flatMap(([subset, range]) =>
    WEIGHTS.map((weight) => ({ weight, range, woff2: fileOf(subset, weight) })),
  ));

/** The typeface as CSS with embedded font files, so that a letter looks the same on every machine. */
export const fontFaces = (): string =>
  (fontFacesCache ??= fontFiles()
    .map(
      ({ weight, range, woff2 }) =>
        `@font-face{font-family:"${FONT_FAMILY}";font-weight:${weight};unicode-range:${range};` +
        `src:url(data:font/woff2;base64,${woff2}) format("woff2")}`,
    )
    .join(''));

function fileOf(subset: string, weight: number): string {
  const file = `source-sans-3-${subset}-${weight}-normal.woff2`;
  const path = fileURLToPath(import.meta.resolve(`@fontsource/source-sans-3/files/${file}`));
  return readFileSync(path).toString('base64');
}

/** Returns the tenant's color if it is dark enough to read on paper, and otherwise our default. */
export function inkColor(color: string | null | undefined): string {
  const match = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(color ?? '');
  if (!match) return INK;
  const [red = 0, green = 0, blue = 0] = match.slice(1).map((hex) => Number.parseInt(hex, 16));
  const luminance = 0.299 * red + 0.587 * green + 0.114 * blue;
  return luminance < 140 ? match[0] : INK;
}

/**
 * Returns the logo only if it is embedded in the URI. The browser that prints letters loads no other
 * images.
 */
export function embeddedLogo(url: string | null | undefined): string | undefined {
  const isHere = /^data:image\/(png|jpeg|gif|svg\+xml);base64,[A-Za-z0-9+/=]+$/.test(url ?? '');
  return isHere && url && url.length <= LOGO_CHARACTERS_MAX ? url : undefined;
}

/** A page that contains only a picture, at the size of the letterhead. */
export const imagePage = (uri: string): string =>
  `<!doctype html><title>Logo</title><img style="max-height: 0.7in; max-width: 3in" src="${uri}" alt="">`;

/** Quotes text as a CSS string. The text cannot end the string or the style sheet. */
export function cssText(text: string): string {
  const escaped = Array.from(text.replace(/\p{Cc}/gu, ''), (character) =>
    /[A-Za-z0-9 ]|[^\u0020-\u007e]/u.test(character)
      ? character
      : `\\${character.codePointAt(0)?.toString(16)} `,
  );
  return `"${escaped.join('')}"`;
}
