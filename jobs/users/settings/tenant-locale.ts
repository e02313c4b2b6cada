import { isTimeZone } from '../../time-zones.ts';

/** Determines when the tenant's day ends, and how amounts and dates are formatted. */
export type TenantLocale = { time_zone: string; currency: string; locale: string };

export const DEFAULT_TENANT_LOCALE: TenantLocale = {
  time_zone: 'America/New_York',
  currency: 'USD',
  locale: 'en-US',
};

/**
 * The areas of IANA time zones. Node also knows withdrawn names such as US/Pacific-New, which Postgres
 * refuses.
 */
const TIME_ZONE_AREA =
  /^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Etc|Europe|Indian|Pacific)\//;

/** Languages for which the platform has texts. */
const LANGUAGES = ['en', 'es'];

function hasTwoDecimals(currency: string): boolean {
  if (!Intl.supportedValuesOf('currency').includes(currency)) return false;
  const format = new Intl.NumberFormat('en', { style: 'currency', currency });
  return format.resolvedOptions().maximumFractionDigits === 2;
}

function isLocaleWithTexts(locale: string): boolean {
  try {
    const { baseName, language, region } = new Intl.Locale(locale);
    return baseName === locale && LANGUAGES.includes(language) && region !== undefined;
  } catch {
    return false;
  }
}

/** Returns a problem for each invalid field. */
export function findLocaleProblems(place: {
  [Name in keyof TenantLocale]?: unknown;
}): Record<string, string> {
  const problems: Record<string, string> = {};
  const { time_zone, currency, locale } = place;
  const isWrong = (value: unknown, isRight: (text: string) => boolean) =>
    value !== undefined && !(typeof value === 'string' && isRight(value));
  if (isWrong(time_zone, (text) => TIME_ZONE_AREA.test(text) && isTimeZone(text)))
    problems['time_zone'] = 'Must be an IANA time zone like America/Chicago.';
  if (isWrong(currency, hasTwoDecimals))
    problems['currency'] =
      'Must be an ISO 4217 code like USD. Supported: currencies with two decimals.';
  if (isWrong(locale, isLocaleWithTexts))
    problems['locale'] =
      'Must be a BCP 47 tag with a region, like en-US. Supported languages: en and es.';
  return problems;
}
