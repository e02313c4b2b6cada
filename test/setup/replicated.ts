import { chmodSync, rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pino from 'pino';
import { afterAll } from 'vitest';
import { createApp, createHttpServer } from '../../api/http/app.ts';
import { routes } from '../../api/routes.ts';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { createUser } from '../../jobs/users/create-user.ts';
import { initializeTenant } from '../../jobs/users/initialize-tenant.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate } from '../../sql/database/migrate.ts';
import { openReplica, type Outcome } from '../../sql/database/replica.ts';
import { newClient } from './client.ts';
import { queryOnce, startStandby } from './standby.ts';
import { PASSWORD, PASSWORD_HASH } from './world.ts';

/** Long enough that a query on a busy machine does not look like a lost server. */
const LOOK_TIMEOUT_MS = 60_000;

/**
 * A Postgres server with a hot standby, and two API processes that read lists from the standby. `outcomes`
 * records which server answered each list. `changes` records the standby's state: `fit`, or the reason it
 * is not used. Its lag is measured with `clock`.
 */
export async function newReplicatedPlatform() {
  const folder = await mkdtemp(path.join(tmpdir(), 'servicing-replicated-'));
  // The servers run as another user, who must be able to enter the folder.
  chmodSync(folder, 0o711);
  const postgres = await startEmbeddedPostgres(path.join(folder, 'primary'), { throwAway: true });
  await migrate(postgres.url);
  // As in production. Otherwise a commit may be flushed to the log later than the next look at its position.
  await queryOnce(postgres.url, 'alter database servicing set synchronous_commit = on');
  const standby = await startStandby(postgres, path.join(folder, 'standby'), [
    'max_standby_streaming_delay = 0',
  ]);
  const lines: string[] = [];
  const outcomes: Outcome[] = [];
  const changes: string[] = [];
  const clock = newClock();
  const processes = [await newProcess(), await newProcess()] as const;

  async function newProcess() {
    const pool = await openPool(postgres.url, { size: 4 });
    const replica = await openReplica({
      primary: pool,
      primaryUrl: postgres.url,
      url: standby.url,
      size: 4,
      environment: 'test',
      lookTimeoutMs: LOOK_TIMEOUT_MS,
      clock: clock.now,
      onRead: (outcome) => outcomes.push(outcome),
      onChange: (problem) => changes.push(problem?.message ?? 'fit'),
    });
    const app = createApp({
      pool,
      replica,
      routes,
      installation: DEFAULT_INSTALLATION,
      configuration: {
        NODE_ENV: 'test',
        TRUSTED_PROXIES: [],
      },
      log: pino({ level: 'warn' }, { write: (line) => void lines.push(line) }),
      health: { isReady: true },
    });
    const server = createHttpServer(app);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return { pool, replica, server, port: (server.address() as AddressInfo).port };
  }

  afterAll(async () => {
    for (const { server, replica, pool } of processes) {
      server.closeAllConnections();
      server.close();
      await replica.end();
      await pool.end();
    }
    await standby.stop('immediate');
    await postgres.stop('immediate');
    rmSync(folder, { recursive: true, force: true });
  });

  /** A tenant of that name, and a function that signs in at the first process. */
  async function tenant(slug: string) {
    const [made] = await queryOnce(
      postgres.url,
      'select app.create_tenant($1, $1, $2, array[$3]) as id',
      [slug, '2026-01-15', `${slug}.test`],
    );
    const id = String(made?.['id']);
    const within = createWithin(processes[0].pool, SYSTEM);
    await within(id, initializeTenant);
    const signedIn = async (tenant_role: string) => {
      const email = `${tenant_role}@${slug}.test`;
      const user = { email, first_name: 'A', last_name: 'B', tenant_role };
      await within(id, (work) => createUser(work, user));
      await queryOnce(postgres.url, 'update users set password_hash = $1', [PASSWORD_HASH]);
      const client = newClient(processes[0].port, `${slug}.test`);
      await client.login(email, PASSWORD);
      return client;
    };
    return { id, signedIn };
  }
  /**
   * Moves the last write of every session one minute into the past, also on the standby. Then waits until
   * both processes read from the standby, which they check once a second.
   */
  async function aMinuteLater() {
    await queryOnce(
      postgres.url,
      `update sessions set last_write_at = now() - interval '1 minute'`,
    );
    await standby.caughtUp();
    await waitUntil(areFit);
  }
  const areFit = () => processes.every(({ replica }) => replica.isFit());
  return {
    postgres,
    standby,
    processes,
    lines,
    outcomes,
    changes,
    clock,
    tenant,
    aMinuteLater,
    areFit,
  };
}

/** Waits until the condition holds, for at most 40 seconds. */
export async function waitUntil(isSo: () => boolean) {
  for (let waitedMs = 0; !isSo() && waitedMs < 40_000; waitedMs += 50) await wait(50);
}

/** A clock that follows real time until a test stops it or advances it by milliseconds. */
function newClock() {
  let from = 0;
  let stoppedAt: number | undefined;
  const now = () => from + (stoppedAt ?? performance.now());
  return {
    now,
    stop: () => void (stoppedAt = performance.now()),
    pass: (ms: number) => void (from += ms),
    go: () => void (stoppedAt = undefined),
  };
}
