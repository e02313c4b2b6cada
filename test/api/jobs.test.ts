import { expect, onTestFinished, test } from 'vitest';
import { addDays, localDate } from '../../jobs/dates.ts';
import { runJobs } from '../setup/queue.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('a superadmin starts the close of a day and sees its run', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const superadmin = await tenant.signedIn('superadmin');

  const asked = await superadmin.post('/jobs/close-of-business', { through_date: '2026-01-17' });
  await runJobs(stage, {}, ['close-loans']);

  const listed = await superadmin.get('/jobs/runs');
  expect(asked).toMatchObject({
    status: 202,
    body: { business_date: '2026-01-15', through_date: '2026-01-17' },
  });
  expect(
    listed.body.map((run: Record<string, unknown>) => [run['cob_date'], run['status']]),
  ).toEqual([
    ['2026-01-17', 'finished'],
    ['2026-01-16', 'finished'],
    ['2026-01-15', 'finished'],
  ]);
});

test('a closed day is not closed again, and only a superadmin can close a day', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const superadmin = await tenant.signedIn('superadmin');

  const past = await superadmin.post('/jobs/close-of-business', { through_date: '2026-01-14' });
  const tooLow = await tenant.officer.post('/jobs/close-of-business', {});

  expect(past).toMatchObject({
    status: 422,
    body: { errors: { through_date: expect.anything() } },
  });
  expect(tooLow.status).toBe(403);
});

test('in production, a day can be closed only after it ended in the tenant’s time zone', async () => {
  stage.installation.may_close_future = false;
  onTestFinished(() => void (stage.installation.may_close_future = true));
  const today = localDate(new Date(), 'America/New_York');
  const tenant = await stage.tenant(addDays(today, -1));
  const superadmin = await tenant.signedIn('superadmin');

  const early = await superadmin.post('/jobs/close-of-business', { through_date: today });
  const timely = await superadmin.post('/jobs/close-of-business', {});

  expect(early).toMatchObject({
    status: 422,
    body: {
      errors: { through_date: `This day is not over yet: in America/New_York it is ${today}.` },
    },
  });
  expect(timely.status).toBe(202);
});

test('a superadmin sees every pool, also paused ones, and how many of the tenant’s own jobs wait', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const stranger = await stage.tenant('2026-01-15');
  const superadmin = await tenant.signedIn('superadmin');
  for (const [{ id }, chunks] of [[tenant, 2] as const, [stranger, 5] as const]) {
    for (let chunk = 1; chunk <= chunks; chunk += 1) {
      const payload = JSON.stringify({ tenant_id: id, run_id: id, chunk });
      await stage.owner.query(`select app.add_job('close-loans', $1, null, 5, null)`, [payload]);
    }
  }
  await stage.owner.query("select app.pause_work('ledger', null, null, 'operator', 'Audit.')");
  onTestFinished(async () => void (await stage.owner.query('delete from app.pauses')));

  const listed = await superadmin.get('/jobs');
  const tooLow = await tenant.officer.get('/jobs');

  expect(listed.body).toMatchObject([
    { pool: 'ledger', state: 'paused', reason: null, processes: 0, waiting: 2, failed: 0 },
    { pool: 'documents', state: 'not running', waiting: 0 },
    { pool: 'outbound', state: 'not running', waiting: 0 },
  ]);
  expect(tooLow.status).toBe(403);
});
