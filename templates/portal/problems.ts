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
 * Returns the error texts in the reader's language. If the portal has no text for an error, English readers
 * see the endpoint's message. Other readers see a general request to check their input.
 */
export function problemTexts({ code, message, errors, details }: Problems, reader: Reader) {
  const { language, currency } = reader;
  const setting = { currency, locale: documentLocale(language, reader.locale) };
  const amount = filters['currency']?.(details['payoff_amount'], setting);
  const key = `refused.${code}`;
  const whole = hasPhrase(key)
    ? phrase(language, key, { amount, seconds: details['retry_after'] })
    : translateMessage(message, language);
  const named = Object.entries(errors).map(([name, text]) => [
    name,
    translateMessage(text, language),
  ]);
  return {
    summary: code === 'validation_error' ? null : whole,
    errors: Object.fromEntries(named) as Record<string, string>,
  };
}

/** Translates an endpoint's message, which is in English. */
function translateMessage(sentence: string, language: Language): string {
  if (language === 'en') return sentence;
  return translateToSpanish(sentence) ?? phrase(language, 'check_field');
}
