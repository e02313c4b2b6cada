import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { startEmbeddedPostgres, type EmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate } from '../../sql/database/migrate.ts';
import type { PoolSettings } from '../../workers/queue/pools.ts';

/** A fresh database with worker processes that a test may kill. */
export type FaultWorld = {
  postgres: EmbeddedPostgres;
  worker(settings?: Partial<PoolSettings>, env?: Record<string, string>): FaultWorker;
  enqueue(task: string, numbers: number[], ms?: number, attempts?: number): Promise<void>;
  /** Returns one number from the database. Retries while the database is unreachable. */
  count(query: string): Promise<number>;
  /** Waits until the query returns this number. Returns the seconds it took. */
  until(query: string, wanted: number, withinMs: number): Promise<number>;
  end(): Promise<void>;
};

export type FaultWorker = {
  process: ChildProcess;
  said(): string;
  /** The exit code, or the signal that ended the process. */
  ended: Promise<number | string>;
};

/** If the worker has ended, the failure contains its last output. */
export function stillRuns(worker: FaultWorker) {
  const { process: child } = worker;
  if (child.exitCode === null && child.signalCode === null) return;
  throw new Error(`The worker ended (${child.exitCode ?? child.signalCode}): ${worker.said()}`);
}

/** Stops a worker and expects exit code 0. */
export async function endsWell(worker: FaultWorker) {
  worker.process.kill('SIGTERM');
  const code = await worker.ended;
  if (code !== 0) throw new Error(`The worker ended with ${code}: ${worker.said()}`);
}

export const BEGUN = 'select count(*) from begun';
export const EFFECTS = 'select count(*) from effects';
export const QUEUED = 'select count(*) from graphile_worker._private_jobs';
export const FAILED = 'select count(*) from app.failed_jobs';

export async function startFaultWorld(): Promise<FaultWorld> {
  const folder = mkdtempSync(path.join(os.tmpdir(), 'faults-'));
  const postgres = await startEmbeddedPostgres(folder);
  await migrate(postgres.url);
  const workers: ChildProcess[] = [];
  let isOver = false;
  const query = async (text: string, values: unknown[] = []) => {
    const client = new pg.Client(postgres.url);
    client.on('error', () => {});
    try {
      await client.connect();
      return await client.query<Record<string, string>>(text, values);
    } finally {
      await client.end().catch(() => {});
    }
  };
  await query(`create table begun (number integer, at timestamptz default now());
    create table effects (number integer primary key, at timestamptz default now());
    grant all on begun, effects to servicing_app`);
  const made = await query(`select app.create_tenant('t', 'T', '2026-01-01', '{}')`);
  const tenantId = made.rows[0]?.['create_tenant'];
  const count = async (text: string): Promise<number> => {
    for (;;) {
      const answer = await query(text).catch(() => undefined);
      if (answer) return Number(Object.values(answer.rows[0] ?? {})[0]);
      await wait(100);
    }
  };
  return {
    postgres,
    count,
    worker: (settings, env) => {
      if (isOver) throw new Error('The test is over.');
      const started = startProcess(postgres.url, settings, env);
      workers.push(started.process);
      return started;
    },
    enqueue: async (task, numbers, ms = 0, attempts = 10) => {
      await query(
        `select app.add_job($1, json_build_object('tenant_id', $2::uuid, 'number', n, 'ms', $3::int),
           now(), $4::int, null) from unnest($5::int[]) n`,
        [task, tenantId, ms, attempts, numbers],
      );
    },
    until: async (text, wanted, withinMs) => {
      const start = performance.now();
      for (;;) {
        const seconds = (performance.now() - start) / 1000;
        const found = await count(text);
        if (found === wanted) return seconds;
        if (seconds * 1000 > withinMs) throw new Error(`${text}: ${found}, not ${wanted}`);
        await wait(100);
      }
    },
    end: async () => {
      isOver = true;
      for (const child of workers) if (child.exitCode === null) child.kill('SIGKILL');
      await postgres.stop('immediate');
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

const WITH_PARENT = new URL('../../workers/processes/end-with-parent.ts', import.meta.url).href;

export function startProcess(
  url: string,
  settings: Partial<PoolSettings> = {},
  env: Record<string, string> = {},
): FaultWorker {
  const all: PoolSettings = { concurrency: 4, deadlineMs: 60_000, ...settings };
  const file = new URL('worker-process.ts', import.meta.url).pathname;
  // With an IPC channel, so that no worker outlives an aborted test run.
  const child = spawn(process.execPath, ['--import', WITH_PARENT, file], {
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    env: { ...process.env, DATABASE_URL: url, POOL_SETTINGS: JSON.stringify(all), ...env },
  });
  let text = '';
  child.stdout?.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  child.stderr?.on('data', (chunk: Buffer) => void (text += chunk.toString()));
  const ended = new Promise<number | string>((resolve) => {
    child.once('exit', (code, signal) => resolve(code ?? signal ?? 'unknown'));
  });
  return { process: child, said: () => text, ended };
}
