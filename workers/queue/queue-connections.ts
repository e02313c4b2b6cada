import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { applySessionSettings } from '../../sql/database/driver.ts';
import { isTransient } from '../../sql/database/transient-errors.ts';
import type { Statement } from './fair-fetch.ts';

/**
 * The queue's connections outlive Postgres.
 *
 * The queue library gives up the whole process when a statement of its own meets a restarting
 * server: what marks a job as done is not awaited there, and its batches are not tried again. Here a
 * connection is waited for, and a statement that was lost with its connection is sent once more on a
 * new one. All of the library's statements bear that: each is a transaction of its own, and marking
 * a job as done, failed or returned twice changes nothing. Fetching twice leaves jobs locked that
 * nobody runs; `registry.ts` gives those back.
 */
export type QueueConnections = {
  pool: pg.Pool;
  /** From now on nothing is waited for; what is lost stays lost. */
  close(): Promise<void>;
};

type Settings = {
  size: number;
  /** What to send instead of a statement; nothing is sent, and nothing found, without one. */
  instead: (statement: Statement) => Statement | undefined;
  warn: (error: Error) => void;
};

/** What the library's own retry loop understands, should it see such an error after all. */
const asCannotConnectNow = (error: unknown) =>
  isTransient(error) ? Object.assign(error as Error, { code: '57P03' }) : error;

const SESSION = {
  role: 'servicing_worker',
  timezone: 'UTC',
  statement_timeout: '30s',
  lock_timeout: '10s',
};

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 1_000;
const WARN_EVERY_MS = 10_000;

export function openQueueConnections(
  url: string,
  { size, instead, warn }: Settings,
): QueueConnections {
  let isClosed = false;
  const pool = new pg.Pool({
    connectionString: url,
    max: size,
    onConnect: (client) => applySessionSettings(client, SESSION),
    connectionTimeoutMillis: 5_000,
    // A server that vanished without a word is noticed by these.
    query_timeout: 35_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  });
  // Idle connections that break are replaced by the pool; without listeners they end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const patience = patiently({ isClosed: () => isClosed, warn });
  const connected = () => patience(connect);
  const again = { connected, instead, isClosed: () => isClosed };

  pool.connect = ((done?: Done) => {
    // Only the listener asks with a callback; it needs the connection itself, for its events.
    if (!done) return connected().then((client) => repeating(client, again));
    void callBack(connected(), done);
    return undefined;
  }) as typeof pool.connect;
  const ask = async (words: [string]) => {
    const client = await pool.connect();
    try {
      return await client.query(...words);
    } finally {
      client.release();
    }
  };
  pool.query = ((...words: [string]) =>
    ask(words).catch((error: unknown) => {
      if (isClosed) return NEVER;
      throw error;
    })) as unknown as typeof pool.query;

  return {
    pool,
    close: async () => {
      isClosed = true;
      await pool.end();
    },
  };
}

/**
 * Only the clock asks in this way. It is not waited for when the worker stops, and would call it an error
 * that the connections have ended under it.
 */
const NEVER = new Promise<never>(() => {});

type Done = (error: Error | undefined, client?: pg.PoolClient, free?: () => void) => void;

async function callBack(connecting: Promise<pg.PoolClient>, done: Done) {
  const outcome = await connecting.catch((error: Error) => error);
  if (outcome instanceof Error) done(outcome);
  else done(undefined, outcome, () => outcome.release());
}

type Patience = { isClosed: () => boolean; warn: (error: Error) => void };

/** Repeats until it succeeds, fails for a reason that will not pass, or the worker is closing. */
function patiently({ isClosed, warn }: Patience) {
  let warnedAt = 0;
  return async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await attempt();
      } catch (error) {
        if (isClosed() || !isTransient(error)) throw asCannotConnectNow(error);
        if (Date.now() - warnedAt > WARN_EVERY_MS) {
          warnedAt = Date.now();
          warn(error as Error);
        }
        await wait(pause * (0.5 + Math.random() / 2));
      }
    }
  };
}

type Again = Pick<Settings, 'instead'> & {
  connected: () => Promise<pg.PoolClient>;
  isClosed: () => boolean;
};

/** A connection that replaces itself and sends the statement again when it is lost underneath. */
function repeating(first: pg.PoolClient, { connected, instead, isClosed }: Again): pg.PoolClient {
  let client: pg.PoolClient | undefined = first;
  const query = async (given: string | Statement, values?: unknown[]) => {
    const statement =
      typeof given === 'string' ? { text: given, ...(values && { values }) } : given;
    const sent = instead(statement);
    if (!sent) return NOTHING_FOUND;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      client ??= await connected();
      try {
        return await client.query(sent);
      } catch (error) {
        if (isClosed() || !isTransient(error)) throw asCannotConnectNow(error);
        const broken = client;
        client = undefined;
        broken.release(true);
        await wait(pause);
      }
    }
  };
  const release = (error?: Error | boolean) => client?.release(error);
  return Object.assign(Object.create(first) as pg.PoolClient, { query, release });
}

const NOTHING_FOUND = { rows: [], rowCount: 0 };
