import type { Settings } from '../users/settings.ts';

type BusinessHours = Settings['communications']['business_hours'];

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];

/** Whether somebody is there at a moment, by the clock of a time zone; the hours may pass midnight. */
export function isOpen({ start, end, days }: BusinessHours, timeZone: string, at: Date): boolean {
  const format = { timeZone, weekday: 'short', hour: 'numeric', hourCycle: 'h23' } as const;
  const parts = new Intl.DateTimeFormat('en-US', format).formatToParts(at);
  const partOf = (wanted: string) => parts.find(({ type }) => type === wanted)?.value ?? '';
  const hour = Number(partOf('hour'));
  const isHour = start <= end ? hour >= start && hour < end : hour >= start || hour < end;
  return isHour && days.includes(DAYS.indexOf(partOf('weekday')) + 1);
}
