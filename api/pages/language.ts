import type { Context } from 'koa';
import { matchLanguage, type Language } from '../../templates/portal/words.ts';

const NAME = 'portal_language';
const A_YEAR_MS = 365 * 86_400_000;

/** The language that this browser was told of, or else the first of those that it asks for that we speak. */
export function languageOf(ctx: Context): Language {
  const { language } = ctx.state as { language?: Language };
  return language ?? matchLanguage(chosen(ctx)) ?? matchLanguage(ctx.acceptsLanguages()) ?? 'en';
}

const chosen = (ctx: Context) => [ctx.cookies.get(NAME, { signed: false }) ?? ''];

/** Whether nobody has said yet which language this browser is to be shown. */
export const isLanguageUnset = (ctx: Context) => matchLanguage(chosen(ctx)) === null;

/** Has the browser keep the language, beyond the session. What we do not speak is left out. */
export function rememberLanguage(ctx: Context, language: string) {
  const spoken = matchLanguage([language]);
  if (spoken === null) return;
  ctx.state.language = spoken;
  ctx.cookies.set(NAME, spoken, {
    httpOnly: true,
    maxAge: A_YEAR_MS,
    overwrite: true,
    path: '/',
    sameSite: 'lax',
    signed: false,
  });
}
