import { federalHolidays } from '../banks/bank-calendar.ts';
import { dateParts } from '../dates.ts';
import type { Settings } from '../users/settings/settings.ts';

type BusinessHours = Settings['communications']['business_hours'];

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/**
 * Whether the tenant is staffed at this moment. Hours may extend past midnight. Closed on `closed_dates`
 * and, unless switched off, on Federal Reserve holidays.
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
