import { addDays, dateFromParts, dayOfWeek, daysInMonth, dateParts } from '../dates.ts';

/** The nth given weekday of a month. Monday is 1. */
function nthWeekday(year: number, month: number, weekday: number, nth: number): string {
  const first = dayOfWeek(dateFromParts(year, month, 1));
  return dateFromParts(year, month, 1 + ((weekday - first + 7) % 7) + (nth - 1) * 7);
}

function lastWeekday(year: number, month: number, weekday: number): string {
  const last = dateFromParts(year, month, daysInMonth(year, month));
  return addDays(last, -((dayOfWeek(last) - weekday + 7) % 7));
}

/** The eleven legal public holidays on their statutory dates (5 USC 6103(a)). */
function legalHolidays(year: number): string[] {
  return [
    dateFromParts(year, 1, 1),
    nthWeekday(year, 1, 1, 3),
    nthWeekday(year, 2, 1, 3),
    lastWeekday(year, 5, 1),
    ...(year >= 2022 ? [dateFromParts(year, 6, 19)] : []),
    dateFromParts(year, 7, 4),
    nthWeekday(year, 9, 1, 1),
    nthWeekday(year, 10, 1, 2),
    dateFromParts(year, 11, 11),
    nthWeekday(year, 11, 4, 4),
    dateFromParts(year, 12, 25),
  ];
}

/**
 * Holidays as the Federal Reserve Banks observe them, because they decide when money moves: a holiday on a
 * Sunday moves to Monday, a holiday on a Saturday does not move.
 */
export function federalHolidays(year: number): string[] {
  return legalHolidays(year).map((holiday) =>
    dayOfWeek(holiday) === 7 ? addDays(holiday, 1) : holiday,
  );
}

/**
 * A business day for the right of rescission: every day except Sundays and legal holidays. Saturdays count,
 * and so does the Monday on which a Sunday holiday is observed (12 CFR 1026.2(a)(6)).
 */
export function isRescissionDay(date: string): boolean {
  return dayOfWeek(date) !== 7 && !legalHolidays(dateParts(date).year).includes(date);
}

export function isBusinessDay(date: string): boolean {
  return dayOfWeek(date) <= 5 && !federalHolidays(dateParts(date).year).includes(date);
}

/** Returns the date itself if it is a business day, otherwise the next business day. */
export function nextBusinessDay(date: string): string {
  let candidate = date;
  while (!isBusinessDay(candidate)) candidate = addDays(candidate, 1);
  return candidate;
}

/** The date after this number of business days. */
export function addBusinessDays(date: string, days: number): string {
  let candidate = date;
  for (let left = days; left > 0; left -= 1) candidate = nextBusinessDay(addDays(candidate, 1));
  return candidate;
}
