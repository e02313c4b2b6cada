import { mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { afterAll, expect, test } from 'vitest';
import { createApp, serverOf } from '../../api/http/app.ts';
import { routes } from '../../api/routes.ts';
import { BARE } from '../../jobs/installation.ts';
import { createUser } from '../../jobs/users/create-user.ts';
import { SYSTEM, workOf, type Work } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate } from '../../sql/database/migrate.ts';
import { newClient } from '../setup/client.ts';

const PASSWORD = 'correct horse battery';

const folder = await mkdtemp(path.join(tmpdir(), 'servicing-outage-'));
const postgres = await startEmbeddedPostgres(folder, { throwAway: true });
await migrate(postgres.url);
const pool = await openPool(postgres.url, { size: 4 });
const lines: string[] = [];
const app = createApp({
  pool,
  configuration: { NODE_ENV: 'test', TRUSTED_PROXIES: [] },
  log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
  routes,
  health: { isReady: true },
  installation: BARE,
});
const server = serverOf(app);
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
const client = newClient((server.address() as AddressInfo).port, 'tenant.test');

afterAll(async () => {
  server.closeAllConnections();
  server.close();
  await pool.end();
  await postgres.stop('immediate');
  await rm(folder, { recursive: true, force: true });
});

async function signIn() {
  const owner = new pg.Client(postgres.url);
  await owner.connect();
  const made = await owner.query<{ id: string }>(
    "select app.create_tenant('tenant', 'Tenant', '2026-01-15', '{tenant.test}') as id",
  );
  await owner.end();
  const user = { email: 'a@b.test', first_name: 'A', last_name: 'B', tenant_role: 'viewer' };
  const steps = (work: Work) => createUser(work, { ...user, password: PASSWORD });
  await workOf(pool, SYSTEM)(made.rows[0]?.id ?? '', steps);
  await client.login(user.email, PASSWORD);
}

test('while the database is away the answer is 503, and afterwards all is as before', async () => {
  await signIn();
  const ask = async () => [
    await client.get('/users/me'),
    await client.get('/borrowers'),
    await client.post('/borrowers', { first_name: 'A', last_name: 'B' }),
    await client.get('//readyz'),
    await client.get('//healthz'),
  ];
  const token = client.cookies.get('csrftoken');

  const before = await ask();
  await postgres.stop();
  const away = await ask();
  const page = await client.get('//portal/sign-in');
  await postgres.restart();
  const after = await ask();

  expect(before.map(({ status }) => status)).toEqual([200, 200, 403, 200, 200]);
  expect(away.map(({ status }) => status)).toEqual([503, 503, 503, 503, 200]);
  for (const reply of away.slice(0, 3)) {
    expect(reply.body).toMatchObject({ code: 'unavailable', request_id: expect.any(String) });
    expect(Number(reply.headers['retry-after'])).toBeGreaterThan(0);
    expect(reply.headers['set-cookie']).toEqual([expect.stringContaining(`csrftoken=${token}`)]);
  }
  expect([page.status, page.headers['content-type']]).toEqual([503, 'text/html; charset=utf-8']);
  expect(page.body).toContain('We are away for a moment');
  expect(after.map(({ status }) => status)).toEqual([200, 200, 403, 200, 200]);
  expect(lines.join('')).toContain('unavailable');
});
