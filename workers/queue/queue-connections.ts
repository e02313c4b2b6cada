import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';
import { applySessionSettings } from '../../sql/database/driver.ts';
import { isTransient } from '../../sql/database/transient-errors.ts';
import type { Statement } from './fair-fetch.ts';

/**
 * The queue's connections survive a restart of Postgres.
 *
 * The queue library stops the whole process if one of its statements fails during a restart: it does not
 * await the statements that mark jobs as done, and does not retry batches. These connections wait for
 * Postgres instead, and repeat a lost statement on a new connection. Repeating is safe, because each of the
 * library's statements is its own transaction, and marking a job as done, failed or returned twice changes
 * nothing. A repeated fetch may leave jobs locked that no process runs; `registry.ts` returns those.
 */
export type QueueConnections = {
  pool: pg.Pool;
  /** Closes the connections. From then on, statements are neither repeated nor waited for. */
  close(): Promise<void>;
};

type Settings = {
  size: number;
  /** Returns the statement to send. If it returns undefined, nothing is sent and the result is empty. */
  instead: (statement: Statement) => Statement | undefined;
  warn: (error: Error) => void;
};

/** Gives the error a code on which the library's own retry loop retries. */
const asRetriableError = (error: unknown) =>
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
    // Detects a server that disappeared without closing the connection.
    query_timeout: 35_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 5_000,
  });
  // The pool replaces broken idle connections. Without listeners, their errors would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));

  const connect = pool.connect.bind(pool) as () => Promise<pg.PoolClient>;
  const patience = createRetry({ isClosed: () => isClosed, warn });
  const connected = () => patience(connect);
  const reconnection = { connected, instead, isClosed: () => isClosed };

  pool.connect = ((done?: ConnectCallback) => {
    // Only the listener passes a callback. It needs the real connection for its events.
    if (!done) return connected().then((client) => reconnectingClient(client, reconnection));
    void reportConnection(connected(), done);
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
 * Only the library's clock queries the pool directly. A stopping worker does not wait for it, and it would
 * log an error about closed connections.
 */
const NEVER = new Promise<never>(() => {});

type ConnectCallback = (
  error: Error | undefined,
  client?: pg.PoolClient,
  free?: () => void,
) => void;

async function reportConnection(connecting: Promise<pg.PoolClient>, done: ConnectCallback) {
  const outcome = await connecting.catch((error: Error) => error);
  if (outcome instanceof Error) done(outcome);
  else done(undefined, outcome, () => outcome.release());
}

type RetryOptions = { isClosed: () => boolean; warn: (error: Error) => void };

/** Repeats an attempt until it succeeds, fails permanently, or the worker is closing. */
function createRetry({ isClosed, warn }: RetryOptions) {
  let warnedAt = 0;
  return async <Result>(attempt: () => Promise<Result>): Promise<Result> => {
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        return await attempt();
      } catch (error) {
        if (isClosed() || !isTransient(error)) throw asRetriableError(error);
        if (Date.now() - warnedAt > WARN_EVERY_MS) {
          warnedAt = Date.now();
          warn(error as Error);
        }
        await wait(pause * (0.5 + Math.random() / 2));
      }
    }
  };
}

type ReconnectOptions = Pick<Settings, 'instead'> & {
  connected: () => Promise<pg.PoolClient>;
  isClosed: () => boolean;
};

/** A connection that, when lost, connects again and repeats the statement. */
function reconnectingClient(
  first: pg.PoolClient,
  { connected, instead, isClosed }: ReconnectOptions,
): pg.PoolClient {
  let client: pg.PoolClient | undefined = first;
  const query = async (given: string | Statement, values?: unknown[]) => {
    const statement =
      typeof given === 'string' ? { text: given, ...(values && { values }) } : given;
    const sent = instead(statement);
    if (!sent) return NO_ROWS;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      client ??= await connected();
      try {
        return await client.query(sent);
      } catch (error) {
        if (isClosed() || !isTransient(error)) throw asRetriableError(error);
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

const NO_ROWS = { rows: [], rowCount: 0 };
