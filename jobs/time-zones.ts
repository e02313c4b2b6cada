import { Invalid } from './errors.ts';

/** Whether the name is one that a clock can be read by; the empty one is none. */
export function isTimeZone(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en-US', { timeZone: name }).resolvedOptions().timeZone !== '';
  } catch {
    return false;
  }
}

/** Refuses a zone that is given and does not exist. */
export function assertTimeZone(name: unknown) {
  if (typeof name !== 'string' || isTimeZone(name)) return;
  throw new Invalid({ time_zone: 'Is not a time zone like America/Chicago.' });
}
