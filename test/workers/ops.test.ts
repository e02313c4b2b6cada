import { spawnSync } from 'node:child_process';
import { afterAll, expect, test } from 'vitest';
import { BARE } from '../../jobs/installation.ts';
import { openPool, sql } from '../../sql/database/db.ts';
import { pauses } from '../../sql/queue/worker-operations.ts';
import { createTenant } from '../../workers/ops/create-tenant.ts';
import { createUser } from '../../workers/ops/create-user.ts';
import { Misused, type Operation } from '../../workers/ops/operation.ts';
import { pause, resume } from '../../workers/ops/pause.ts';
import { pools } from '../../workers/ops/pools.ts';
import { settings } from '../../workers/ops/settings.ts';
import { status } from '../../workers/ops/status.ts';
import { cloneDatabase } from '../setup/database.ts';

const database = await cloneDatabase();
const owner = await openPool(database.url, { role: 'servicing_owner', size: 2 });
const app = await openPool(database.url, { size: 2 });
afterAll(async () => {
  await Promise.all([owner.end(), app.end()]);
  await database.drop();
});

type Wish = { options?: Record<string, string>; newPassword?: string };

/** What an operator types, without the shell. */
const ask = async (operation: Operation, words: string[], { options = {}, newPassword }: Wish) =>
  operation.run({
    ...{ url: database.url, owner, app, words, options, newPassword },
    installation: BARE,
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
])('no tenant is made with %s', async (_what, options, reason) => {
  const asked = ask(createTenant, ['other'], { options });

  await expect(asked).rejects.toThrow(reason);
  await expect(asked).rejects.toBeInstanceOf(Misused);
});

test('hosts are taken as browsers send them, each once', async () => {
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
  ['a common password', 'a@x.test', { newPassword: 'Dr@gon123456!' }, 'easily guessed'],
])('no user is made with %s', async (_what, email, wish, reason) => {
  const asked = ask(createUser, [email], { options: viewer, ...wish });

  await expect(asked).rejects.toThrow(reason);
  await expect(asked).rejects.toBeInstanceOf(Misused);
});

test('a user is made by the address in small letters, once', async () => {
  const newPassword = 'correct horse battery';

  const made = await ask(createUser, ['Vi@Bank.test'], { options: viewer, newPassword });
  const again = ask(createUser, ['vi@bank.test'], { options: viewer });

  expect(made.rows).toMatchObject([{ email: 'vi@bank.test', tenant_role: 'viewer' }]);
  expect(JSON.stringify(made)).not.toContain(newPassword);
  await expect(again).rejects.toThrow('already');
});

test('a setting that is emptied and then filled in one line is refused, not stumbled over', async () => {
  const asked = ask(settings, ['webhooks=null', 'webhooks.timeout_ms=5'], {
    options: { tenant: 'bank' },
  });

  await expect(asked).rejects.toThrow('webhooks.timeout_ms');
  await expect(asked).rejects.toBeInstanceOf(Misused);
});

test('a word too many is refused with the usage, and nothing is done', async () => {
  const env = { DATABASE_URL: database.url, PATH: process.env['PATH'] };
  const words = ['pause', 'pool', 'outbound', 'documents'];

  const asked = spawnSync(process.execPath, ['workers/ops.ts', ...words], { env });

  expect(asked.status).toBe(2);
  expect(String(asked.stderr)).toContain('"documents" is one word too many.');
  expect(String(asked.stderr)).toContain('Usage: pause [pool NAME] [task NAME] [tenant SLUG]');
  expect(await pauses(owner)).toEqual([]);
});

test('a pool that is paused, or in which nobody works, is shown with what waits for it', async () => {
  const tenant = await owner.one(sql.typeAlias('id')`select id from tenants where slug = 'bank'`);
  const payload = JSON.stringify({ tenant_id: tenant.id, document_id: tenant.id });
  for (let count = 0; count < 3; count += 1) {
    await owner.query(sql.typeAlias('void')`
      select app.add_job('render-document', ${payload}::json, null, 5, null)
    `);
  }
  await ask(pause, ['pool', 'documents'], {
    options: { reason: 'The printer is away.', by: 'ann' },
  });

  const listed = await ask(pools, [], {});
  const told = await ask(status, [], {});
  await ask(resume, ['pool', 'documents'], { options: { reason: 'It is back.', by: 'ann' } });
  const resumed = await ask(pools, [], {});

  expect(listed.rows).toEqual([
    { pool: 'ledger', state: 'not running', waiting: 0 },
    {
      ...{ pool: 'documents', state: 'paused', waiting: 3, reason: 'The printer is away.' },
      ...{ paused_by: 'ann', paused_at: expect.any(String) },
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
