/**
 * The template filters. They format decimal strings and ISO dates for a locale.
 *
 * Numbers are never parsed into floats, because Intl formats decimal strings exactly. Formatters are
 * cached: creating one costs sixty times more than using it.
 */
export type Setting = { locale?: unknown; currency?: unknown; time_zone?: unknown };
export type Filter = (value: unknown, setting: Setting) => string;

const FORMATTERS_MAX = 300;
const FALLBACK_LOCALE = 'en-US';
const numberFormats = new Map<string, Intl.NumberFormat>();
const dateFormats = new Map<string, Intl.DateTimeFormat>();
const localeTags = new Map<string, string>();

export const filters: Readonly<Record<string, Filter>> = {
  currency: (value, { locale, currency }) =>
    formatNumber(value, locale, { style: 'currency', currency: currencyCode(currency) }),
  number: (value, { locale }) => formatNumber(value, locale, { maximumFractionDigits: 20 }),
  /** A rate is a fraction: 0.085 prints as 8.50%, 0.06625 as 6.625%. */
  percent: (value, { locale }) =>
    formatNumber(value, locale, {
      style: 'percent',
      minimumFractionDigits: 2,
      maximumFractionDigits: 6,
    }),
  date: (value, setting) => formatDate(value, setting, { dateStyle: 'long' }),
  short_date: (value, setting) =>
    formatDate(value, setting, { year: 'numeric', month: '2-digit', day: '2-digit' }),
};

/** The filters that tenants may use. Our own documents may use all filters. */
export const TENANT_FILTERS = ['currency', 'date', 'number', 'percent'] as const;

function formatNumber(value: unknown, locale: unknown, options: Intl.NumberFormatOptions): string {
  const text = plainText(value);
  if (!isDecimal(text)) return text;
  const tag = localeTag(locale);
  const format = cachedFormat(
    numberFormats,
    `${tag} ${options.style ?? 'number'} ${options.currency ?? ''}`,
    () => new Intl.NumberFormat(tag, options),
  );
  return withOrdinarySpaces(format.format(text));
}

/** Intl formats such a string digit by digit, without converting it to a float. */
function isDecimal(text: string): text is Intl.StringNumericLiteral {
  return /^[+-]?\d{1,40}(\.\d{1,40})?$/.test(text);
}

function formatDate(value: unknown, setting: Setting, options: Intl.DateTimeFormatOptions): string {
  const text = plainText(value);
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text);
  const instant = isDay || /^\d{4}-\d{2}-\d{2}[T ]/.test(text) ? new Date(text) : undefined;
  if (!instant || Number.isNaN(instant.getTime())) return text;
  const tag = localeTag(setting.locale);
  // A date has no time zone. Converting it could print the previous day.
  const zone = isDay ? 'UTC' : timeZone(setting.time_zone);
  const format = cachedFormat(
    dateFormats,
    `${tag} ${zone} ${options.dateStyle ?? 'short'}`,
    () => new Intl.DateTimeFormat(tag, { ...options, timeZone: zone }),
  );
  return withOrdinarySpaces(format.format(instant));
}

/** Returns an empty text for missing values and for objects. */
function plainText(value: unknown): string {
  if (typeof value === 'string') return value.trim();
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : '';
}

function cachedFormat<T>(formats: Map<string, T>, key: string, make: () => T): T {
  const found = formats.get(key);
  if (found) return found;
  if (formats.size >= FORMATTERS_MAX) formats.clear();
  const made = make();
  formats.set(key, made);
  return made;
}

function localeTag(locale: unknown): string {
  if (typeof locale !== 'string' || locale.length > 35) return FALLBACK_LOCALE;
  return cachedFormat(localeTags, locale, () => canonicalLocale(locale));
}

function canonicalLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? FALLBACK_LOCALE;
  } catch {
    return FALLBACK_LOCALE;
  }
}

function currencyCode(currency: unknown): string {
  return typeof currency === 'string' && /^[A-Z]{3}$/.test(currency) ? currency : 'USD';
}

function timeZone(zone: unknown): string {
  if (typeof zone !== 'string') return 'UTC';
  try {
    return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}

/** A no-break space would shorten the segments of a text message from 160 to 70 characters. */
function withOrdinarySpaces(text: string): string {
  return text.replace(/[\u00a0\u2007\u202f]/g, ' ');
}
