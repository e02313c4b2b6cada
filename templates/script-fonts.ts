import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { coveredCharacters } from './font-coverage.ts';

/** A font file for non-Latin characters. `id` is its path. A variable font has several weights. */
export type ScriptFont = { id: string; weights: readonly string[]; range: string; woff2: string };

type Subset = {
  /** The characters as a CSS range, without those of the typeface that every document has. */
  range: () => string;
  ranges: readonly (readonly [number, number])[];
  files: readonly { path: string; weights: readonly string[] }[];
};
type Chinese = 'sc' | 'jp' | 'kr';

/** The weights of Source Sans 3. The browser combines only files of the same weight into one typeface. */
const WEIGHTS = ['400', '600', '700'];
const LATIN = ['latin', 'latin-ext'];
/** Subsets of Source Sans 3 that only some documents need. */
const EUROPEAN = ['vietnamese', 'cyrillic', 'cyrillic-ext', 'greek', 'greek-ext'];
/** Noto Sans packages. Each has one subset of the same name. */
const SCRIPTS = [
  'arabic',
  'armenian',
  'bengali',
  'devanagari',
  'ethiopic',
  'georgian',
  'gujarati',
  'gurmukhi',
  'hebrew',
  'kannada',
  'khmer',
  'lao',
  'malayalam',
  'myanmar',
  'sinhala',
  'tamil',
  'telugu',
  'thai',
];

/** Joiners shape the letters around them, so they belong to every script whose range contains them. */
const JOINERS = new Set([0x200c, 0x200d]);

const subsetCache = new Map<string, readonly Subset[]>();
const coverage = new Map<string, Set<number>>();

/** Says whether the typeface of every document prints the character. */
export const isLatin = (code: number) =>
  code < 0x7f || sourceSans(LATIN).some((subset) => hasGlyph(subset, code));

/**
 * Returns the font files that print the characters, and the characters that no font prints. Chinese
 * characters are printed in their Japanese form if the text contains kana, in their Korean form if it
 * contains Hangul, and otherwise in the form of mainland China.
 */
export function scriptFontsFor(characters: ReadonlySet<number>): {
  fonts: ScriptFont[];
  missing: Set<number>;
} {
  const needed = new Set<Subset>();
  const missing = new Set<number>();
  const text = String.fromCodePoint(...characters);
  for (const code of characters) {
    const subset = subsetFor(code, text);
    if (subset) needed.add(subset);
    else missing.add(code);
  }
  const fonts = Array.from(needed, ({ range, files }) =>
    files.map(({ path, weights }) => ({ id: path, weights, range: range(), woff2: base64(path) })),
  );
  return { fonts: fonts.flat(), missing };
}

function subsetFor(code: number, text: string): Subset | undefined {
  const find = (subsets: readonly Subset[]) => subsets.find((subset) => hasGlyph(subset, code));
  let found = find(sourceSans(EUROPEAN));
  for (const script of SCRIPTS) found ??= find(notoSans(script));
  for (const form of chineseForms(text)) found ??= find(notoSans(form));
  return found;
}

function chineseForms(text: string): Chinese[] {
  if (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(text)) return ['jp', 'sc', 'kr'];
  if (/\p{Script=Hangul}/u.test(text)) return ['kr', 'sc', 'jp'];
  return ['sc', 'jp', 'kr'];
}

function sourceSans(names: readonly string[]): readonly Subset[] {
  const folder = '@fontsource/source-sans-3';
  return cachedSubsets(names.join(' '), () => {
    const ranges = rangesOf(folder);
    return names.map((name) =>
      subset(
        ranges[name] ?? '',
        WEIGHTS.map((weight) => ({
          path: `${folder}/files/source-sans-3-${name}-${weight}-normal.woff2`,
          weights: [weight],
        })),
      ),
    );
  });
}

/** The subsets of a script. Chinese, Japanese and Korean have about a hundred each, named by numbers. */
function notoSans(script: string): readonly Subset[] {
  const folder = `@fontsource-variable/noto-sans-${script}`;
  return cachedSubsets(script, () =>
    Object.entries(rangesOf(folder)).flatMap(([name, range]) => {
      const isOwn = name === script || name.startsWith('[');
      const file = `noto-sans-${script}-${name.replace(/[[\]]/g, '')}-wght-normal.woff2`;
      return isOwn ? [subset(range, [{ path: `${folder}/files/${file}`, weights: WEIGHTS }])] : [];
    }),
  );
}

function cachedSubsets(key: string, read: () => readonly Subset[]): readonly Subset[] {
  const before = subsetCache.get(key);
  if (before) return before;
  const subsets = read();
  subsetCache.set(key, subsets);
  return subsets;
}

function subset(range: string, files: Subset['files']): Subset {
  const ranges = range.split(',').map((part) => {
    const [start = '', end = start] = part.trim().slice(2).split('-');
    return [Number.parseInt(start, 16), Number.parseInt(end, 16)] as const;
  });
  let own: string | undefined;
  return { range: () => (own ??= rangeOf({ ranges, files })), ranges, files };
}

function rangeOf({ ranges, files }: Omit<Subset, 'range'>): string {
  const covered = files.map(({ path }) => charactersIn(path));
  const codes = ranges.flatMap(([start, end]) =>
    Array.from({ length: end - start + 1 }, (_, index) => start + index).filter(
      (code) => JOINERS.has(code) || (covered.every((one) => one.has(code)) && !isLatin(code)),
    ),
  );
  return codes.map((code) => `U+${code.toString(16)}`).join(',');
}

/** The published range tells which file to open. Only the file's character map tells what it prints. */
function hasGlyph({ ranges, files }: Subset, code: number): boolean {
  const isInRange = ranges.some(([start, end]) => code >= start && code <= end);
  return isInRange && files.every(({ path }) => charactersIn(path).has(code));
}

function charactersIn(path: string): Set<number> {
  const before = coverage.get(path);
  if (before) return before;
  const characters = coveredCharacters(readFileSync(locateFont(path)));
  coverage.set(path, characters);
  return characters;
}

const base64 = (path: string) => readFileSync(locateFont(path)).toString('base64');
const locateFont = (path: string) => fileURLToPath(import.meta.resolve(path));
const rangesOf = (folder: string): Record<string, string> =>
  JSON.parse(readFileSync(locateFont(`${folder}/unicode.json`), 'utf8'));
