import { accounts } from './words/accounts.ts';
import { factors } from './words/factors.ts';
import { common } from './words/common.ts';
import { letters } from './words/letters.ts';
import { loans } from './words/loans.ts';
import { refusals } from './words/refusals.ts';
import { relief } from './words/relief.ts';
import { signingIn } from './words/signing-in.ts';

export const LANGUAGES = ['en', 'es'] as const;
export type Language = (typeof LANGUAGES)[number];

const texts: ReadonlyMap<string, readonly string[]> = new Map(
  Object.entries<readonly string[]>({
    ...common,
    ...signingIn,
    ...factors,
    ...loans,
    ...accounts,
    ...letters,
    ...relief,
    ...refusals,
  }),
);

/** Returns the first requested language that the portal supports. */
export function matchLanguage(wanted: readonly string[]): Language | null {
  const languageCodes = wanted.map((tag) => tag.slice(0, 2).toLowerCase());
  return LANGUAGES.find((language) => language === languageCodes.find(isSupportedLanguage)) ?? null;
}

const isSupportedLanguage = (tag: string) => LANGUAGES.some((language) => language === tag);

export const hasPhrase = (key: string) => texts.has(key);

/** Returns the text of a key with {values} inserted. Throws if the key has no text. */
export function phrase(
  language: Language,
  key: string,
  values: Record<string, unknown> = {},
): string {
  const text = texts.get(key)?.[LANGUAGES.indexOf(language)];
  if (text === undefined) throw new Error(`The portal has no words for ${key}.`);
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''));
}
