/**
 * Calendar dates are 'YYYY-MM-DD' strings everywhere: they sort as text, and no time zone can shift them.
 * Arithmetic uses whole days since 1970-01-01, which is exact for any Gregorian date.
 */
const DAY_MS = 86_400_000;

type Parts = { year: number; month: number; day: number };

export function dateParts(date: string): Parts {
  const [year, month, day] = [
    digits(date, 0) * 100 + digits(date, 2),
    digits(date, 5),
    digits(date, 8),
  ];
  return { year, month, day };
}

/** Reads two digits as a number. Schedules count day by day, and `slice` plus `Number` would be slower. */
const digits = (date: string, at: number): number =>
  date.charCodeAt(at) * 10 + date.charCodeAt(at + 1) - 48 * 11;

export function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const { year, month, day } = dateParts(text);
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
}

/**
 * Days since 1970-01-01. The formula starts each year in March, so that a leap day is the last day of its
 * year. 1 March of year 0 is 719,468 days before 1970-01-01.
 */
export function dayNumber(date: string): number {
  const { year: calendarYear, month, day } = dateParts(date);
  const year = month > 2 ? calendarYear : calendarYear - 1;
  const leapDays = Math.floor(year / 4) - Math.floor(year / 100) + Math.floor(year / 400);
  const daysToMonth = Math.floor((153 * ((month + 9) % 12) + 2) / 5);
  return 365 * year + leapDays + daysToMonth + day - 1 - 719_468;
}

function dateOfDayNumber(days: number): string {
  return new Date(days * DAY_MS).toISOString().slice(0, 10);
}

export function dateFromParts(year: number, month: number, day: number): string {
  return `${pad(year, 4)}-${pad(month, 2)}-${pad(day, 2)}`;
}

export function isLeapYear(year: number): boolean {
  return (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0;
}

export function daysInMonth(year: number, month: number): number {
  if (month === 2) return isLeapYear(year) ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

export function addDays(date: string, days: number): string {
  return dateOfDayNumber(dayNumber(date) + days);
}

/**
 * Adds months. The result falls on the intended day, or on the month's last day if the month is shorter: 31
 * January, 28 February, 31 March. Default for the intended day: the day of `date`.
 */
export function addMonths(date: string, months: number, intendedDay?: number): string {
  const { year, month, day } = dateParts(date);
  const index = year * 12 + (month - 1) + months;
  return dateInMonth(Math.floor(index / 12), (index % 12) + 1, intendedDay ?? day);
}

/** Complete months from one date to another. Negative if `to` is before `from`. */
export function wholeMonthsBetween(from: string, to: string): number {
  if (to < from) return -wholeMonthsBetween(to, from);
  const [start, end] = [dateParts(from), dateParts(to)];
  const months = (end.year - start.year) * 12 + end.month - start.month;
  return addMonths(from, months) <= to ? months : months - 1;
}

/** The given day of a month, or the month's last day if the month is shorter. */
export function dateInMonth(year: number, month: number, day: number): string {
  return dateFromParts(year, month, Math.min(day, daysInMonth(year, month)));
}

export function daysBetween(from: string, to: string): number {
  return dayNumber(to) - dayNumber(from);
}

export function monthEnd(date: string): string {
  const { year, month } = dateParts(date);
  return dateFromParts(year, month, daysInMonth(year, month));
}

export function monthStart(date: string): string {
  return `${date.slice(0, 8)}01`;
}

export function compareDates(one: string, other: string): -1 | 0 | 1 {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

export function latest(one: string, other: string): string {
  return one > other ? one : other;
}

/** Monday is 1 and Sunday is 7 (ISO 8601). */
export function dayOfWeek(date: string): number {
  return ((((dayNumber(date) + 3) % 7) + 7) % 7) + 1;
}

function pad(value: number, length: number): string {
  return String(value).padStart(length, '0');
}

export function earliest(one: string, other: string): string {
  return one <= other ? one : other;
}

/** The calendar date in the time zone. */
export function localDate(now: Date, timeZone: string): string {
  const parts = new Intl.DateTimeFormat('en-CA', { timeZone, dateStyle: 'short' }).format(now);
  return parts.slice(0, 10);
}

/** The time of day in the time zone, for example 23:30. */
export function localTime(now: Date, timeZone: string): string {
  return clockTime(now, { timeZone });
}

/** The date and time in the time zone, for example 2026-01-15T23:30:59. */
export function localDateTime(now: Date, timeZone: string): string {
  return `${localDate(now, timeZone)}T${clockTime(now, { timeZone, second: '2-digit' })}`;
}

function clockTime(now: Date, options: Intl.DateTimeFormatOptions): string {
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23', ...options } as const;
  return new Intl.DateTimeFormat('en-GB', clock).format(now);
}
