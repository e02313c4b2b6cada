import { Invalid } from './errors.ts';

/** True for an IANA time zone name that Intl accepts. False for an empty string. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Throws Invalid if a time zone is given that does not exist. */
export function assertTimeZone(name: unknown) {
  if (typeof name !== 'string' || isTimeZone(name)) return;
  throw new Invalid({ time_zone: 'Must be a time zone like America/Chicago.' });
}
