import { federalHolidays } from '../bank-calendar.ts';
import { dateParts } from '../dates.ts';
import type { Settings } from '../users/settings.ts';

type BusinessHours = Settings['communications']['business_hours'];

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/**
 * Whether somebody is there at a moment, by the clock of a time zone; the hours may pass midnight. Nobody is
 * on the days that the tenant names, nor on the holidays of the Federal Reserve, unless it works on them.
 */
export function isWithinBusinessHours(hours: BusinessHours, timeZone: string, at: Date): boolean {
  const { start, end, days, is_closed_on_holidays, closed_dates } = hours;
  const format = {
    ...({ timeZone, weekday: 'short', hour: 'numeric', hourCycle: 'h23' } as const),
    ...({ year: 'numeric', month: '2-digit', day: '2-digit' } as const),
  };
  const parts = new Intl.DateTimeFormat('en-US', format).formatToParts(at);
  const partOf = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
  const hour = Number(partOf('hour'));
  const isHour = start <= end ? hour >= start && hour < end : hour >= start || hour < end;
  const date = `${partOf('year')}-${partOf('month')}-${partOf('day')}`;
  const isHoliday = is_closed_on_holidays && federalHolidays(dateParts(date).year).includes(date);
  if (isHoliday || closed_dates.includes(date)) return false;
  return isHour && days.includes(DAYS.indexOf(partOf('weekday')) + 1);
}
