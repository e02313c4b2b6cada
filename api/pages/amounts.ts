import { documentLocale } from '../../templates/render-document.ts';
import type { Visit } from './page.ts';

const PLAIN = /^\d{1,13}(\.\d{1,2})?$/;
const GROUPED = /^\d{1,3}(,\d{3}){1,4}(\.\d{1,2})?$/;

/**
 * Converts an amount in the locale's notation, "$1,234.5" or "1.234,5", to the API's notation. An ambiguous
 * amount is passed on unchanged, and the endpoint refuses it.
 */
export function normalizeAmount({ config, language }: Visit, written: string | undefined) {
  if (written === undefined) return undefined;
  const parts = new Intl.NumberFormat(documentLocale(language, config.locale)).formatToParts(
    1234.5,
  );
  const decimal = parts.find(({ type }) => type === 'decimal')?.value ?? '.';
  const bare = written.replace(/[\s\u00a0\u202f$€]/g, '');
  const english = decimal === ',' ? swapSeparators(bare) : bare;
  const isAmount = PLAIN.test(english) || GROUPED.test(english);
  return isAmount ? english.replaceAll(',', '') : written;
}

const swapSeparators = (text: string) =>
  text.replace(/[.,]/g, (sign) => (sign === ',' ? '.' : ','));
