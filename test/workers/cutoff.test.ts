import { expect, onTestFinished, test } from 'vitest';
import { assertClosable, lastEndedDay } from '../../jobs/business-day/plan-close.ts';
import { startCloseOfBusiness } from '../../jobs/business-day/start-close-of-business.job.ts';
import { newOutside } from '../setup/outside.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();

/** The days whose close the scheduled job has planned for the tenant. */
async function closedAt(tenant: Tenant, now: string): Promise<string[]> {
  await startCloseOfBusiness.run(
    {},
    newOutside(stage.pool, () => new Date(now)),
  );
  const { rows } = await stage.owner.query<{ day: string }>(
    'select through_date::text as day from cob_runs where tenant_id = $1 order by cob_date',
    [tenant.id],
  );
  return rows.map(({ day }) => day);
}

test('a day can be closed from midnight in the tenant’s time zone', async () => {
  const tenant = await stage.tenant('2026-01-15');

  expect(await closedAt(tenant, '2026-01-16T04:59:59Z')).toEqual([]);
  expect(await closedAt(tenant, '2026-01-16T05:00:00Z')).toEqual(['2026-01-15']);
});

test('a day is not closed before the tenant’s cut-off on the next morning', async () => {
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, { eod_cutoff_time: '02:30' });

  expect(await closedAt(tenant, '2026-01-16T05:00:00Z')).toEqual([]);
  expect(await closedAt(tenant, '2026-01-16T07:29:59Z')).toEqual([]);
  expect(await closedAt(tenant, '2026-01-16T07:30:00Z')).toEqual(['2026-01-15']);
});

test('missed days are closed up to the last one whose cut-off has passed', async () => {
  const tenant = await stage.tenant('2026-01-10');
  await saveSettings(tenant, { eod_cutoff_time: '02:30' });

  expect(await closedAt(tenant, '2026-01-16T06:00:00Z')).toEqual(['2026-01-14']);
});

test('a cut-off in an hour that daylight saving skips has passed when the hour has', async () => {
  const tenant = await stage.tenant('2026-03-07');
  await saveSettings(tenant, { eod_cutoff_time: '02:30' });
  const over = (now: string) => tenant.within((work) => lastEndedDay(work, new Date(now)));

  expect((await over('2026-03-08T06:59:00Z')).day).toBe('2026-03-06');
  expect((await over('2026-03-08T07:00:00Z')).day).toBe('2026-03-07');
});

test('in production, a manual close also waits for the cut-off', async () => {
  stage.installation.may_close_future = false;
  onTestFinished(() => void (stage.installation.may_close_future = true));
  const tenant = await stage.tenant('2026-01-15');
  await saveSettings(tenant, { eod_cutoff_time: '02:30' });
  const close = (now: string) =>
    tenant.within((work) => assertClosable(work, '2026-01-15', new Date(now)));

  await expect(close('2026-01-16T06:00:00Z')).rejects.toMatchObject({
    errors: {
      through_date:
        'This day is not over yet: in America/New_York it is 2026-01-16, and a day ends at 02:30 on the next day.',
    },
  });
  await expect(close('2026-01-16T07:30:00Z')).resolves.toBeUndefined();
});
