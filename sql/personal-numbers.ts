/**
 * Social security and card numbers that somebody wrote into a text: only the last four digits are
 * kept. What is no such number (ids, phone numbers, amounts, routing numbers) stays as it is.
 */
export function withoutPersonalNumbers(text: string): string {
  if (!NINE_DIGITS.test(text)) return text;
  return text
    .replace(CARD, (found, uuid?: string) => (uuid || !isCard(found) ? found : maskedCard(found)))
    .replace(SOCIAL, (found) => (isSocial(found) ? maskedSocial(found) : found))
    .replace(AFTER_ITS_NAME, (_, name: string, found: string) => name + maskedSocial(found))
    .replace(BEFORE_ITS_NAME, maskedSocial);
}

/** The same for all texts of a JSON value; the key of a value may say what its nine digits are. */
export function withoutPersonalNumbersIn(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return textUnder(key, value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    const text = textUnder(key, String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item) => withoutPersonalNumbersIn(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      withoutPersonalNumbers(name),
      withoutPersonalNumbersIn(inner, name),
    ]),
  );
}

function textUnder(key: string, text: string): string {
  const masked = withoutPersonalNumbers(text);
  return NAMED.test(key) && ALONE.test(masked.trim()) ? maskedSocial(masked) : masked;
}

/** At most one other sign between the digits: without nine of them there is nothing to look for. */
const NINE_DIGITS = /(?:\d\D?){9}/;

// Every pattern repeats a bounded number of times, so that long texts take linear time. A number
// behind a letter, a digit or a mask is a part of something else.
const CARD =
  /([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})|(?<![\p{L}\p{N}_+$€£]|\d[.,-]|\*[ -])(?:\d{13,19}|\d{4}([ .\u00a0\u202f\u2010-\u2014-])\d{4}\2\d{4}\2\d{1,4}(?:\2\d{1,3})?|\d{4}([ .\u00a0\u202f\u2010-\u2014-])\d{6}\3\d{4,5})(?![\p{L}\p{N}_]|[.,-]\d)/giu;
const SOCIAL =
  /(?<![\p{L}\p{N}_+]|[\p{L}\p{N}][.-]|\+\d{1,3}[ -]|\*[ -])\d{3}([ .\u00a0\u202f\u2010-\u2014-])\d{2}\1\d{4}(?![\p{L}\p{N}_]|[.,-]\d)/gu;
const AFTER_ITS_NAME =
  /((?<!\p{L})(?:ssns?|s\.s\.n\.|itin|social|soc\.? sec|tax(?:payer)? id)(?!\p{L})(?:(?!routing|account|acct|aba|loan|phone|check)\D){0,30}(?<!\*[ -]))(\d(?:[ .\u00a0\u202f\u2010-\u2014-]?\d){8})(?![\p{L}\p{N}_]|[.,-]\d)/giu;
const BEFORE_ITS_NAME =
  /(?<![\p{L}\p{N}_+$€£]|\d[.,-]|\*[ -])\d{9}(?=[^\p{L}\p{N}*]{1,3}(?:(?:is|as|was|=) (?:the |his |her |their |my )?)?(?:ssn|social|itin)(?!\p{L}))/giu;
const NAMED = /ssn|itin|social_?sec|tax_?id|taxpayer/i;
const ALONE = /^\d(?:[ .\u00a0\u202f\u2010-\u2014-]?\d){8}$/;

const digitsOf = (found: string) => found.replace(/\D/g, '');
const maskedSocial = (found: string) => `***-**-${digitsOf(found).slice(-4)}`;
const maskedCard = (found: string) => `**** **** **** ${digitsOf(found).slice(-4)}`;

/** No number was ever given out with only zeros in one of its parts. */
const isSocial = (found: string) => !/^000|^\d{3}00|0000$/.test(digitsOf(found));

/** The first digits that issuers have; other long numbers are somebody's references. */
const ISSUED = /^(?:4|5[0-8]|3[05689]|3[47]|6|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/;

function isCard(found: string): boolean {
  const digits = digitsOf(found);
  const isLong = digits.length >= 13 && digits.length <= 19;
  if (!isLong || !ISSUED.test(digits)) return false;
  if (digits.startsWith('2') && digits.length !== 16) return false;
  return luhn(digits) % 10 === 0;
}

/** From the right every second digit counts twice (ISO/IEC 7812-1). */
const luhn = (digits: string) =>
  Array.from(digits, Number)
    .toReversed()
    .map((digit, index) => (index % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)))
    .reduce((sum, digit) => sum + digit, 0);
