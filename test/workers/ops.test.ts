import { spawnSync } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { openPool, sql } from '../../sql/database/db.ts';
import { listPauses, listPoolSlots } from '../../sql/queue/worker-operations.ts';
import { createTenant } from '../../workers/ops/create-tenant.ts';
import { createUser } from '../../workers/ops/create-user.ts';
import { UsageError, type Operation } from '../../workers/ops/operation.ts';
import { pauseJobs, listPauses as showPauses, resumeJobs } from '../../workers/ops/pause.ts';
import { listPools } from '../../workers/ops/pools.ts';
import { manageRestoredCopy } from '../../workers/ops/restored-copy.ts';
import { showOrChangeSettings } from '../../workers/ops/settings.ts';
import { escapeForTerminal } from '../../workers/ops/run-operation.ts';
import { listChanges, setSlots, setSubPools } from '../../workers/ops/slots.ts';
import { showQueueStatus } from '../../workers/ops/status.ts';
import { cloneDatabase } from '../setup/database.ts';

const database = await cloneDatabase();
const owner = await openPool(database.url, { role: 'servicing_owner', size: 2 });
const worker = await openPool(database.url, { role: 'servicing_worker', size: 2 });
const app = await openPool(database.url, { size: 2 });
afterAll(async () => {
  await Promise.all([owner.end(), worker.end(), app.end()]);
  await database.drop();
});

type Wish = { options?: Record<string, string>; newPassword?: string };

/** Runs an operator's command without a shell. */
const ask = async (operation: Operation, words: string[], { options = {}, newPassword }: Wish) =>
  operation.run({
    url: database.url,
    owner: worker,
    app,
    words,
    options,
    newPassword,
    installation: DEFAULT_INSTALLATION,
  });

await ask(createTenant, ['bank'], { options: { domains: 'bank.test' } });
const viewer = { role: 'viewer', tenant: 'bank' };

test.each([
  ['a host with a scheme', { domains: 'http://loans.test/' }, 'is not a host'],
  ['a host with a space', { domains: 'loans test' }, 'is not a host'],
  ['a host with a port', { domains: 'loans.test:3000' }, 'is not a host'],
  ['a day long gone', { domains: 'a.test', 'business-date': '0001-01-01' }, 'within 40 years'],
  ['the last of days', { domains: 'a.test', 'business-date': '9999-12-31' }, 'within 40 years'],
  ['a name without end', { domains: 'a.test', name: 'n'.repeat(201) }, '1 to 200 characters'],
])('no tenant can be created with %s', async (_what, options, reason) => {
  const asked = ask(createTenant, ['other'], { options });

  await expect(asked).rejects.toThrow(reason);
  await expect(asked).rejects.toBeInstanceOf(UsageError);
});

test.each(['localhost', 'acme.localhost', '127.0.0.1', 'bank.test,127.1.2.3'])(
  'in production no tenant can be created at %s, which every machine uses for itself',
  async (domains) => {
    const asked = ask(createTenant, ['local'], { options: { domains } });

    await expect(asked).rejects.toThrow('does not work in links');
    await expect(asked).rejects.toBeInstanceOf(UsageError);
  },
);

test('in development a tenant may use a local host name', async () => {
  const installation = { ...DEFAULT_INSTALLATION, local_port: 3000 };
  const given = { url: database.url, owner: worker, app, newPassword: undefined, installation };

  const made = await createTenant.run({
    ...given,
    words: ['local'],
    options: { domains: 'local.localhost' },
  });

  expect(made.rows).toMatchObject([{ slug: 'local', domains: ['local.localhost'] }]);
});

test('hosts are stored as browsers send them, without duplicates', async () => {
  const made = await ask(createTenant, ['mixed'], {
    options: { domains: 'Mixed.Test, mixed.test' },
  });

  expect(made.rows).toMatchObject([{ slug: 'mixed', domains: ['mixed.test'] }]);
});

test.each([
  ['an address of two', 'a,b@x.test', {}, 'Must be an email address.'],
  ['an address without end', `${'a'.repeat(300)}@x.test`, {}, 'email'],
  ['a name without end', 'a@x.test', { options: { ...viewer, name: 'n'.repeat(201) } }, 'first_na'],
  ['a short password', 'a@x.test', { newPassword: 'short' }, 'NEW_PASSWORD: Must be at least'],
  ['a common password', 'a@x.test', { newPassword: 'Dr@gon123456!' }, 'easy to guess'],
])('no user can be created with %s', async (_what, email, wish, reason) => {
  const asked = ask(createUser, [email], { options: viewer, ...wish });

  await expect(asked).rejects.toThrow(reason);
  await expect(asked).rejects.toBeInstanceOf(UsageError);
});

test('a user is created once, with a lower-case address', async () => {
  const newPassword = 'correct horse battery';

  const made = await ask(createUser, ['Vi@Bank.test'], { options: viewer, newPassword });
  const again = ask(createUser, ['vi@bank.test'], { options: viewer });

  expect(made.rows).toMatchObject([{ email: 'vi@bank.test', tenant_role: 'viewer' }]);
  expect(JSON.stringify(made)).not.toContain(newPassword);
  await expect(again).rejects.toThrow('already');
});

test('a setting that is cleared and then set in one line is refused with a reason', async () => {
  const asked = ask(showOrChangeSettings, ['webhooks=null', 'webhooks.timeout_ms=5'], {
    options: { tenant: 'bank' },
  });

  await expect(asked).rejects.toThrow('webhooks.timeout_ms');
  await expect(asked).rejects.toBeInstanceOf(UsageError);
});

test('an extra argument is refused with the usage, and nothing is done', async () => {
  const env = { DATABASE_URL: database.url, PATH: process.env['PATH'] };
  const words = ['pause', 'pool', 'outbound', 'documents'];

  const asked = spawnSync(process.execPath, ['workers/ops.ts', ...words], { env });

  expect(asked.status).toBe(2);
  expect(String(asked.stderr)).toContain('"documents" is not expected here.');
  expect(String(asked.stderr)).toContain('Usage: pause [pool NAME] [task NAME] [tenant SLUG]');
  expect(await listPauses(owner)).toEqual([]);
});

test('a pool that is paused or has no workers is shown with its waiting jobs', async () => {
  const tenant = await owner.one(sql.typeAlias('id')`select id from tenants where slug = 'bank'`);
  const payload = JSON.stringify({ tenant_id: tenant.id, document_id: tenant.id });
  for (let count = 0; count < 3; count += 1) {
    await owner.query(sql.typeAlias('void')`
      select app.add_job('render-document', ${payload}::json, null, 5, null)
    `);
  }
  await ask(pauseJobs, ['pool', 'documents'], {
    options: { reason: 'The printer is away.', by: 'ann' },
  });

  const listed = await ask(listPools, [], {});
  const told = await ask(showQueueStatus, [], {});
  await ask(resumeJobs, ['pool', 'documents'], { options: { reason: 'It is back.', by: 'ann' } });
  const resumed = await ask(listPools, [], {});

  expect(listed.rows).toEqual([
    { pool: 'ledger', state: 'not running', waiting: 0 },
    {
      pool: 'documents',
      state: 'paused',
      waiting: 3,
      reason: 'The printer is away.',
      paused_by: 'ann',
      paused_at: expect.any(String),
    },
    { pool: 'outbound', state: 'not running', waiting: 0 },
  ]);
  expect(told.rows).toMatchObject([
    { pool: 'documents', state: 'paused', task: 'render-document', ready: '3' },
    { pool: 'ledger', state: 'not running', task: '', ready: '0' },
    { pool: 'outbound', state: 'not running', task: '', ready: '0' },
  ]);
  expect(resumed.rows?.[1]).toMatchObject({ state: 'not running', waiting: 3 });
});

const BECAUSE = { reason: 'A test.', by: 'ann' };

test.each([
  ['pause', [], BECAUSE, 'Name what to pause or resume: [pool NAME] [task NAME] [tenant SLUG]'],
  ['pause', ['pool'], BECAUSE, 'Add the name of the pool.'],
  ['pause', ['pool', 'printers'], BECAUSE, 'Known: ledger, documents, outbound.'],
  ['pause', ['task', 'print'], BECAUSE, 'There is no task "print".'],
  ['pause', ['tenant', 'nobody'], BECAUSE, 'Known: bank, local, mixed.'],
  ['pause', ['pool', 'ledger', 'pool', 'outbound'], BECAUSE, 'Name only one pool.'],
  ['pause', ['pool', 'ledger'], {}, 'Say why with --reason TEXT'],
  ['pause', ['pool', 'ledger'], { reason: ' ', by: 'ann' }, 'Say why with --reason TEXT'],
  ['resume', ['pool', 'ledger'], { by: 'ann' }, 'Say why with --reason TEXT'],
  ['slots', ['printers', '3'], BECAUSE, 'There is no pool "printers".'],
  ['slots', ['ledger', '0'], BECAUSE, 'To run no jobs, pause the pool'],
  ['slots', ['ledger', '201'], BECAUSE, 'a number from 1 to 200, or own'],
  ['slots', ['ledger', '1e1'], BECAUSE, 'a number from 1 to 200, or own'],
  ['sub-pools', ['letters', 'print-letter'], BECAUSE, 'Use POOL:NAME'],
  ['sub-pools', ['documents:letters', 'close-loans'], BECAUSE, 'documents has no kind of job'],
  ['sub-pools', ['documents:letters'], BECAUSE, 'Name the kinds of jobs'],
] as const)(
  '%s %j is refused with a reason, and changes nothing',
  async (name, words, options, reason) => {
    const operation = [pauseJobs, resumeJobs, setSlots, setSubPools].find(
      (known) => known.name === name,
    );

    const asked = ask(operation ?? pauseJobs, [...words], { options });

    await expect(asked).rejects.toThrow(reason);
    await expect(asked).rejects.toBeInstanceOf(UsageError);
    expect([await listPauses(owner), await listPoolSlots(owner)]).toEqual([[], []]);
  },
);

test('a tenant’s job kind is paused and shown by name, and every step records who and why', async () => {
  await ask(pauseJobs, ['task', 'render-document', 'tenant', 'bank'], { options: BECAUSE });
  await ask(setSlots, ['documents', '7'], { options: BECAUSE });
  await ask(setSubPools, ['documents:paper', 'print-letter', 'print-letter'], { options: BECAUSE });

  const held = await ask(showPauses, [], {});
  const stand = await ask(listPools, [], {});
  const set = await ask(setSlots, [], {});
  const other = await ask(resumeJobs, ['task', 'render-document'], { options: BECAUSE });
  const same = await ask(resumeJobs, ['tenant', 'bank', 'task', 'render-document'], {
    options: { reason: 'Done.', by: 'bob' },
  });
  await ask(setSlots, ['documents', 'own'], { options: BECAUSE });
  await ask(setSubPools, ['documents:paper', 'none'], { options: BECAUSE });

  const pausedTask = {
    task: 'render-document',
    tenant: 'bank',
    reason: 'A test.',
    paused_by: 'ann',
  };
  expect(held.rows).toMatchObject([pausedTask]);
  expect(stand.rows?.at(-1)).toMatchObject({ ...pausedTask, state: 'paused' });
  expect(set.rows).toMatchObject([{ pool: 'documents', slots: 7, set_by: 'ann' }]);
  expect([other.rows?.[0], same.rows?.[0]]).toMatchObject([
    { was_paused: false },
    { was_paused: true },
  ]);
  expect((await ask(listChanges, [], { options: { limit: '4' } })).rows).toMatchObject([
    { action: 'sub-pool', details: { sub_pool: 'documents:paper', tasks: [] } },
    { action: 'slots', details: { pool: 'documents', slots: 'own' } },
    { action: 'resume', details: { task: 'render-document' }, who: 'bob', why: 'Done.' },
    { action: 'sub-pool', details: { tasks: ['print-letter'] }, who: 'ann' },
  ]);
  expect((await ask(setSlots, [], {})).say).toBe('Every pool uses its start value.');
});

test('a restored copy is held with a reason, lists what it would do by kind, and is released once', async () => {
  await owner.query(sql.typeAlias('void')`
    select app.add_job('deliver-webhook', '{}'::json, now() + interval '1 day', 3, null)
    from generate_series(1, 3)`);
  const reason = { options: { reason: 'Of Monday', by: 'Ann' } };

  const held = await ask(manageRestoredCopy, ['hold'], reason);
  const paused = await listPauses(worker);
  const released = await ask(manageRestoredCopy, ['release'], reason);
  const again = await ask(manageRestoredCopy, ['release'], reason);

  expect(held.say).toContain('This is a restored copy. No jobs start in the pools ');
  expect(held.say).toMatch(/deliver-webhook +3\n/);
  expect(paused).toHaveLength(3);
  for (const pause of paused)
    expect(pause).toMatchObject({ reason: 'A restored copy: Of Monday', paused_by: 'Ann' });
  expect(released.say).toMatch(/ledger.* are released\. \d+ waiting jobs run now\.$/);
  expect(await listPauses(worker)).toEqual([]);
  expect(again).toMatchObject({ code: 1, say: 'Nothing is held as a restored copy.' });
  await expect(ask(manageRestoredCopy, [], {})).rejects.toThrow('Use look, hold or release.');
  await expect(ask(manageRestoredCopy, ['hold'], {})).rejects.toThrow('Say why');
});

test('a tenant’s text is printed without terminal control characters', () => {
  const written = 'Lender\u001b[2J\u009b31m\u202egnp.exe\r\u0007';
  const json = escapeForTerminal(JSON.stringify([{ name: written }]));

  expect(escapeForTerminal(`one\n\ttwo ${written}`)).toBe(
    'one\n\ttwo Lender\\u001b[2J\\u009b31m\\u202egnp.exe\\u000d\\u0007',
  );
  expect(JSON.parse(json)).toEqual([{ name: written }]);
  expect(json).toMatch(/^[ -~]*$/);
});
