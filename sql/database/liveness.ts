import pg from 'pg';
import type { DatabasePool, DatabasePoolConnection, QuerySqlToken } from 'slonik';
import { isServerResponse } from './driver.ts';

/**
 * Detects a server that neither answers nor fails, such as a frozen one or one behind a network that drops
 * packets. Otherwise callers would wait until the system gives the connection up, which takes many minutes.
 * After two seconds without any answer, a second connection is opened as a probe. If the probe is not
 * answered either, all waiting calls fail, their connections are discarded, and new calls fail until the
 * server answers again. No probe is sent while the server answers.
 */
const CHECK_INTERVAL_MS = 250;
const SILENCE_MS = 2_000;
const PROBE_MS = 2_000;

/**
 * api/http/errors.ts and sql/database/transient-errors.ts recognize the message and treat the error as
 * transient.
 */
export class ServerUnresponsive extends Error {
  constructor() {
    super('Connection terminated: Postgres does not answer.');
  }
}

type PendingQuery = { since: number; giveUp: (reason: ServerUnresponsive) => void };
type LivenessMonitor = {
  /** Runs the steps. Rejects as soon as the server is found silent. */
  during<Result>(steps: () => Promise<Result>, isQuery: boolean): Promise<Result>;
  stop(): void;
};

/**
 * `limitMs` is longer than any statement may take. A call that waits longer waits for a lost connection.
 */
function monitorLiveness(url: string, limitMs: number): LivenessMonitor {
  const waiting = new Set<PendingQuery>();
  let isSilent = false;
  let isProbing = false;
  let answeredAt = performance.now();
  let lookedAt = answeredAt;

  const giveUp = (isLate: (caller: PendingQuery) => boolean) => {
    for (const late of [...waiting].filter(isLate)) {
      waiting.delete(late);
      late.giveUp(new ServerUnresponsive());
    }
  };
  const probe = async () => {
    isProbing = true;
    const answers = await doesAnswer(url);
    isProbing = false;
    const now = performance.now();
    if (answers) answeredAt = now;
    // Any answer that arrived during the probe also proves that the server is alive.
    isSilent = !answers && now - answeredAt > SILENCE_MS;
    if (isSilent) giveUp(() => true);
  };
  const look = () => {
    const now = performance.now();
    const wasAway = now - lookedAt > SILENCE_MS / 2;
    lookedAt = now;
    // If this process itself stood still, answers may be waiting that it has not read yet.
    if (wasAway) answeredAt = now;
    giveUp(({ since }) => now - since > limitMs);
    const [oldest] = waiting;
    const isQuiet = now - Math.max(answeredAt, oldest?.since ?? now) > SILENCE_MS;
    if (!isProbing && (isSilent || isQuiet)) void probe();
  };
  const looking = setInterval(look, CHECK_INTERVAL_MS).unref();

  return {
    during: (steps, isQuery) => {
      if (isSilent) return Promise.reject(new ServerUnresponsive());
      return new Promise((resolve, reject) => {
        const caller: PendingQuery = { since: performance.now(), giveUp: reject };
        waiting.add(caller);
        steps()
          .then((result) => {
            if (isQuery) answeredAt = performance.now();
            resolve(result);
            return result;
          }, reject)
          .finally(() => waiting.delete(caller));
      });
    },
    stop: () => clearInterval(looking),
  };
}

/** Any response proves life, even a refusal. Only a timeout counts as silence. */
async function doesAnswer(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: PROBE_MS });
  client.on('error', () => {});
  try {
    await client.connect();
    void client.end().catch(() => {});
    return true;
  } catch (error) {
    return !(error as Error).message.includes('timeout expired');
  }
}

const METHODS = [
  ...(['any', 'anyFirst', 'exists', 'many', 'manyFirst', 'maybeOne'] as const),
  ...(['maybeOneFirst', 'one', 'oneFirst', 'query'] as const),
];

/** Wraps the pool so that all of its queries are watched for silence. */
export function withLivenessCheck(pool: DatabasePool, url: string, limitMs: number): DatabasePool {
  const pulse = monitorLiveness(url, limitMs);
  const connect: DatabasePool['connect'] = async (handler) => {
    // Until a connection is available, the call waits for the pool. A call that gave up does not take the
    // connection.
    let hasGivenUp = false;
    const { promise: connected, resolve } = Promise.withResolvers<void>();
    const running = pool.connect((connection) => {
      resolve();
      return hasGivenUp
        ? Promise.reject(new ServerUnresponsive())
        : handler(guardConnection(connection, pulse));
    });
    try {
      await pulse.during(() => Promise.race([connected, running]), false);
    } catch (error) {
      hasGivenUp = true;
      running.catch(() => {});
      throw error;
    }
    return running;
  };
  const asked = METHODS.map((method) => {
    const ask = (query: QuerySqlToken) => connect((connection) => connection[method](query));
    return [method, ask] as const;
  });
  const end = async () => {
    pulse.stop();
    await pool.end();
  };
  return { ...pool, ...Object.fromEntries(asked), connect, end } as DatabasePool;
}

/** A connection that was given up runs no further statement, not even a rollback. */
function guardConnection(
  connection: DatabasePoolConnection,
  pulse: LivenessMonitor,
): DatabasePoolConnection {
  let isLost = false;
  const own = Object.create(connection) as Record<string, unknown>;
  for (const method of METHODS) {
    own[method] = async (query: QuerySqlToken) => {
      if (isLost) throw new ServerUnresponsive();
      try {
        return await pulse.during<unknown>(
          () => connection[method](query),
          isServerResponse(query),
        );
      } catch (error) {
        if (error instanceof ServerUnresponsive) isLost = true;
        throw error;
      }
    };
  }
  return own as unknown as DatabasePoolConnection;
}
