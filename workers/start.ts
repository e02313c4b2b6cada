import { rmSync, writeFileSync } from 'node:fs';
import { POOLS } from '../jobs/job.ts';
import { openLog } from '../jobs/monitoring/log.ts';
import { readSecret } from '../jobs/sealing/secrets.ts';
import { exitOnUncaughtError } from '../sql/database/startup-error.ts';
import { assertWritable, claimFolder } from '../sql/database/claim.ts';
import { startEmbeddedPostgres } from '../sql/database/embedded.ts';
import { migrate } from '../sql/database/migrate.ts';
import { API_PROCESS, superviseProcess, runToEnd, type Child } from './processes/children.ts';
import {
  databaseFile,
  readStartConfiguration,
  type StartConfiguration,
} from './processes/configuration.ts';
import { assertFree, freePort } from './processes/free-port.ts';
import { supervisePostgres, type PostgresSupervisor } from './processes/supervise-postgres.ts';
import { localReceiverVariables } from './processes/local-receivers.ts';
import { writeLogins, readLogins, type Logins } from './processes/logins.ts';

/**
 * `npm start` runs everything in one command, for development. In production you run each process
 * separately.
 */
const STOP_WITHIN_MS = 29_000;
const LOCAL = '127.0.0.1';
/** The processes that serve metrics, on METRICS_PORT and the ports after it. */
const MEASURED = [...POOLS, 'api'] as const;
type Measured = (typeof MEASURED)[number];
const LOGINS = ['viewer', 'collector', 'officer', 'admin', 'superadmin', 'borrower'].map(
  (role) => `${role}@demo.test`,
);

exitOnUncaughtError();
const configuration = readStartConfiguration(process.env);
const running: { postgres?: PostgresSupervisor; children: Child[] } = { children: [] };
let isStopping = false;

/** Stops the child processes and then the database. */
async function stop(code: number): Promise<void> {
  if (isStopping) return;
  isStopping = true;
  await Promise.all(running.children.map((child) => child.stop(STOP_WITHIN_MS)));
  // Also waits for a database that is still starting.
  await databaseStart.catch(() => {});
  await running.postgres?.stop();
  process.exit(code);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => {
    if (!isStopping) console.log('Stopping …');
    void stop(0);
  });
}

const databaseStart = startDatabase(configuration);
try {
  const url = await databaseStart;
  if (!isStopping) await startServing(url, configuration);
} catch (error) {
  if (!isStopping) console.error((error as Error).message);
  await stop(1);
}

/** Checked before anything starts. Otherwise a process would crash and restart repeatedly. */
async function arePortsFree({ PORT, HOST, METRICS_PORT }: StartConfiguration) {
  await assertFree('PORT', PORT, HOST);
  if (METRICS_PORT === undefined) return;
  for (const index of MEASURED.keys())
    await assertFree('METRICS_PORT', METRICS_PORT + index, LOCAL);
}

/** Returns the address of the server in DATABASE_URL, or of an embedded server below DATA_DIR. */
async function startDatabase(given: StartConfiguration): Promise<string> {
  const { DATABASE_URL, DATA_DIR, LOG_LEVEL } = given;
  if (DATABASE_URL) {
    assertWritable(DATA_DIR);
    await arePortsFree(given);
    await migrate(DATABASE_URL);
    return DATABASE_URL;
  }
  const claim = await claimFolder(DATA_DIR);
  await arePortsFree(given);
  console.log('Starting Postgres …');
  const postgres = await startEmbeddedPostgres(DATA_DIR, { claim });
  const { url } = postgres;
  const kept = await supervisePostgres(postgres, openLog(LOG_LEVEL, { service: 'start' }));
  running.postgres = {
    // Removes the address while this process still holds the claim on the folder.
    stop: async () => {
      rmSync(databaseFile(DATA_DIR), { force: true });
      await kept.stop();
    },
  };
  await migrate(url);
  writeFileSync(databaseFile(DATA_DIR), `${url}\n`, { mode: 0o600 });
  return url;
}

async function startServing(url: string, given: StartConfiguration) {
  const { HOST, LOG_LEVEL, DATA_DIR, METRICS_PORT } = given;
  // Links contain the port, so it is chosen before the first process starts.
  const PORT = given.PORT === 0 ? await freePort(HOST) : given.PORT;
  const SECRET = readSecret({ SECRET: process.env['SECRET'], DATA_DIR });
  const env = {
    ...process.env,
    ...(await localReceiverVariables(DATA_DIR, process.env)),
    SECRET,
    DATABASE_URL: url,
    LOG_LEVEL,
    DATA_DIR,
    HOST,
    PORT: String(PORT),
    LOCAL_PORT: String(PORT),
    METRICS_HOST: LOCAL,
  };
  const metricsPort = (name: Measured) =>
    METRICS_PORT === undefined ? '' : String(METRICS_PORT + MEASURED.indexOf(name));
  const known = readLogins(DATA_DIR);
  const logins: Logins = known ?? { from: 'seed', emails: LOGINS, password: given.SEED_PASSWORD };
  // After a demo, the database stays as the demo left it.
  if (logins.from === 'seed') await runToEnd({ name: 'seed', file: 'seed.ts', env });
  if (!known && !given.DATABASE_URL) writeLogins(DATA_DIR, logins);
  if (isStopping) return;

  const listening = Promise.withResolvers<number>();
  let isUp = false;
  const onCrash = (name: string) => (crash: { code: number | string; pauseMs: number }) => {
    if (!isUp) listening.reject(new Error(`${name} did not start (${crash.code}).`));
    console.error(`${name} ended (${crash.code}); it starts again in ${crash.pauseMs / 1000} s`);
  };
  running.children.push(
    superviseProcess({
      ...API_PROCESS,
      env: { ...env, METRICS_PORT: metricsPort('api') },
      onCrash: onCrash('api'),
      onMessage: (message) => {
        const { listening: port } = message as { listening?: number };
        if (port) listening.resolve(port);
      },
    }),
    ...POOLS.map((name) =>
      superviseProcess({
        name,
        file: 'worker.ts',
        arguments: [name],
        env: { ...env, METRICS_PORT: metricsPort(name) },
        onCrash: onCrash(name),
      }),
    ),
  );
  const port = await listening.promise;
  isUp = true;
  printGreeting(port, logins, given);
}

function printGreeting(port: number, logins: Logins, { METRICS_PORT }: StartConfiguration) {
  const address = `http://localhost:${port}`;
  const { from, emails, password } = logins;
  const tenants =
    from === 'seed' ? 'demo on localhost, acme on acme.localhost' : 'demo on localhost';
  const also = from === 'seed' ? 'the same at acme.test; password' : 'password';
  console.log(`
The loan servicing platform is running.

  Portal     ${address}/portal
  Docs       ${address}/api/v1/docs
  Staff      ${address}/staff
  Operations ${address}/ops
  API        ${address}/api/v1
  Tenants    ${tenants}
  Logins     ${emails.join(', ')}
             ${also}: ${password}
${METRICS_PORT === undefined ? '' : metricsOf(METRICS_PORT)}
Ctrl-C stops everything.`);
}

function metricsOf(first: number): string {
  const addresses = MEASURED.map(
    (name, index) => `http://${LOCAL}:${first + index}/metrics (${name})`,
  );
  return `  Metrics    ${addresses.join('\n             ')}\n`;
}
