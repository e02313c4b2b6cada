import { expect, test } from 'vitest';
import { isWithinBusinessHours } from '../../jobs/communications/business-hours.ts';

const weekdays = { start: 9, end: 17, days: [1, 2, 3, 4, 5], closed_dates: ['2026-11-27'] };

test.each([
  ['2026-01-16T14:00:00Z', true],
  ['2026-01-16T13:59:59Z', false],
  ['2026-01-16T22:00:00Z', false],
  ['2026-01-17T15:00:00Z', false],
  // Thanksgiving and the day after, which the lender has listed. The following Monday is a business day.
  ['2026-11-26T15:00:00Z', false],
  ['2026-11-27T15:00:00Z', false],
  ['2026-11-30T15:00:00Z', true],
  // The Fourth of July of 2027 is a Sunday, so Monday is the holiday.
  ['2027-07-05T16:00:00Z', false],
])('at %s the lender is open in New York: %s', (at, isThere) => {
  const hours = { ...weekdays, is_closed_on_holidays: true };

  expect(isWithinBusinessHours(hours, 'America/New_York', new Date(at))).toBe(isThere);
});

test('holidays are the tenant’s own, and do not close a tenant that works on holidays', () => {
  const round = { ...weekdays, start: 0, end: 24, is_closed_on_holidays: true };
  const lastHour = new Date('2026-11-27T04:30:00Z');
  const thanksgiving = new Date('2026-11-26T15:00:00Z');

  expect(isWithinBusinessHours({ ...round, closed_dates: [] }, 'America/New_York', lastHour)).toBe(
    false,
  );
  expect(isWithinBusinessHours({ ...round, closed_dates: [] }, 'UTC', lastHour)).toBe(true);
  expect(
    isWithinBusinessHours(
      { ...weekdays, is_closed_on_holidays: false },
      'America/New_York',
      thanksgiving,
    ),
  ).toBe(true);
});
