import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, createServer, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { createApp, serverOf } from '../../api/http/app.ts';
import { routes } from '../../api/routes.ts';
import { BARE } from '../../jobs/installation.ts';
import { createUser } from '../../jobs/users/create-user.ts';
import { SYSTEM, workOf } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate } from '../../sql/database/migrate.ts';
import { newClient } from '../setup/client.ts';
import { planOf, populate } from './people.ts';

/**
 * A list of 25 borrowers of 10,000 over HTTP, beside the least that any server must do for it; and how
 * long a search takes. `npm run bench -- lists million` does the same with a million.
 */
const FEW = 10_000;
const MANY = 1_000_000;
const SECONDS = 1;
const ROUNDS = 5;
const AT_ONCE = 16;

async function measure({ port, target, headers }: Target) {
  const agent = new Agent({ keepAlive: true, maxSockets: AT_ONCE });
  const once = () =>
    new Promise<void>((resolve, reject) => {
      const outgoing = request(
        { port, path: encodeURI(decodeURI(target)), headers, agent },
        (incoming) => {
          if (incoming.statusCode !== 200) reject(new Error(`status ${incoming.statusCode}`));
          incoming.on('end', resolve).resume();
        },
      );
      outgoing.on('error', reject).end();
    });
  for (let at = 0; at < 50; at += 1) await once();
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

type Target = { port: number; target: string; headers: Record<string, string> };

/** node:http and the bare driver: one prepared statement, rows as JSON, no session, no tenancy. */
async function floor(url: string, withCount: boolean): Promise<Target> {
  const pool = new pg.Pool({ connectionString: url, max: 8 });
  pool.on('error', () => {});
  const found = await pool.query<{ id: string }>('select id from tenants');
  const values = [found.rows[0]?.id];
  const text = `select id, borrower_type, first_name, last_name, date_of_birth::text, email, created_at::text
    from (select record.*, email.email from borrowers as record
      left join emails as email on email.tenant_id = record.tenant_id and email.borrower_id = record.id
        and email.is_primary and not email.is_archived) as row
    where tenant_id = $1 and not is_archived order by row.created_at desc, row.id desc limit 25`;
  const count = 'select count(*) from borrowers where tenant_id = $1 and not is_archived';
  const answer = async (response: ServerResponse) => {
    const { rows } = await pool.query({ name: 'page', text, values });
    if (withCount) await pool.query({ name: 'count', text: count, values });
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(rows));
  };
  const port = await listening(createServer((_, response) => void answer(response)));
  return { port, target: '/', headers: {} };
}

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

async function ours(url: string, tenantId: string) {
  const pool = await openPool(url, { size: 8 });
  const names = { first_name: 'A', last_name: 'B', tenant_role: 'viewer' };
  const user = { email: 'bench@bench.test', ...names, password: 'correct horse battery' };
  await workOf(pool, SYSTEM)(tenantId, (work) => createUser(work, user));
  const app = createApp({
    pool,
    configuration: { NODE_ENV: 'test', TRUSTED_PROXIES: [] },
    log: pino({ level: 'silent' }),
    routes,
    health: { isReady: true },
    installation: BARE,
  });
  const port = await listening(serverOf(app));
  const client = newClient(port, 'bench.test');
  await client.login(user.email, user.password);
  const Cookie = [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; ');
  return { port, headers: { Host: 'bench.test', Cookie } };
}

/** A whole name, an address, what begins one, a first name that many have, single letters; and all, one list at a time. */
const SEARCHES = ['Fordwellba', 'fordwellba.', 'Grace Bo', 'fords', 'Mary', 'a', 'm', ''];

/** How long the first page of a search takes, count and all. */
async function search({ port, headers }: Pick<Target, 'port' | 'headers'>, word: string) {
  const times: number[] = [];
  let range: string | null = '';
  for (let at = 0; at < 9; at += 1) {
    const started = performance.now();
    const path = `/api/v1/borrowers?${new URLSearchParams({ range: '[0,24]', ...(word && { q: word }) })}`;
    range = await new Promise<string>((resolve, reject) => {
      const outgoing = request({ port, path, headers }, (incoming) => {
        const { statusCode, headers: answered } = incoming;
        const told = answered['content-range'] ?? `status ${statusCode}`;
        incoming.on('end', () => resolve(told)).resume();
      });
      outgoing.on('error', reject).end();
    });
    times.push(performance.now() - started);
  }
  const middle = times.toSorted((one, other) => one - other)[4] ?? 0;
  console.log(`q=${word.padEnd(14)} ${range.padEnd(26)} ${middle.toFixed(1).padStart(8)} ms`);
}

/** Prints what a second brings, beside the floor; the servers end with the process. */
export async function lists(words: readonly string[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'servicing-bench-'));
  const postgres = await startEmbeddedPostgres(folder, { throwAway: true });
  await migrate(postgres.url);
  const rows = words.includes('million') ? MANY : FEW;
  const tenantId = await populate(postgres.url, rows);
  const api = await ours(postgres.url, tenantId);
  const page = encodeURI('sort=["created_at","DESC"]&range=[0,24]');
  const targets: [string, Target][] = [
    ['floor: node:http, bare driver, prepared', await floor(postgres.url, false)],
    ['floor with count(*)', await floor(postgres.url, true)],
    [`GET /borrowers, 25 of ${rows}, counted`, { ...api, target: `/api/v1/borrowers?${page}` }],
    [
      'GET /borrowers, a last page, not counted',
      { ...api, target: '/api/v1/borrowers?last_name=Bababa' },
    ],
    ['GET /users/me', { ...api, target: '/api/v1/users/me' }],
    ['GET /healthz', { ...api, target: '/healthz' }],
  ];
  // In turns, and the best of each: a busy machine slows whoever runs at that moment.
  const best = targets.map(() => 0);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, [, target]] of targets.entries()) {
      best[at] = Math.max(best[at] ?? 0, await measure(target));
    }
  }
  for (const [at, [name]] of targets.entries()) {
    const [least = 1, rate = 0] = [best[0], best[at]];
    console.log(`${name.padEnd(48)}${String(rate).padStart(7)}/s  ${(rate / least).toFixed(2)}`);
  }
  for (const word of SEARCHES) await search(api, word);
  console.log(await planOf(postgres.url, tenantId, SEARCHES[0] ?? ''));
  await postgres.stop('immediate');
  await rm(folder, { recursive: true, force: true });
}
