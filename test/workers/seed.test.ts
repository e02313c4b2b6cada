import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Pool } from 'pg';
import { afterAll, expect, test } from 'vitest';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { deriveKeys, readSecret } from '../../jobs/sealing/secrets.ts';
import { openPool } from '../../sql/database/db.ts';
import { createTenant } from '../../workers/ops/create-tenant.ts';
import { createUser } from '../../workers/ops/create-user.ts';
import { cloneDatabase } from '../setup/database.ts';

const database = await cloneDatabase();
const owner = await openPool(database.url, { role: 'servicing_owner', size: 1 });
const app = await openPool(database.url, { size: 2 });
const DATA_DIR = mkdtempSync(path.join(tmpdir(), 'servicing-seed-'));
const admin = new Pool({ connectionString: database.url, max: 1 });
afterAll(async () => {
  await Promise.all([owner.end(), app.end(), admin.end()]);
  await database.drop();
  rmSync(DATA_DIR, { recursive: true });
});
const installation = { ...DEFAULT_INSTALLATION, local_port: 3000 };
const given = { url: database.url, owner, app, installation };

test('the seed keeps existing data unchanged, and can be repeated', async () => {
  const options = { domains: 'localhost,127.0.0.1' };
  await createTenant.run({ ...given, words: ['demo'], options, newPassword: undefined });
  const wish = { tenant: 'demo', role: 'admin', name: 'Their Own' };
  const newPassword = 'a password of their own';
  await createUser.run({ ...given, words: ['admin@demo.test'], options: wish, newPassword });
  const env = { DATABASE_URL: database.url, DATA_DIR, PATH: process.env['PATH'] };

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

  // The borrower can pay immediately from an account that the installation can decrypt.
  const { rows: accounts } = await admin.query<{ tenant_id: string; sealed: string }>(
    `select tenant_id, account_number_sealed as sealed from payment_instruments
     where is_verified and status = 'active'
       and borrower_id in (select borrower_id from users where email like 'borrower@%.test')`,
  );
  const keys = deriveKeys(readSecret({ DATA_DIR }));
  expect(accounts.map(({ tenant_id, sealed }) => keys.unseal(tenant_id, sealed))).toEqual([
    '1234567890',
    '1234567890',
  ]);
});
