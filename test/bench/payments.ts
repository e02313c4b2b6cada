import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import pg from 'pg';
import pino from 'pino';
import { createApp, serverOf } from '../../api/http/app.ts';
import { routes } from '../../api/routes.ts';
import { BARE } from '../../jobs/installation.ts';
import { levelPayment } from '../../jobs/loans/arithmetic/level-payment.ts';
import { boardTape } from '../../jobs/loans/boarding/board-tape.ts';
import type { TapeRow } from '../../jobs/loans/boarding/boarding-tape.ts';
import { money, parseMoney, parseRate } from '../../jobs/money.ts';
import { createUser } from '../../jobs/users/create-user.ts';
import { openTenant } from '../../jobs/users/open-tenant.ts';
import { SYSTEM, workOf } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate } from '../../sql/database/migrate.ts';
import { newClient } from '../setup/client.ts';
import { plainServer, plainTables } from './payments-floor.ts';

const DAY = '2026-01-15';
const LOANS = 200;
const CLIENTS = 8;
const SECONDS = 2;
const ROUNDS = 3;
const HOST = 'bench.test';

/**
 * Boarding a tape, and payments received over HTTP by several clients at once, each beside the least
 * that any design must do for it: the same rows written by plain inserts.
 */
export async function payments() {
  const folder = mkdtempSync(path.join(tmpdir(), 'bench-'));
  const postgres = await startEmbeddedPostgres(folder, { throwAway: true });
  try {
    await migrate(postgres.url);
    const admin = new pg.Client(postgres.url);
    admin.on('error', () => {});
    await admin.connect();
    const { pool, tenant_id } = await openBench(postgres.url);
    await boarded(pool, tenant_id, admin);
    await received(pool, tenant_id, postgres.url, admin);
    await admin.end();
    await pool.end();
  } finally {
    await postgres.stop('immediate');
    rmSync(folder, { recursive: true, force: true });
  }
}

type Pool = Awaited<ReturnType<typeof openPool>>;

async function openBench(url: string) {
  const owner = await openPool(url, { role: 'servicing_owner', size: 1 });
  const pool = await openPool(url, { size: 16 });
  const tenant = { slug: 'bench', name: 'Bench', business_date: DAY, domains: [HOST] };
  const tenant_id = await openTenant(owner, workOf(pool, SYSTEM), tenant);
  await owner.end();
  return { pool, tenant_id };
}

const TABLES = [
  'loans',
  'loan_events',
  'installments',
  'journal_entries',
  'journal_lines',
  'events',
];

async function boarded(pool: Pool, tenant_id: string, admin: pg.Client) {
  const rows = Array.from({ length: LOANS }, (_, index) => rowOf(index));
  const started = performance.now();
  await workOf(pool, SYSTEM)(tenant_id, (work) => boardTape(work, rows, { file: 'bench' }));
  const own = performance.now() - started;
  let floor = 0;
  for (const table of TABLES) {
    await admin.query(
      `create table floor_${table} (like ${table} including all excluding generated)`,
    );
    const from = performance.now();
    await admin.query(`insert into floor_${table} select * from ${table}`);
    floor += performance.now() - from;
  }
  show('boarding', (LOANS / own) * 1_000, own / LOANS);
  show('floor: the same rows inserted in sets', (LOANS / floor) * 1_000, floor / LOANS);
  console.log(`ratio to the floor ${(floor / own).toFixed(3)}`);
}

function rowOf(index: number): TapeRow {
  const principal = `${5_000 + 100 * (index % 200)}.00`;
  const term_months = [24, 36, 48, 60][index % 4] ?? 36;
  const interest_rate = '0.0999';
  const payment = levelPayment(
    parseMoney(principal),
    parseRate(interest_rate).div(12).round(12),
    term_months,
  );
  return {
    line: index + 2,
    loan_number: `B-${String(index).padStart(6, '0')}`,
    borrower_external_id: `BB-${index}`,
    borrower_first_name: 'First',
    borrower_last_name: `Last ${index}`,
    borrower_state: 'NY',
    principal_amount: principal,
    current_principal_balance: principal,
    interest_rate,
    term_months,
    payment_amount: money(payment),
    origination_date: '2026-01-02',
    first_payment_date: '2026-02-02',
    status: 'active',
    paid_total: '0.00',
    paid_principal: '0.00',
    paid_interest: '0.00',
    paid_late_fees: '0.00',
  };
}

async function received(pool: Pool, tenant_id: string, url: string, admin: pg.Client) {
  const found = await admin.query<{ id: string }>('select id from loans order by id');
  const loans = found.rows.map(({ id }) => id);
  const ours = await apiOf(pool, tenant_id);
  await plainTables(admin);
  const floor = await plainServer(url, tenant_id);
  const targets = [
    { ...ours, name: 'payments over HTTP', port: await listening(ours.server) },
    { ...floor, name: 'floor: the same rows, one by one', port: await listening(floor.server) },
  ];
  // The first statements of each connection are planned, and the first code is compiled.
  for (const target of targets) await measure(target, loans);
  // In turns: a busy machine slows whoever runs at that moment.
  const took: number[][] = targets.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [at, target] of targets.entries()) took[at]?.push(...(await measure(target, loans)));
  }
  for (const [at, { name }] of targets.entries()) {
    const all = (took[at] ?? []).toSorted((one, other) => one - other);
    show(name, all.length / (SECONDS * ROUNDS), all[Math.floor(all.length / 2)] ?? 0);
  }
  const [own = [], least = []] = took;
  console.log(`ratio to the floor ${(own.length / least.length).toFixed(3)}`);
  for (const { server } of [ours, floor]) server.closeAllConnections();
  for (const { server } of [ours, floor]) server.close();
  await floor.end();
}

function show(label: string, rate: number, ms: number) {
  console.log(`${label.padEnd(40)}${rate.toFixed(0).padStart(7)}/s${ms.toFixed(2).padStart(9)} ms`);
}

async function apiOf(pool: Pool, tenant_id: string) {
  const user = { email: 'officer@bench.test', first_name: 'A', last_name: 'B' };
  const password = 'correct horse battery';
  await workOf(pool, SYSTEM)(tenant_id, (work) =>
    createUser(work, { ...user, tenant_role: 'loan_officer', password }),
  );
  const app = createApp({
    pool,
    configuration: { NODE_ENV: 'test', TRUSTED_PROXIES: [] },
    log: pino({ level: 'silent' }),
    routes,
    health: { isReady: true },
    installation: BARE,
  });
  const server = serverOf(app);
  const client = newClient(await listening(server), HOST);
  await client.login(user.email, password);
  const headers = {
    Host: HOST,
    Cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
    'X-CSRFToken': client.cookies.get('csrftoken') ?? '',
    'Content-Type': 'application/json',
  };
  return { server, headers };
}

async function listening(server: Server): Promise<number> {
  if (!server.listening)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

type Target = { port: number; headers: Record<string, string> };

/** Clients that pay without a pause, each on its own loans; answers how long each payment took. */
async function measure({ port, headers }: Target, loans: readonly string[]): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS });
  const body = JSON.stringify({ amount: '5.00' });
  const pay = (loan: string) =>
    new Promise<void>((resolve, reject) => {
      const options = { port, method: 'POST', path: `/api/v1/loans/${loan}/payments`, agent };
      request({ ...options, headers }, (incoming) => {
        let answer = '';
        incoming.on('data', (part: Buffer) => (answer += part.toString()));
        incoming.on('end', () =>
          incoming.statusCode === 201 ? resolve() : reject(new Error(answer)),
        );
      })
        .on('error', reject)
        .end(body);
    });
  const took: number[] = [];
  const until = performance.now() + SECONDS * 1_000;
  const client = async (first: number) => {
    for (let at = first; performance.now() < until; at += CLIENTS) {
      const started = performance.now();
      await pay(loans[at % loans.length] ?? '');
      took.push(performance.now() - started);
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, (_, first) => client(first)));
  agent.destroy();
  return took;
}
