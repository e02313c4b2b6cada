import { createServer, request, Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { createApp } from '../../api/app.ts';
import { routes } from '../../api/routes.ts';
import { createUser } from '../../jobs/users/create-user.ts';
import { SYSTEM, workOf } from '../../jobs/work.ts';
import { openPool, sql } from '../../sql/db.ts';
import { startEmbeddedPostgres } from '../../sql/embedded.ts';
import { migrate } from '../../sql/migrate.ts';
import { newClient } from '../setup/client.ts';

/** A list of 25 borrowers of 10,000 over HTTP, beside the least that any server must do for it. */
const ROWS = 10_000;
const SECONDS = 4;
const AT_ONCE = 16;
const QUERY = 'sort=["created_at","DESC"]&range=[0,24]';

async function measure(port: number, target: string, headers: Record<string, string>) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const once = () =>
    new Promise<void>((resolve, reject) => {
      const outgoing = request({ port, path: target, headers, agent }, (incoming) => {
        if (incoming.statusCode !== 200) reject(new Error(`status ${incoming.statusCode}`));
        incoming.on('end', resolve).resume();
      });
      outgoing.on('error', reject).end();
    });
  for (let at = 0; at < 200; at += 1) await once();
  let done = 0;
  const until = performance.now() + SECONDS * 1_000;
  const loop = async () => {
    for (; performance.now() < until; done += 1) await once();
  };
  const started = performance.now();
  await Promise.all(Array.from({ length: AT_ONCE }, loop));
  agent.destroy();
  return Math.round((done * 1_000) / (performance.now() - started));
}

/** node:http and the bare driver: one prepared statement, rows as JSON, no session, no tenant. */
async function floor(url: string, withCount: boolean) {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  const found = await pool.query<{ id: string }>('select id from tenants');
  const values = [found.rows[0]?.id];
  const text = `select id, borrower_type, first_name, last_name, date_of_birth::text, email, created_at::text
    from (select record.*, email.email from borrowers as record
      left join emails as email on email.tenant_id = record.tenant_id and email.borrower_id = record.id
        and email.is_primary and not email.is_archived) as row
    where tenant_id = $1 and not is_archived order by row.created_at desc, row.id desc limit 25`;
  const server = createServer((_, response) => {
    const answer = async () => {
      const { rows } = await pool.query({ name: 'page', text, values });
      if (withCount)
        await pool.query({
          name: 'count',
          text: 'select count(*) from borrowers where tenant_id = $1 and not is_archived',
          values,
        });
      response.setHeader('Content-Type', 'application/json');
      response.end(JSON.stringify(rows));
    };
    void answer();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const rate = await measure((server.address() as AddressInfo).port, '/', {});
  server.close();
  await pool.end();
  return rate;
}

async function ours(url: string) {
  const owner = new pg.Client(url);
  await owner.connect();
  const made = await owner.query<{ id: string }>(
    "select app.create_tenant('bench', 'Bench', '2026-01-15', '{bench.test}') as id",
  );
  const id = made.rows[0]?.id ?? '';
  await owner.query(
    `insert into borrowers (tenant_id, first_name, last_name, date_of_birth, created_at)
     select $1, 'First ' || n, 'Last ' || n, '1980-01-01', now() - n * interval '1 minute'
     from generate_series(1, ${ROWS}) as n`,
    [id],
  );
  await owner.query('analyze');
  await owner.end();
  const pool = await openPool(url, { size: 8 });
  const user = {
    email: 'bench@bench.test',
    first_name: 'A',
    last_name: 'B',
    tenant_role: 'viewer',
  };
  await workOf(pool, SYSTEM)(id, (work) =>
    createUser(work, { ...user, password: 'correct horse battery' }),
  );
  const app = createApp({
    pool,
    configuration: { NODE_ENV: 'test', TRUSTED_PROXIES: [] },
    log: pino({ level: 'silent' }),
    routes,
    health: { isReady: true },
  });
  const server = createServer(app.callback());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = newClient(port, 'bench.test');
  await client.login(user.email, 'correct horse battery');
  const headers = {
    Host: 'bench.test',
    Cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
  };
  const target = `/api/v1/borrowers?${encodeURI(QUERY)}`;
  const rates = {
    list: await measure(port, target, headers),
    read: await measure(port, '/api/v1/users/me', headers),
    nothing: await measure(port, '/healthz', headers),
  };
  await pool.query(sql.unsafe`select 1`);
  server.close();
  server.closeAllConnections();
  await pool.end();
  return rates;
}

const folder = await mkdtemp(path.join(tmpdir(), 'servicing-bench-'));
const postgres = await startEmbeddedPostgres(folder, { throwAway: true });
await migrate(postgres.url);
const rates = await ours(postgres.url);
const least = await floor(postgres.url, false);
const counting = await floor(postgres.url, true);
const row = (name: string, rate: number) =>
  console.log(`${name.padEnd(52)}${String(rate).padStart(7)}/s  ${(rate / least).toFixed(2)}`);
row('floor: node:http, bare driver, prepared', least);
row('floor with count(*)', counting);
row(`GET /borrowers, 25 of ${ROWS}, with its count`, rates.list);
row('GET /users/me', rates.read);
row('GET /healthz', rates.nothing);
await postgres.stop('immediate');
await rm(folder, { recursive: true, force: true });
