import { decodeHTML } from 'entities';
import { scriptFontsFor, isLatin, type ScriptFont } from './script-fonts.ts';

export type PrintablePage = {
  html: string;
  fonts: readonly ScriptFont[];
  /** The characters without a font, by name: "emoji", "Cherokee", "U+2603". */
  unprintable: readonly string[];
};

/** Replaces characters without a font. Source Sans 3 has no replacement character (U+FFFD). */
const REPLACEMENT = '?';
/** A character outside ASCII, or a character reference such as `&#20013;`. */
const NON_ASCII_CHARACTER = /&(?:#\d+|#x[0-9a-f]+|[a-z][a-z0-9]*);?|[^\u0000-\u007f]/giu; // eslint-disable-line no-control-regex
const INVISIBLE_CHARACTER = /^[\p{Default_Ignorable_Code_Point}\p{White_Space}\p{Cc}]$/u;
/**
 * Decomposed letters (Latin, Hangul, kana), which some systems use in names. The fonts only have composed
 * letters.
 */
const DECOMPOSED_LETTERS =
  /[A-Za-z\u00c0-\u024f][\u0300-\u036f]+|[\u1100-\u11ff]+|[\u3040-\u30ff][\u3099\u309a]/g;
/** Scripts in current use for which no font is installed, by their Unicode names. */
const SCRIPTS_WITHOUT_FONT = [
  ['Adlam', /\p{Script=Adlam}/u],
  ['Canadian Aboriginal', /\p{Script=Canadian_Aboriginal}/u],
  ['Cham', /\p{Script=Cham}/u],
  ['Cherokee', /\p{Script=Cherokee}/u],
  ['Javanese', /\p{Script=Javanese}/u],
  ['Mongolian', /\p{Script=Mongolian}/u],
  ['Nko', /\p{Script=Nko}/u],
  ['Oriya', /\p{Script=Oriya}/u],
  ['Syriac', /\p{Script=Syriac}/u],
  ['Thaana', /\p{Script=Thaana}/u],
  ['Tibetan', /\p{Script=Tibetan}/u],
  ['Tifinagh', /\p{Script=Tifinagh}/u],
  ['Yi', /\p{Script=Yi}/u],
] as const;

/**
 * Returns the page and the fonts that it needs beyond Latin. A character without a font becomes a question
 * mark, because otherwise a font of the machine would print it.
 */
export function withScriptFonts(html: string): PrintablePage {
  const whole = html.replace(DECOMPOSED_LETTERS, (parts) => parts.normalize('NFC'));
  const codes = new Set<number>();
  for (const [match] of whole.matchAll(NON_ASCII_CHARACTER)) {
    for (const character of charactersOf(match)) {
      const code = character.codePointAt(0) ?? 0;
      if (!INVISIBLE_CHARACTER.test(character) && !isLatin(code)) codes.add(code);
    }
  }
  if (codes.size === 0) return { html, fonts: [], unprintable: [] };
  const { fonts, missing } = scriptFontsFor(codes);
  if (missing.size === 0) return { html: whole, fonts, unprintable: [] };
  const isMissing = (character: string) => missing.has(character.codePointAt(0) ?? 0);
  const replaced = whole
    .replace(NON_ASCII_CHARACTER, (match) =>
      charactersOf(match).some(isMissing) ? '\ufffd' : match,
    )
    .replace(/\ufffd(?:\ufffd|\u200d|\ufe0f|\p{Emoji_Modifier})*/gu, REPLACEMENT);
  return { html: replaced, fonts, unprintable: namesOf(missing) };
}

const charactersOf = (match: string) =>
  Array.from(match.startsWith('&') ? decodeHTML(match) : match);

function namesOf(codes: ReadonlySet<number>): string[] {
  const names = Array.from(codes, (code) => {
    const character = String.fromCodePoint(code);
    if (/[\p{Emoji_Presentation}\p{Emoji_Modifier}\p{Regional_Indicator}]/u.test(character))
      return 'emoji';
    const script = SCRIPTS_WITHOUT_FONT.find(([, pattern]) => pattern.test(character));
    return script?.[0] ?? `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
  });
  return [...new Set(names)].sort();
}
