import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, expect, onTestFinished, test } from 'vitest';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { checkInvariants } from '../../sql/invariants/invariants.ts';
import { connectAsOwner } from '../../sql/moving/owner.ts';
import { closeTenant } from '../../workers/moving/close-tenant.ts';
import { UsageError } from '../../workers/ops/operation.ts';
import { moveTenant as operation } from '../../workers/ops/move-tenant.ts';
import { balancesByRole } from '../setup/ledger.ts';
import { newClient } from '../setup/client.ts';
import { forgeExport } from '../setup/forged-export.ts';
import { newLoan } from '../setup/loans.ts';
import { travelTo } from '../setup/queue.ts';
import { newStage, PASSWORD, type Stage, type Tenant } from '../setup/world.ts';

const here = await newStage();
const there = await newStage();
there.installation.keys = here.installation.keys;
const folder = await mkdtemp(path.join(tmpdir(), 'servicing-moves-'));
const file = path.join(folder, 'bank.tar');
const SECRET = 'a secret of more than thirty-two characters';
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs an operator's command against that database. */
async function ask(stage: Stage, words: string[], options = {}) {
  const owner = await openPool(stage.url, { role: 'servicing_worker', size: 1 });
  try {
    const { pool: app, url, installation } = stage;
    const given = { url, owner, app, words, options, newPassword: undefined, secret: SECRET };
    const openFiles = async () => installation.files;
    return await operation.run({ ...given, installation, openFiles });
  } finally {
    await owner.end();
  }
}

async function violationsIn({ url, installation }: Stage) {
  const auditor = await openPool(url, { role: 'servicing_auditor', size: 1 });
  const describeFile = (key: string) => installation.files.describe(key);
  try {
    return await checkInvariants(auditor, { describeFile });
  } finally {
    await auditor.end();
  }
}

const RUN_AT = '2027-01-01T00:00:00.000Z';
const jobsIn = async ({ owner }: Stage) =>
  (
    await owner.query(
      `select task.identifier as task, job.payload, job.run_at, job.attempts, job.key, job.last_error
       from graphile_worker._private_jobs as job
       join graphile_worker._private_tasks as task on task.id = job.task_id order by job.id`,
    )
  ).rows;

/** A tenant with loans, a payment, closed books, a document, and a job that has failed twice. */
async function servicedTenant() {
  const tenant = await here.tenant('2026-01-15');
  const admin = await tenant.signedIn('superadmin');
  const loan = await newLoan(tenant, { disbursement_date: '2026-01-15' });
  await newLoan(tenant, { principal_amount: '2500.00' });
  await travelTo(here, tenant, '2026-02-20');
  const paid = { amount: '250.00', payment_date: '2026-02-20', payment_method: 'check' };
  expect(await tenant.officer.post(`/loans/${loan.id}/payments`, paid)).toMatchObject({
    status: 201,
  });
  const closed = await admin.post('/ledger/closings', { closed_through: '2026-01-31' });
  expect(closed.status).toBe(201);
  const key = `${tenant.slug}/${loan.id}/income_verification/stub.pdf`;
  const stored = await here.installation.files.put(key, Buffer.from('%PDF-1.7 a stub'));
  await here.owner.query(
    `insert into documents (tenant_id, loan_id, document_type, filename, content_type, storage_key,
       sha256_hash, file_size, status, source)
     values ($1, $2, 'income_verification', 'stub.pdf', 'application/pdf', $3, $4, $5, 'uploaded',
       'upload_link')`,
    [tenant.id, loan.id, key, stored.sha256_hash, stored.size],
  );
  await here.owner.query('delete from graphile_worker._private_jobs');
  const payload = { tenant_id: tenant.id, document_id: tenant.id };
  await here.owner.query(
    `select graphile_worker.add_job('render-document', $1::json, run_at => $2, max_attempts => 5,
       job_key => 'render:one')`,
    [JSON.stringify(payload), RUN_AT],
  );
  await here.owner.query(
    "update graphile_worker._private_jobs set attempts = 2, last_error = 'The printer was away.'",
  );
  return { tenant, loan, key };
}

const bank = await servicedTenant();
const { tenant } = bank;

/** The same tenant in the other database. */
const moved = (stage: Stage): Tenant => ({
  ...tenant,
  within: (steps) => createWithin(stage.pool, SYSTEM, stage.installation)(tenant.id, steps),
});

const CLOSED = { status: 503, body: { code: 'tenant_closed' } };

test('a tenant is closed for its export: requests get that reason, and transactions are refused', async () => {
  const exported = await ask(here, ['export', tenant.slug, file]);
  // One process learns of the closure from the database, the other from looking up the host.
  const known = await tenant.officer.get('/loans');
  const stranger = await newClient(await here.listen(), tenant.host).get('/auth/csrf');
  const written = tenant.within(({ today }) => Promise.resolve(today));

  expect(exported.rows).toMatchObject([{ tenant: tenant.slug, jobs: 1, files: 1 }]);
  await expect(written).rejects.toThrow('closed while it moves');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect([known, stranger]).toMatchObject([CLOSED, CLOSED]);
  expect(stranger.headers['retry-after']).toBe('60');
});

test('the export waits for running jobs, and one that does not end leaves the tenant closing', async () => {
  const other = await here.tenant('2026-01-15');
  const payload = JSON.stringify({ tenant_id: other.id });
  await here.owner.query("select app.add_job('render-document', $1::json, now(), 5, 'held')", [
    payload,
  ]);
  await here.owner.query(
    "update graphile_worker._private_jobs set locked_by = 'somebody', locked_at = now() where key = 'held'",
  );
  const owner = await connectAsOwner(here.url);
  onTestFinished(() => owner.end());
  const told: string[] = [];
  const patience = { say: (sentence: string) => void told.push(sentence), patienceMs: 0 };

  const closing = closeTenant(owner, { id: other.id, access: 'open' }, patience);
  await expect(closing).rejects.toThrow('still 1 running jobs');
  const stillWorks = await other.within(({ today }) => Promise.resolve(today));
  await here.owner.query("delete from graphile_worker._private_jobs where key = 'held'");
  await closeTenant(owner, { id: other.id, access: 'closing' }, { say: () => {} });

  expect(stillWorks).toBe('2026-01-15');
  await expect(other.within(async () => {})).rejects.toThrow('closed while it moves');
});

test('a truncated or damaged file imports nothing', async () => {
  const whole = await readFile(file);
  const damaged = path.join(folder, 'damaged.tar');
  const at = whole.indexOf('"principal_amount"');
  const other = Buffer.from(whole);
  other[at + 25] = (other[at + 25] ?? 0) ^ 1;
  const wrong: [Buffer, string][] = [
    [whole.subarray(0, whole.length / 2), 'incomplete'],
    [whole.subarray(0, whole.length - 1_024), 'incomplete'],
    [other, 'damaged'],
    [Buffer.alloc(0), 'incomplete'],
    [Buffer.from('PK'.repeat(2_000)), 'not a tenant export'],
  ];

  for (const [bytes, reason] of wrong) {
    await writeFile(damaged, bytes);
    expect(await ask(there, ['import', damaged])).toMatchObject({
      code: 1,
      say: expect.stringContaining(reason),
    });
  }
  const { rows } = await there.owner.query('select from tenants');
  expect(rows).toEqual([]);
});

test.each([
  ['a file of another tenant', () => `"storage_key": "${tenant.slug}`, 'which is not its own'],
  [
    'a job of another kind',
    () => '"task": "render-document"',
    'is unknown or belongs to another tenant',
  ],
  ['a tenant that is open', () => '"access": "closed"', 'differs? from the manifest|refuses'],
  ['another schema', () => '"schema":"0', 'Bring both to the same release'],
  ['a folder above', () => `"key":"${tenant.slug}`, 'storage key of another tenant'],
])('a file forged to import %s imports nothing', async (_what, from, reason) => {
  const text = from();
  const letters = /\w+"?$/.exec(text)?.[0] ?? '';
  const other = text.slice(0, -letters.length) + letters.replace(/\w/g, 'x');

  const answer = await ask(there, ['import', await forgeExport(file, text, other)]);

  expect(answer).toMatchObject({ code: 1, say: expect.stringMatching(reason) });
  expect((await there.owner.query('select from tenants')).rows).toEqual([]);
  expect(await jobsIn(there)).toEqual([]);
});

test('the tenant is in the other database unchanged, closed, and only once', async () => {
  const before = await jobsIn(here);

  const imported = await ask(there, ['import', file]);
  const again = await ask(there, ['import', file]);
  const asked = await newClient(there.port, tenant.host).get('/auth/csrf');

  expect(imported).toMatchObject({ rows: [{ tenant: tenant.slug, jobs: 1, files: 1 }] });
  expect(again).toMatchObject({ code: 1, say: expect.stringContaining('already') });
  expect(asked).toMatchObject(CLOSED);
  expect(before).toMatchObject([{ task: 'render-document', attempts: 2, key: 'render:one' }]);
  expect(await jobsIn(there)).toEqual(before);
  expect(await there.installation.files.get(bank.key)).toEqual(Buffer.from('%PDF-1.7 a stub'));
});

test('events from before the move are delivered after it: a closed tenant’s events wait', async () => {
  const untold = 'select count(*)::int as count from events where relayed_at is null';
  const before = await there.owner.query(untold);

  await there.owner.query('select app.create_deliveries(1000)');

  const after = await there.owner.query(untold);
  expect(before.rows[0].count).toBeGreaterThan(0);
  expect(after.rows).toEqual(before.rows);
});

test('a tenant that was exported, or deactivated for another reason, is not opened by mistake', async () => {
  const off = await here.tenant('2026-01-15');
  await here.owner.query('update tenants set is_active = false where id = $1', [off.id]);
  const opened = ask(here, ['open', tenant.slug]);

  await expect(opened).rejects.toBeInstanceOf(UsageError);
  await expect(opened).rejects.toThrow('may be open elsewhere');
  await expect(ask(here, ['open', off.slug])).rejects.toThrow('is not active');
});

test('once opened, it closes its next days with the same balances as the original', async () => {
  await ask(here, ['open', tenant.slug], { although: 'exported' });
  await ask(there, ['open', tenant.slug]);
  await here.owner.query('delete from graphile_worker._private_jobs');
  await there.owner.query('delete from graphile_worker._private_jobs');

  const stayed = await booksAfterClose(here, tenant);
  const other = await booksAfterClose(there, moved(there));

  expect(stayed.ledger).not.toEqual({});
  expect(other).toEqual(stayed);
  expect(await violationsIn(there)).toEqual(await violationsIn(here));
  expect(await violationsIn(there)).toEqual([]);
});

async function booksAfterClose(stage: Stage, own: Tenant) {
  await travelTo(stage, own, '2026-03-03');
  // A process that looked the host up while the tenant was closed caches that for five seconds.
  const officer = newClient(await stage.listen(), tenant.host);
  const signedIn = await officer.login(`loan_officer@${tenant.slug}.test`, PASSWORD);
  expect(signedIn.status).toBe(200);
  const { balances } = (await officer.get(`/loans/${bank.loan.id}/balances`)).body;
  const trial = (await officer.get('/ledger/trial-balance')).body;
  const payments = (await officer.get(`/loans/${bank.loan.id}/payments`)).body;
  return { ledger: await balancesByRole(own), balances, trial, payments };
}
