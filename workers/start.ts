import { readSecret } from '../jobs/webhooks/secrets.ts';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { openLog } from '../jobs/log.ts';
import { POOLS } from '../jobs/job.ts';
import { startEmbeddedPostgres } from '../sql/embedded.ts';
import { migrate } from '../sql/migrate.ts';
import { keepRunning, runToEnd, type Child } from './children.ts';
import { databaseFile, readStartConfiguration, type StartConfiguration } from './configuration.ts';
import { keepPostgres, type Kept } from './keep-postgres.ts';

/** `npm start`: everything in one go, for development. Production runs the processes one by one. */
const STOP_WITHIN_MS = 29_000;
const ROLES = ['viewer', 'collector', 'officer', 'admin', 'superadmin', 'borrower'] as const;

const configuration = readStartConfiguration(process.env);
const running: { postgres?: Kept; children: Child[] } = { children: [] };
let isStopping = false;

/** Ends the children, then the database, so that nothing of ours is left behind. */
async function stop(code: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await Promise.all(running.children.map((child) => child.stop(STOP_WITHIN_MS)));
  // A database that is just starting must not be left behind either.
  await opening.catch(() => {});
  await running.postgres?.stop();
  rmSync(databaseFile(configuration.DATA_DIR), { force: true });
  process.exit(code);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!isStopping) console.log('Stopping …');
    void stop(0);
  });
}

const opening = database(configuration);
try {
  const url = await opening;
  if (!isStopping) await serve(url, configuration);
} catch (error) {
  if (!isStopping) console.error((error as Error).message);
  await stop(1);
}

/** The server that DATABASE_URL names, or else an embedded one below DATA_DIR. */
async function database({
  DATABASE_URL,
  DATA_DIR,
  LOG_LEVEL,
}: StartConfiguration): Promise<string> {
  if (DATABASE_URL) {
    await migrate(DATABASE_URL);
    return DATABASE_URL;
  }
  console.log('Starting Postgres …');
  const postgres = await startEmbeddedPostgres(DATA_DIR);
  const { url } = postgres;
  running.postgres = await keepPostgres(postgres, openLog(LOG_LEVEL, { service: 'start' }));
  await migrate(url);
  mkdirSync(DATA_DIR, { recursive: true });
  writeFileSync(databaseFile(DATA_DIR), `${url}\n`, { mode: 0o600 });
  return url;
}

async function serve(url: string, { PORT, HOST, LOG_LEVEL, DATA_DIR }: StartConfiguration) {
  const SECRET = readSecret({ SECRET: process.env['SECRET'], DATA_DIR });
  const env = {
    ...process.env,
    SECRET,
    DATABASE_URL: url,
    LOG_LEVEL,
    DATA_DIR,
    HOST,
    PORT: String(PORT),
  };
  await runToEnd({ name: 'seed', file: 'seed.ts', env });
  if (isStopping) return;

  const listening = Promise.withResolvers<number>();
  let isUp = false;
  const onCrash = (name: string) => (crash: { code: number | string; pauseMs: number }) => {
    if (!isUp) listening.reject(new Error(`${name} did not start (${crash.code}).`));
    console.error(`${name} ended (${crash.code}); it starts again in ${crash.pauseMs / 1000} s`);
  };
  running.children.push(
    keepRunning({
      name: 'api',
      file: '../api/server.ts',
      env,
      onCrash: onCrash('api'),
      onMessage: (message) => {
        const { listening: port } = message as { listening?: number };
        if (port) listening.resolve(port);
      },
    }),
    ...POOLS.map((name) =>
      keepRunning({
        name,
        file: 'worker.ts',
        arguments: [name],
        env,
        onCrash: onCrash(name),
      }),
    ),
  );
  const port = await listening.promise;
  isUp = true;
  greet(port, configuration);
}

function greet(port: number, { SEED_PASSWORD }: StartConfiguration) {
  const address = `http://localhost:${port}`;
  console.log(`
The loan servicing platform is running.

  API        ${address}/api/v1
  Docs       ${address}/api/v1/docs
  Tenants    demo on localhost, acme on acme.localhost
  Logins     ${ROLES.map((role) => `${role}@demo.test`).join(', ')}
             the same at acme.test; password: ${SEED_PASSWORD}

Ctrl-C stops everything.`);
}
