import { daysInMonth } from '../../../dates.ts';
import type { DateFormat } from './mapping-schema.ts';
import { ValueProblem } from './value-problem.ts';

const TOKENS = [
  'yyyy',
  'yy',
  'MMMM',
  'MMM',
  'MM',
  'M',
  'dd',
  'd',
  'HH',
  'H',
  'hh',
  'h',
  'mm',
  'ss',
  'a',
] as const;
type Token = (typeof TOKENS)[number];
type Part = { token: Token } | { literal: string };

const compiled = new WeakMap<DateFormat, readonly Part[]>();

/** The parts of a format, found once for all values of a file. */
function compiledParts(format: DateFormat): readonly Part[] {
  const known = compiled.get(format) ?? partsOf(format.format);
  compiled.set(format, known);
  return known;
}

/** The parts of a date format such as `MM/dd/yyyy`. */
function partsOf(format: string): Part[] {
  const parts: Part[] = [];
  for (let at = 0; at < format.length;) {
    const token = TOKENS.find((known) => format.startsWith(known, at));
    if (token === undefined) parts.push({ literal: format[at] ?? '' });
    else parts.push({ token });
    at += token?.length ?? 1;
  }
  return parts;
}

const tokensOf = (format: string) =>
  partsOf(format).flatMap((part) => ('token' in part ? [part.token] : []));

const YEARS: readonly Token[] = ['yyyy', 'yy'];
const MONTHS: readonly Token[] = ['MMMM', 'MMM', 'MM', 'M'];
const DAYS: readonly Token[] = ['dd', 'd'];
/** Days and months in digits, which can be mistaken for each other. */
const NUMBERED: readonly Token[] = ['MM', 'M', 'dd', 'd'];

/** The problem of a column's formats, or null. */
export function dateFormatProblem(formats: readonly DateFormat[]): string | null {
  for (const { format, two_digit_years_from } of formats) {
    const tokens = tokensOf(format);
    const count = (kinds: readonly Token[]) =>
      tokens.filter((token) => kinds.includes(token)).length;
    if (count(YEARS) !== 1 || count(MONTHS) !== 1 || count(DAYS) > 1)
      return `"${format}" must have a year (yyyy), a month (MM or MMM) and a day (dd), such as MM/dd/yyyy.`;
    if (tokens.includes('yy') && two_digit_years_from === undefined)
      return `"${format}" has years of two digits. Say the first year that they can mean: {format: "${format}", two_digit_years_from: 1970}.`;
  }
  const orders = new Set(
    formats
      .filter(({ format }) => !format.startsWith('yyyy'))
      .map(({ format }) => tokensOf(format).filter((token) => NUMBERED.includes(token)))
      .filter((tokens) => tokens.length === 2)
      .map(([first]) => first?.[0]),
  );
  const isMixed = orders.size > 1;
  return isMixed
    ? 'Has formats with the day first and with the month first. Then 03/04/2026 has two meanings. State one for each column.'
    : null;
}

const NAMES = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const LONG_NAMES = [
  ...(['january', 'february', 'march', 'april', 'may', 'june', 'july', 'august'] as const),
  ...(['september', 'october', 'november', 'december'] as const),
];

const ISO =
  /^(\d{4}-\d{2}-\d{2})(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?$/;

/**
 * The day as `2026-01-31`. A date that is already written so is always understood, also with a time of day, which is
 * left out. Throws `ValueProblem` if no format fits.
 */
export function readDate(value: string, formats: readonly DateFormat[]): string {
  const iso = value.length <= 40 ? ISO.exec(value)?.[1] : undefined;
  if (iso !== undefined) return iso;
  let hasForm = false;
  for (const format of formats) {
    const found = readAs(value, format);
    if (found === NO_DAY) hasForm = true;
    else if (found !== null) return found;
  }
  if (hasForm) throw new ValueProblem('Is not a day of the calendar.');
  throw new ValueProblem(
    formats.length === 0
      ? 'Is not a date like 2026-01-31. Correct it, or state its form in the mapping, such as `dates: MM/dd/yyyy`.'
      : `Is not a date written as ${formats.map(({ format }) => format).join(' or ')}. Correct it, or add its form to \`dates\` in the mapping.`,
  );
}

/** A day that its month does not have. */
const NO_DAY = Symbol('no day');

function readAs(value: string, format: DateFormat): string | typeof NO_DAY | null {
  const { two_digit_years_from, day } = format;
  const found: Partial<Record<'year' | 'month' | 'day', number>> = {};
  let at = 0;
  for (const part of compiledParts(format)) {
    if ('literal' in part) {
      if (value[at] !== part.literal) return null;
      at += 1;
      continue;
    }
    const piece = pieceAt(value, at, part.token);
    if (piece === null) return null;
    at += piece.length;
    if (YEARS.includes(part.token)) found.year = yearOf(piece, two_digit_years_from);
    if (MONTHS.includes(part.token)) found.month = monthOf(piece);
    if (DAYS.includes(part.token)) found.day = Number(piece);
  }
  if (at !== value.length) return null;
  const { year = 0, month = 0 } = found;
  if (month < 1 || month > 12) return null;
  const lastDay = daysInMonth(year, month);
  const dayOfMonth = found.day ?? (day === 'last' ? lastDay : 1);
  if (dayOfMonth < 1 || dayOfMonth > lastDay) return NO_DAY;
  return `${String(year).padStart(4, '0')}-${twoDigits(month)}-${twoDigits(dayOfMonth)}`;
}

const twoDigits = (number: number) => String(number).padStart(2, '0');

/** The letters or digits that a token matches. `MM` and `dd` also take one digit if a sign follows. */
function pieceAt(value: string, at: number, token: Token): string | null {
  if (token === 'MMM' || token === 'MMMM') {
    const letters = /^[a-z]{3,9}/i.exec(value.slice(at, at + 9))?.[0] ?? '';
    return letters === '' ? null : letters;
  }
  if (token === 'a')
    return /^[ap]m$/i.test(value.slice(at, at + 2)) ? value.slice(at, at + 2) : null;
  const most = token === 'yyyy' ? 4 : 2;
  const digits = /^\d*/.exec(value.slice(at, at + most))?.[0] ?? '';
  const least = token === 'yyyy' ? 4 : token === 'yy' ? 2 : 1;
  return digits.length < least ? null : digits;
}

function monthOf(piece: string): number {
  if (/^\d/.test(piece)) return Number(piece);
  const name = piece.toLowerCase();
  const short = NAMES.indexOf(name === 'sept' ? 'sep' : name);
  return (short >= 0 ? short : LONG_NAMES.findIndex((long) => long === name)) + 1;
}

function yearOf(piece: string, from = 0): number {
  if (piece.length === 4) return Number(piece);
  const century = Math.floor(from / 100) * 100;
  const year = century + Number(piece);
  return year < from ? year + 100 : year;
}

/** What values that are not ISO dates look like: the only format that fits all of them, several, or none. */
export function guessDateFormats(values: readonly string[]): string[] {
  return GUESSED.filter((format) =>
    values.every((value) => {
      try {
        readDate(value, [{ format, two_digit_years_from: 1970, day: undefined }]);
        return true;
      } catch {
        return false;
      }
    }),
  );
}

const GUESSED = [
  ...([
    'MM/dd/yyyy',
    'dd/MM/yyyy',
    'MM-dd-yyyy',
    'dd-MM-yyyy',
    'dd.MM.yyyy',
    'yyyy/MM/dd',
  ] as const),
  ...([
    'yyyyMMdd',
    'MMddyyyy',
    'ddMMyyyy',
    'dd-MMM-yyyy',
    'MMM-yyyy',
    'MMM yyyy',
    'MMM dd, yyyy',
  ] as const),
  ...([
    'MMMM dd, yyyy',
    'dd MMM yyyy',
    'MM/yyyy',
    'yyyyMM',
    'MM/dd/yyyy HH:mm',
    'dd/MM/yyyy HH:mm',
  ] as const),
  ...(['MM/dd/yyyy HH:mm:ss', 'MM/dd/yy', 'dd/MM/yy', 'dd-MMM-yy', 'MMM-yy'] as const),
];
