import { describe, expect, test } from 'vitest';
import { bucketForDays, daysPastDue } from '../../../jobs/loans/engine/delinquency.ts';

describe('days past due', () => {
  test.each([
    ['2026-03-01', 0, 'current'],
    ['2026-03-02', 1, 'dpd_1_29'],
    ['2026-03-31', 30, 'dpd_30_59'],
    ['2026-04-30', 60, 'dpd_60_89'],
    ['2026-06-29', 120, 'dpd_120_149'],
  ])('of an installment due 1 March, on %s, are %i: %s', (today, days, bucket) => {
    const count = daysPastDue('2026-03-01', today);

    expect(count).toBe(days);
    expect(bucketForDays(count)).toBe(bucket);
  });

  test('skip a pause, including its first and last day', () => {
    const pause = { from: '2026-03-10', to: '2026-03-19' };

    expect(daysPastDue('2026-03-01', '2026-04-30', { pauses: [pause], grace_days: 0 })).toBe(50);
  });

  test.each([
    ['2026-03-06', 0],
    ['2026-03-07', 1],
    ['2026-04-30', 55],
  ])('start after five days of grace: on %s there are %i', (today, days) => {
    expect(daysPastDue('2026-03-01', today, { pauses: [], grace_days: 5 })).toBe(days);
  });

  test('count overlapping pauses once', () => {
    const pauses = [
      { from: '2026-03-15', to: '2026-03-19' },
      { from: '2026-03-10', to: '2026-03-17' },
      { from: '2026-03-11', to: '2026-03-12' },
      { from: '2026-02-01', to: '2026-02-28' },
    ];

    expect(daysPastDue('2026-03-01', '2026-04-30', { pauses, grace_days: 0 })).toBe(50);
  });

  test.each([
    [1, 'dpd_1_29'],
    [29, 'dpd_1_29'],
    [30, 'dpd_30_59'],
    [89, 'dpd_60_89'],
    [90, 'dpd_90_119'],
    [119, 'dpd_90_119'],
    [149, 'dpd_120_149'],
    [150, 'dpd_150_179'],
    [179, 'dpd_150_179'],
    [180, 'dpd_180_plus'],
    [1000, 'dpd_180_plus'],
  ])('of %i belong to %s', (days, bucket) => {
    expect(bucketForDays(days)).toBe(bucket);
  });
});
