import { spawnSync } from 'node:child_process';
import { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { BARE } from '../../jobs/installation.ts';
import { openPool } from '../../sql/database/db.ts';
import { createTenant } from '../../workers/ops/create-tenant.ts';
import { createUser } from '../../workers/ops/create-user.ts';
import { cloneDatabase } from '../setup/database.ts';

const database = await cloneDatabase();
const owner = await openPool(database.url, { role: 'servicing_owner', size: 1 });
const app = await openPool(database.url, { size: 2 });
const admin = new Pool({ connectionString: database.url, max: 1 });
afterAll(async () => {
  await Promise.all([owner.end(), app.end(), admin.end()]);
  await database.drop();
});
const given = { url: database.url, owner, app, installation: BARE };

test('the seed joins what another program has left, changes nothing of it, and may be repeated', async () => {
  const options = { domains: 'localhost,127.0.0.1' };
  await createTenant.run({ ...given, words: ['demo'], options, newPassword: undefined });
  const wish = { tenant: 'demo', role: 'admin', name: 'Their Own' };
  const newPassword = 'a password of their own';
  await createUser.run({ ...given, words: ['admin@demo.test'], options: wish, newPassword });
  const env = { DATABASE_URL: database.url, PATH: process.env['PATH'] };

  const runs = [1, 2].map(() => spawnSync(process.execPath, ['workers/seed.ts'], { env }));

  const { rows: users } = await admin.query<{ email: string; first_name: string }>(
    `select email, first_name from users where email like '%@demo.test' order by email`,
  );
  expect(runs.map(({ status, stderr }) => [status, String(stderr)])).toEqual([
    [0, ''],
    [0, ''],
  ]);
  expect(users.map(({ email }) => email.split('@')[0])).toEqual([
    'admin',
    'borrower',
    'collector',
    'officer',
    'superadmin',
    'viewer',
  ]);
  expect(users[0]?.first_name).toBe('Their');
});
