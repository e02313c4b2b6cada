import { beforeEach, expect, test } from 'vitest';
import { SCHEDULE } from '../../jobs/operations/schedule.ts';
import { failJobs, newOperator, enqueueJobs } from '../setup/operators.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const ours = await stage.tenant();
const theirs = await stage.tenant();
const superadmin = await ours.signedIn('superadmin');
const operator = await newOperator(stage, await stage.tenant());
const WHY = { reason: 'The cause is gone.' };

beforeEach(async () => {
  await stage.owner.query('delete from graphile_worker._private_jobs');
  await stage.owner.query('delete from app.failed_jobs');
  await stage.owner.query('delete from app.pauses');
});

const waiting = (tenant: { id: string }, count = 1) =>
  enqueueJobs(stage, 'close-loans', { tenant_id: tenant.id, run_id: tenant.id }, count);
const numbersIn = (body: { rows: { number: string }[] }) => body.rows.map(({ number }) => number);
const change = (client: typeof superadmin, body: object) =>
  client.post('/operations/jobs/change', { ...WHY, ...body });

test('a superadmin sees the tenant’s own jobs, and operators see the jobs of all tenants', async () => {
  const [own] = await waiting(ours, 2);
  const [foreign] = await waiting(theirs, 1);
  await enqueueJobs(stage, 'clean-up', {});

  const seen = await superadmin.get('/operations/jobs');
  const asked = await superadmin.get(`/operations/jobs?tenant_id=${theirs.id}`);
  const all = await operator.get('/operations/jobs');
  const some = await operator.get(`/operations/jobs?tenant_id=${theirs.id}&kind=close-loans`);

  expect([seen.body.total, asked.body.total, all.body.total]).toEqual([2, 2, 4]);
  expect(numbersIn(some.body)).toEqual([foreign]);
  expect(seen.body.rows[0]).toMatchObject({
    number: own,
    kind: 'close-loans',
    state: 'waiting',
    attempts: 0,
    max_attempts: 5,
    payload: {
      tenant_id: ours.id,
      chunk: '1',
    },
  });
  expect((await superadmin.get(`/operations/jobs/${foreign}`)).status).toBe(404);
  expect((await operator.get(`/operations/jobs/${foreign}`)).body).toMatchObject({ errors: [] });
  expect((await superadmin.get('/operations/jobs/0x1')).status).toBe(404);
  expect((await superadmin.get('/operations/tenants')).body).toMatchObject([{ slug: ours.slug }]);
  expect((await operator.get('/operations/tenants')).body).toHaveLength(3);
  const kinds = await superadmin.get('/operations/kinds');
  expect(kinds.body).toMatchObject([{ kind: 'close-loans', pool: 'ledger', waiting: 2 }]);
});

test('a payload shows only ids and dates', async () => {
  const tenant_id = ours.id;
  await enqueueJobs(stage, 'close-loans', {
    tenant_id,
    ssn: '123456789',
    note: 'Call Ann',
    tries: 3,
  });

  const [job] = (await superadmin.get('/operations/jobs')).body.rows;

  expect(job.payload).toEqual({ tenant_id, ssn: '…', note: '…', tries: '3', chunk: '1' });
});

test('a tenant cannot change another tenant’s job or settings that affect all tenants', async () => {
  const [foreign] = await waiting(theirs);
  const hold = { pool: 'ledger', ...WHY };

  const canceled = await change(superadmin, { action: 'cancel', jobs: [foreign] });
  const asked = { action: 'cancel', matching: { tenant_id: theirs.id } };
  const matching = await change(superadmin, asked);
  const paused = await superadmin.post('/operations/pauses', hold);
  const slots = await superadmin.post('/operations/slots', { pool: 'ledger', slots: 9, ...WHY });
  const tooLow = await ours.officer.get('/operations/jobs');

  expect([canceled.body, matching.body]).toEqual([
    { changed: 0, left: 0 },
    { changed: 0, left: 0 },
  ]);
  expect([paused.status, slots.status, tooLow.status]).toEqual([403, 403, 403]);
  expect((await superadmin.get('/operations/quarters')).body).toEqual([]);
  expect((await operator.get('/operations/jobs')).body.total).toBe(1);
});

test('an operator without a second factor sees nothing', async () => {
  const tenant = await stage.tenant();
  const { rows } = await stage.owner.query('select tenant_id from app.operators');
  await stage.owner.query('insert into app.operators (tenant_id) values ($1)', [tenant.id]);
  const alone = await tenant.signedIn('superadmin');

  const reply = await alone.get('/operations/jobs');
  const paused = await alone.post('/operations/pauses', { pool: 'ledger', ...WHY });

  expect(rows).toHaveLength(1);
  expect(reply).toMatchObject({ status: 403, body: { code: 'second_factor_required' } });
  expect(paused.status).toBe(403);
  await stage.owner.query('delete from app.operators where tenant_id = $1', [tenant.id]);
});

test('failures are listed by cause, retried together, and then gone', async () => {
  const numbers = await waiting(ours, 3);
  const [foreign] = await waiting(theirs, 1);
  await failJobs(stage, numbers, 'Loan % has no plan (22023).');
  await failJobs(stage, [foreign ?? ''], 'Loan % has no plan (22023).');

  const causes = await superadmin.get('/operations/failures');
  const all = await operator.get('/operations/failures');
  const cause = 'Loan # has no plan (#).';
  const matching = { state: 'failed', kind: 'close-loans', cause };
  const other = await change(superadmin, { action: 'retry', matching, expected: 4 });
  const retried = await change(superadmin, { action: 'retry', matching, expected: 3 });

  expect(causes.body).toMatchObject([{ kind: 'close-loans', cause, jobs: 3, tenants: 1 }]);
  expect(all.body).toMatchObject([{ cause, jobs: 4, tenants: 2 }]);
  expect(other).toMatchObject({ status: 409, body: { details: { matching: 3 } } });
  expect(retried.body).toEqual({ changed: 3, left: 0 });
  expect((await superadmin.get('/operations/failures')).body).toEqual([]);
  expect((await superadmin.get('/operations/jobs')).body.total).toBe(3);
  expect((await operator.get('/operations/failures')).body).toMatchObject([{ jobs: 1 }]);
  const [told] = (await superadmin.get('/operations/changes')).body;
  expect(told).toMatchObject({
    who: `superadmin@${ours.slug}.test`,
    action: 'retry-jobs',
    why: WHY.reason,
    details: {
      count: 3,
      jobs: numbers.map(Number),
    },
  });
});

test('a job is postponed, run now, canceled and restored', async () => {
  const [number = ''] = await waiting(ours);
  const later = await change(superadmin, {
    action: 'reschedule',
    jobs: [number],
    run_at: '2030-01-01T00:00:00Z',
  });
  const scheduled = await superadmin.get('/operations/jobs?state=scheduled');
  const now = await change(superadmin, { action: 'run-now', jobs: [number] });
  const due = await superadmin.get('/operations/jobs');
  const canceled = await change(superadmin, { action: 'cancel', jobs: [number] });
  const kept = await superadmin.get(`/operations/jobs/${number}`);
  const untold = await change(superadmin, { action: 'discard', jobs: [number] });
  await stage.owner.query('update app.failed_jobs set handled_at = now()');
  const retried = await change(superadmin, { action: 'retry', jobs: [number] });

  expect([later, now, canceled, retried].map(({ body }) => body.changed)).toEqual([1, 1, 1, 1]);
  expect([numbersIn(scheduled.body), numbersIn(due.body)]).toEqual([[number], [number]]);
  expect(kept.body).toMatchObject({ state: 'failed', error: 'Canceled by operations.' });
  // The record that depends on a job must be updated before the job is deleted.
  expect(untold.body.changed).toBe(0);
  expect(numbersIn((await superadmin.get('/operations/jobs')).body)).toEqual([number]);
  await failJobs(stage, [number], 'Again.');
  const discarded = await change(superadmin, { action: 'discard', jobs: [number] });
  expect(discarded.body.changed).toBe(1);
  expect((await superadmin.get('/operations/jobs?state=failed')).body.total).toBe(0);
  expect((await superadmin.get('/operations/jobs')).body.total).toBe(0);
});

test('jobs held by a worker are left alone, and their errors are listed', async () => {
  const [number] = await waiting(ours);
  await stage.owner.query(
    "update graphile_worker._private_jobs set locked_by = 'worker-1', locked_at = now(), attempts = 2",
  );
  await stage.owner.query(
    `insert into app.job_errors (job_id, task, tenant_id, attempt, error)
     values ($1, 'close-loans', $2, 1, 'The first try failed.')`,
    [number, ours.id],
  );

  const canceled = await change(superadmin, { action: 'cancel', jobs: [number] });
  const running = await superadmin.get('/operations/jobs?state=running');
  const job = await superadmin.get(`/operations/jobs/${number}`);

  expect(canceled.body.changed).toBe(0);
  expect(numbersIn(running.body)).toEqual([number]);
  expect(job.body).toMatchObject({
    state: 'running',
    errors: [{ attempt: 1, error: 'The first try failed.' }],
  });
});

test('an impossible change is refused and does nothing', async () => {
  const [number] = await waiting(ours);
  const jobs = [number];
  const refused = [
    { action: 'cancel' },
    { action: 'cancel', jobs, matching: {} },
    { action: 'cancel', jobs: ['1; drop'] },
    { action: 'cancel', jobs: [] },
    { action: 'reschedule', jobs },
    { action: 'run-now', jobs, run_at: '2030-01-01T00:00:00Z' },
    { action: 'retry', matching: { state: 'waiting' } },
    { action: 'cancel', matching: { state: 'failed' } },
    { action: 'explode', jobs },
    { action: 'cancel', jobs, reason: ' ' },
    { action: 'cancel', matching: { cause: 'Loan # has no plan.' } },
    { action: 'cancel', matching: { state: 'scheduled', older_seconds: 60 } },
    { action: 'cancel', matching: { tenant: theirs.id } },
  ];
  const statuses = [];
  for (const body of refused) statuses.push((await change(superadmin, body)).status);

  expect(new Set(statuses)).toEqual(new Set([422]));
  expect((await superadmin.get('/operations/jobs')).body.total).toBe(1);
  expect((await superadmin.get('/operations/jobs?offset=999999999')).status).toBe(422);
  expect((await superadmin.get('/operations/jobs?older_seconds=-1')).status).toBe(422);
  expect((await superadmin.get('/operations/jobs?cause=Again')).status).toBe(422);
  expect((await superadmin.get('//ops/jobs?state=waiting&cause=Again')).status).toBe(200);
});

test('an operator pauses, sets slots and resumes; each action is recorded with its reason', async () => {
  const hold = { pool: 'ledger', ...WHY };
  const paused = await operator.post('/operations/pauses', hold);
  const pools = await operator.get('/operations/pools');
  await operator.post('/operations/pauses', { tenant_id: ours.id, ...WHY });
  const told = await superadmin.get('/operations/pauses');
  const [seen] = (await superadmin.get('/operations/pools')).body;
  const ended = await operator.post('/operations/pauses/end', hold);
  const again = await operator.post('/operations/pauses/end', hold);
  const slots = await operator.post('/operations/slots', { pool: 'ledger', slots: 7, ...WHY });
  const nothing = await operator.post('/operations/pauses', WHY);
  const unknown = await operator.post('/operations/pauses', { pool: 'ledger:closes', ...WHY });
  const nobody = '00000000-0000-4000-8000-000000000000';
  const ofNobody = await operator.post('/operations/pauses', { tenant_id: nobody, ...WHY });

  expect([paused.status, ended.status, again.status]).toEqual([200, 200, 409]);
  expect(told.body).toMatchObject([
    { pool: 'ledger', tenant_id: null, reason: null, paused_by: null },
    { tenant: ours.slug, pool: null, reason: WHY.reason, paused_by: null },
  ]);
  expect(ofNobody.body).toMatchObject({ errors: { tenant_id: 'Does not exist.' } });
  const [pausing] = (await superadmin.get('/operations/changes')).body;
  expect(pausing).toMatchObject({ action: 'pause', who: 'an operator of the platform' });
  expect([slots.status, nothing.status, unknown.status]).toEqual([200, 422, 422]);
  expect(pools.body[0]).toMatchObject({ pool: 'ledger', state: 'paused', reason: WHY.reason });
  expect((await operator.get('/operations/pools')).body[0]).toMatchObject({ slots_set: 7 });
  // A pause of the pool concerns every tenant, but its reason may be another tenant's matter.
  expect(seen).toMatchObject({ state: 'paused', reason: null, paused_by: null, processes: [] });
  const done = (await operator.get('/operations/changes')).body;
  const actions = done.slice(0, 4).map(({ action }: { action: string }) => action);
  expect(actions).toEqual(['slots', 'resume', 'pause', 'pause']);
});

test('closes, receivers and scheduled jobs are shown', async () => {
  await superadmin.post('/jobs/close-of-business', { through_date: '2026-01-16' });

  const closes = await superadmin.get('/operations/closes');
  const clock = await superadmin.get('/operations/schedules');

  expect(closes.body).toMatchObject([{ tenant: ours.slug, status: 'running', finished_at: null }]);
  const [chunk] = (await superadmin.get('/operations/jobs?kind=close-loans')).body.rows;
  await failJobs(stage, [chunk.number], 'The plan is missing.');
  const [stuck] = (await superadmin.get('/operations/closes')).body;
  expect(stuck).toMatchObject({ status: 'failed', seconds_left: null });
  expect((await superadmin.get('/operations/webhooks')).body).toEqual([]);
  expect(clock.body).toHaveLength(SCHEDULE.length);
  expect(Date.parse(clock.body[0].next_at)).toBeGreaterThan(Date.now());
});
