/**
 * Masks social security and card numbers in free text, keeping the last four digits. Other numbers (ids,
 * phone numbers, amounts, routing numbers) are kept.
 */
export function maskPersonalNumbers(text: string): string {
  if (!NINE_DIGITS.test(shadowOf(text))) return text;
  return [cardsIn, namedIn, socialsIn, beforeNameIn].reduce(maskRanges, text);
}

type NumberRange = { from: number; to: number; mask: string };

/**
 * Searches the shadow of the text, which has the same length, and cuts the matches out of the text itself.
 */
function maskRanges(text: string, find: (shadow: string) => NumberRange[]): string {
  let kept = '';
  let end = 0;
  for (const { from, to, mask } of find(shadowOf(text))) {
    kept += text.slice(end, from) + mask;
    end = to;
  }
  return kept + text.slice(end);
}

/** Replaces look-alike characters by their plain form, and UUIDs by letters because they contain digits. */
const shadowOf = (text: string) =>
  text
    .replace(/\P{ASCII}/gu, (sign) => {
      const plain = sign.normalize('NFKC');
      return plain.length <= sign.length ? plain.padEnd(sign.length, NOTHING) : sign;
    })
    .replace(UUID, (id) => 'x'.repeat(id.length));

/**
 * Masks all texts of a JSON value. A value's key may say that its nine digits are a social security number.
 */
export function maskPersonalNumbersIn(value: unknown, key = ''): unknown {
  if (typeof value === 'string') return maskTextOfKey(key, value);
  if (typeof value === 'number' && Number.isSafeInteger(value)) {
    const text = maskTextOfKey(key, String(value));
    return text === String(value) ? value : text;
  }
  if (Array.isArray(value)) return value.map((item) => maskPersonalNumbersIn(item, key));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      maskPersonalNumbers(name),
      maskPersonalNumbersIn(inner, name),
    ]),
  );
}

function maskTextOfKey(key: string, text: string): string {
  const masked = maskPersonalNumbers(text);
  const isNamed = NUMBER_FIELD_NAME.test(key) || NAMED_WITHIN.test(key);
  return isNamed && BARE_NINE_DIGITS.test(shadowOf(masked).trim())
    ? maskedSocial(shadowOf(masked))
    : masked;
}

/** A zero-width character, which some programs insert between digits. */
const NOTHING = '\u200b';
const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;

/**
 * Nine digits with at most three other characters between them. A text without them contains nothing to
 * mask.
 */
const NINE_DIGITS = /(?:\d\D{0,3}){9}/;

// Every pattern repeats a bounded number of times or cannot fail, so long texts take linear time. A number
// directly behind a letter, a digit or a mask is part of something else.
const RUN = /\d(?:[ \t./\u200b\u2010-\u2014-]{0,3}\d)*/g;
const BEHIND = /(?:[\p{L}\p{N}_+$€£]|\d\.|\*[ -])$/u;
const CENTS = /^\.\d{1,2}(?!\d)/;
/** The digit groups of printed cards, and common ways to write them. */
const GROUPS = /^(?:1[3-9]|4-4-4-[1-4]|4-4-4-4-[1-3]|4-6-[45]|8-8|1(?:-1){12,18})$/;
const SOCIAL =
  /(?<![\p{L}\p{N}_+]|[\p{L}\p{N}][.-]|\+\d{1,3}[ -]|\*[ -])\d{3}(?:[ \u200b\u2010-\u2014-]\d{2}[ \u200b\u2010-\u2014-]|\.\d{2}\.)\d{4}(?![\p{L}\p{N}_]|[.,-]\d)/gu;
const AFTER_ITS_NAME =
  /(?<!\p{L})(?:ssns?|s\.s\.n\.|itin|social|soc\.? sec|tax(?:payer)? id)(?!\p{L})(?:(?!routing|account|acct|aba|loan|phone|check)\D){0,30}(?<!\*[ -])(\d(?:[ .\u200b\u2010-\u2014-]?\d){8}|\d{3}[ ./\u200b\u2010-\u2014-]{1,3}\d{2}[ ./\u200b\u2010-\u2014-]{1,3}\d{4})(?![\p{L}\p{N}_]|[.,-]\d)/giu;
const AND_ANOTHER =
  /[^\p{L}\p{N}*$€£]{1,3}(?:(?:and|or) )?(\d(?:[.\u200b\u2010-\u2014-]?\d){8}|\d{3} \d{2} \d{4})(?![\p{L}\p{N}_]|[.,-]\d)/iuy;
const BEFORE_ITS_NAME =
  /(?<![\p{L}\p{N}_+$€£]|\d[.,-]|\*[ -])\d{9}(?=[^\p{L}\p{N}*]{1,3}(?:(?:is|as|was|=) (?:the |his |her |their |my )?)?(?:ssn|social|itin)(?!\p{L}))/giu;
const NUMBER_FIELD_NAME =
  /ssn|itin|^social$|social[ _-]?sec|tax[ _-]?id|tax[ _-]?payer|(?:^|[ _-])tin(?:$|[ _-])|^tin[ _-]?n/i;
const NAMED_WITHIN = /[a-z]T(?:in|IN)(?![a-z])/;
const BARE_NINE_DIGITS = /^\d(?:[ ./\u200b\u2010-\u2014-]{0,3}\d){8}$/;

function cardsIn(shadow: string): NumberRange[] {
  return [...shadow.matchAll(RUN)].flatMap(({ 0: run, index }) => {
    const groups = [...run.matchAll(/\d+/g)].map(({ 0: digits, index: at }) => ({
      digits,
      from: index + at,
    }));
    const cuts: NumberRange[] = [];
    for (let first = 0; first < groups.length;) {
      const card = cardAt(groups, first, shadow);
      if (card) cuts.push(card.cut);
      first += card?.groups ?? 1;
    }
    return cuts;
  });
}

type Group = { digits: string; from: number };

/** The card number that starts with this group. A number of 16 digits is preferred to other lengths. */
function cardAt(groups: readonly Group[], first: number, shadow: string) {
  const from = groups[first]?.from ?? 0;
  if (BEHIND.test(shadow.slice(Math.max(0, from - 2), from))) return null;
  const found = [];
  const lengths: number[] = [];
  let digits = '';
  for (const group of groups.slice(first, first + CARD_DIGITS_MAX)) {
    digits += group.digits;
    if (digits.length > CARD_DIGITS_MAX) break;
    lengths.push(group.digits.length);
    const to = group.from + group.digits.length;
    const isWhole = GROUPS.test(lengths.join('-')) && !CENTS.test(shadow.slice(to, to + 4));
    if (isWhole && isCard(digits))
      found.push({ cut: { from, to, mask: maskedCard(digits) }, digits, groups: lengths.length });
  }
  return found.find((card) => card.digits.length === 16) ?? found.at(-1) ?? null;
}
const CARD_DIGITS_MAX = 19;

const socialCut = (found: string, from: number): NumberRange => ({
  from,
  to: from + found.length,
  mask: maskedSocial(found),
});

function namedIn(shadow: string): NumberRange[] {
  return [...shadow.matchAll(AFTER_ITS_NAME)].flatMap(({ 0: all, 1: number = '', index }) => {
    let end = index + all.length;
    const cuts = [socialCut(number, end - number.length)];
    for (;;) {
      AND_ANOTHER.lastIndex = end;
      const another = AND_ANOTHER.exec(shadow);
      if (another === null) return cuts;
      end += another[0].length;
      cuts.push(socialCut(another[1] ?? '', end - (another[1] ?? '').length));
    }
  });
}

const socialsIn = (shadow: string) =>
  [...shadow.matchAll(SOCIAL)].flatMap(({ 0: found, index }) =>
    isSocial(found) ? [socialCut(found, index)] : [],
  );

const beforeNameIn = (shadow: string) =>
  [...shadow.matchAll(BEFORE_ITS_NAME)].map(({ 0: found, index }) => socialCut(found, index));

const digitsOf = (found: string) => found.replace(/\D/g, '');
const maskedSocial = (found: string) => `***-**-${digitsOf(found).slice(-4)}`;
const maskedCard = (found: string) => `**** **** **** ${digitsOf(found).slice(-4)}`;

/** A social security number never has only zeros in one of its parts. */
const isSocial = (found: string) => !/^000|^\d{3}00|0000$/.test(digitsOf(found));

/** The first digits that card issuers use. Other long numbers are references. */
const ISSUED = /^(?:4|5[0-8]|3[05689]|3[47]|6|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)/;

function isCard(found: string): boolean {
  const digits = digitsOf(found);
  const isLong = digits.length >= 13 && digits.length <= 19;
  if (!isLong || !ISSUED.test(digits)) return false;
  if (digits.startsWith('2') && digits.length !== 16) return false;
  return luhn(digits) % 10 === 0;
}

/** The Luhn checksum: from the right, every second digit counts twice (ISO/IEC 7812-1). */
const luhn = (digits: string) =>
  Array.from(digits, Number)
    .toReversed()
    .map((digit, index) => (index % 2 === 0 ? digit : digit * 2 - (digit > 4 ? 9 : 0)))
    .reduce((sum, digit) => sum + digit, 0);
