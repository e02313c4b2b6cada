import { afterAll, expect, test } from 'vitest';
import { openLog } from '../../jobs/monitoring/log.ts';
import { followDatabaseClock } from '../../jobs/clock.ts';
import { latestDueMinute, nextRun, SCHEDULE } from '../../jobs/operations/schedule.ts';
import { databaseTime } from '../../sql/database/clock.ts';
import { openPool, sql } from '../../sql/database/db.ts';
import { closeOverdueSeconds } from '../../sql/queue/cron-schedule.ts';
import { enqueueDue, unknownTasks } from '../../workers/queue/cron-schedule.ts';
import { cloneDatabase } from '../setup/database.ts';
import { numbered } from './stage.ts';

const database = await cloneDatabase();
const owner = await openPool(database.url, { role: 'servicing_owner', size: 2 });
const worker = await openPool(database.url, { role: 'servicing_worker', size: 2 });
afterAll(async () => {
  await Promise.all([owner.end(), worker.end()]);
  await database.drop();
});

const listed = SCHEDULE.map(({ task }) => numbered(task, async () => {}));

const lines = SCHEDULE.filter(({ task }) => task === 'start-close-of-business');
const HOURS_20_MS = 20 * 3_600_000;

test('every line of the schedule is valid and says why it exists', () => {
  const now = new Date('2026-12-31T23:17:30Z');

  expect(SCHEDULE.map((line) => nextRun(line, now)).filter((next) => next === null)).toEqual([]);
  expect(SCHEDULE.every(({ reason }) => reason.length > 20)).toBe(true);
});

test('a job that is due is enqueued once a minute, whichever processes ask', async () => {
  const now = await databaseTime(worker);
  const ask = (moment: Date) => enqueueDue(worker, { lines, jobs: listed, now: moment });

  const first = await Promise.all([ask(now), ask(now), ask(now)]);
  const later = await ask(now);

  expect(first.flat()).toEqual(['start-close-of-business']);
  expect(later).toEqual([]);
});

test('neither a process with a wrong clock nor a tick in the future keeps a job from being enqueued', async () => {
  const ask = async (aheadMs: number) => {
    const now = new Date((await databaseTime(worker)).getTime() + aheadMs);
    return enqueueDue(worker, { lines, jobs: listed, now });
  };

  const early = await ask(HOURS_20_MS);
  await owner.query(sql.typeAlias('void')`
    update app.schedule_ticks set ticked_at = now() + interval '20 hours'
  `);
  await owner.query(sql.typeAlias('void')`
    update graphile_worker._private_jobs set run_at = now() + interval '20 hours'
  `);
  const onTime = await ask(0);
  const isReady = await owner.any(sql.typeAlias('id')`
    select id from graphile_worker._private_jobs where run_at <= now()
  `);

  expect(early).toEqual([]);
  expect(onTime).toEqual(['start-close-of-business']);
  expect(isReady).toHaveLength(1);
});

test('a machine whose clock is wrong uses the time of the database and reports the difference', async () => {
  const lines: string[] = [];
  const log = openLog('error', {}, { write: (line: string) => void lines.push(line) });
  const machine = () => Date.now() + HOURS_20_MS;

  const clock = await followDatabaseClock(worker, { log, environment: 'test', machine });
  const apart = clock.now().getTime() - (await databaseTime(worker)).getTime();
  clock.stop();

  expect(Math.abs(apart)).toBeLessThan(3_600_000);
  expect(lines.join()).toContain('"skew_seconds":72000');
  await expect(
    followDatabaseClock(worker, { log, environment: 'production', machine }),
  ).rejects.toThrow('Synchronize both');
});

test('an overdue close is reported from the tenant’s cut-off on', async () => {
  // Two statements, because one does not see the row that it creates.
  const create = async (slug: string, date: string, cutoff: string) => {
    await owner.query(sql.typeAlias('void')`
      select app.create_tenant(${slug}, ${slug}, ${date}::date, '{}')
    `);
    await owner.query(sql.typeAlias('void')`
      update tenants set time_zone = 'UTC', settings = ${JSON.stringify({ eod_cutoff_time: cutoff })}::jsonb
      where slug = ${slug}
    `);
  };
  const none = await closeOverdueSeconds(worker);
  const now = await databaseTime(worker);
  const yesterday = new Date(now.getTime() - 86_400_000).toISOString().slice(0, 10);
  const today = now.toISOString().slice(0, 10);

  await create('current', today, '00:00');
  const current = await closeOverdueSeconds(worker);
  await create('late', yesterday, '00:00');
  const late = await closeOverdueSeconds(worker);

  expect([none, current]).toEqual([0, 0]);
  expect(late).toBeGreaterThan(0);
  expect(late).toBeLessThanOrEqual(86_400 * 2);
});

test('a schedule line for an unlisted job is found', () => {
  expect(unknownTasks(SCHEDULE, listed)).toEqual([]);
  expect(unknownTasks(SCHEDULE, listed.slice(1))).toEqual([SCHEDULE[0]?.task]);
});

test('the next run of a line is the first matching minute after now', () => {
  const now = new Date('2026-12-31T23:17:30Z');
  const next = (at: string) => nextRun({ at }, now)?.toISOString() ?? null;

  expect(next('* * * * *')).toBe('2026-12-31T23:18:00.000Z');
  expect(next('17 * * * *')).toBe('2027-01-01T00:17:00.000Z');
  expect(next('5 4 1 3 *')).toBe('2027-03-01T04:05:00.000Z');
  expect(next('0 0 31 2 *')).toBe(null);
});

test('the last due run is found up to ten minutes later', () => {
  const due = (at: string, now: string) =>
    latestDueMinute({ at }, new Date(now))?.toISOString() ?? null;

  expect(due('* * * * *', '2026-12-31T23:17:30Z')).toBe('2026-12-31T23:17:00.000Z');
  expect(due('17 * * * *', '2026-12-31T23:26:59Z')).toBe('2026-12-31T23:17:00.000Z');
  expect(due('17 * * * *', '2026-12-31T23:27:00Z')).toBe(null);
});
