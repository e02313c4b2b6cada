import { Logger, run, type RunnerOptions } from 'graphile-worker';
import pg from 'pg';

const CONNECTIONS = 10;

/** The queue library with its own fetch and none of our code, on as many connections as our worker uses. */
export async function startGraphileWorker(
  url: string,
  slots: number,
  body: () => Promise<void>,
  worker: NonNullable<NonNullable<RunnerOptions['preset']>['worker']>,
) {
  const pgPool = new pg.Pool({ connectionString: url, max: CONNECTIONS });
  pgPool.on('error', () => {});
  pgPool.on('connect', (client) => client.on('error', () => {}));
  const runner = await run({
    pgPool,
    concurrency: slots,
    pollInterval: 1e3,
    noHandleSignals: true,
    logger: new Logger(() => () => {}),
    taskList: { small: body },
    preset: { worker },
  });
  return {
    stop: async () => {
      await runner.stop();
      await pgPool.end();
    },
  };
}
