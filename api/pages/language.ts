import type { Context } from 'koa';
import { matchLanguage, type Language } from '../../templates/portal/words.ts';

const NAME = 'portal_language';
const COOKIE_AGE_MS = 365 * 86_400_000;

/** The language chosen in this browser, or the first supported language that the browser requests. */
export function languageOf(ctx: Context): Language {
  const { language } = ctx.state as { language?: Language };
  return (
    language ?? matchLanguage(chosenLanguages(ctx)) ?? matchLanguage(ctx.acceptsLanguages()) ?? 'en'
  );
}

const chosenLanguages = (ctx: Context) => [ctx.cookies.get(NAME, { signed: false }) ?? ''];

/** Whether no language has been chosen in this browser. */
export const isLanguageUnset = (ctx: Context) => matchLanguage(chosenLanguages(ctx)) === null;

/** Stores the language in the browser beyond the session. Ignores unsupported languages. */
export function rememberLanguage(ctx: Context, language: string) {
  const matched = matchLanguage([language]);
  if (matched === null) return;
  ctx.state.language = matched;
  ctx.cookies.set(NAME, matched, {
    httpOnly: true,
    maxAge: COOKIE_AGE_MS,
    overwrite: true,
    path: '/',
    sameSite: 'lax',
    signed: false,
  });
}
