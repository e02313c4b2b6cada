import { filters } from '../filters.ts';
import { documentLocale } from '../render-document.ts';
import { hasPhrase, phrase, type Language } from './words.ts';
import { translateToSpanish } from './words/sentences.ts';

type Problems = {
  code: string;
  message: string;
  errors: Record<string, string>;
  details: Record<string, unknown>;
};
type Reader = { language: Language; locale: string; currency: string };

/**
 * What is wrong, in the reader's language. Of a refusal that has no words here, English readers get the
 * endpoint's own sentence, and others are told that something has to be looked at again.
 */
export function problemTexts({ code, message, errors, details }: Problems, reader: Reader) {
  const { language, currency } = reader;
  const setting = { currency, locale: documentLocale(language, reader.locale) };
  const amount = filters['currency']?.(details['payoff_amount'], setting);
  const key = `refused.${code}`;
  const whole = hasPhrase(key)
    ? phrase(language, key, { amount, seconds: details['retry_after'] })
    : foreign(message, language);
  const named = Object.entries(errors).map(([name, text]) => [name, foreign(text, language)]);
  return {
    summary: code === 'validation_error' ? null : whole,
    errors: Object.fromEntries(named) as Record<string, string>,
  };
}

/** A sentence of an endpoint's, for readers of another language than its own. */
function foreign(sentence: string, language: Language): string {
  if (language === 'en') return sentence;
  return translateToSpanish(sentence) ?? phrase(language, 'look_again');
}
