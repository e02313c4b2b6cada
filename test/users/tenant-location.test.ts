import { expect, test } from 'vitest';
import { lastEndedDay } from '../../jobs/business-day/plan-close.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a tenant’s new time zone applies from its next business date on', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const superadmin = await tenant.signedIn('superadmin');
  const put = (body: object) => superadmin.put('/tenant/settings', body);
  // 12:30 a.m. on January 16 in New York.
  const now = new Date('2026-01-16T05:30:00Z');
  const dayOver = () => tenant.within(async (work) => (await lastEndedDay(work, now)).day);

  const changed = await put({ time_zone: 'America/Los_Angeles', locale: 'es-US' });
  const today = await dayOver();
  await travelTo(stage, tenant, '2026-01-16');
  const { body: moved } = await superadmin.get('/tenant/settings');

  expect(changed).toMatchObject({
    status: 200,
    body: {
      time_zone: 'America/New_York',
      next_time_zone: 'America/Los_Angeles',
      locale: 'es-US',
    },
  });
  expect(moved).toMatchObject({ time_zone: 'America/Los_Angeles', next_time_zone: null });
  expect([today, await dayOver()]).toEqual(['2026-01-15', '2026-01-14']);
});

test('an unknown or unsupported place is refused', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const superadmin = await tenant.signedIn('superadmin');
  const errorsOf = async (body: object) =>
    (await superadmin.put('/tenant/settings', body)).body.errors as Record<string, string>;

  const wrong = await errorsOf({ time_zone: 'Mars/Olympus', currency: 'JPY', locale: 'fr-FR' });
  const facts = await errorsOf({ name: 'Another name', business_date: '2026-02-01' });
  const { status } = await superadmin.put('/tenant/settings', { currency: 'EUR' });
  await newLoan(tenant);

  expect(wrong).toEqual({
    time_zone: expect.stringContaining('IANA'),
    currency: expect.stringContaining('two decimals'),
    locale: expect.stringContaining('en and es'),
  });
  expect(Object.keys(facts)).toEqual(['name', 'business_date']);
  expect(status).toBe(200);
  expect(await errorsOf({ currency: 'USD' })).toEqual({
    currency: 'Cannot be changed once loans exist.',
  });
  expect(await errorsOf({ eod_cutof_time: '02:30' })).toEqual({
    eod_cutof_time: 'Is not a setting. Did you mean "eod_cutoff_time"?',
  });
});
