import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { PrivateNetworks, TrustedProxies } from '../../jobs/networks/networks.ts';
import type { Pool } from '../../jobs/job.ts';
import { ScannerUrl } from '../../jobs/files/scanner-url.ts';
import { StorageUrl } from '../../jobs/files/storage-url.ts';
import { SECRET_REQUIRED, hasRequiredSecret, Secret } from '../../jobs/sealing/keys.ts';
import { StartupError } from '../../sql/database/startup-error.ts';
import {
  DatabaseUrl,
  DataDir,
  DrainSeconds,
  LocalPort,
  LogLevel,
  MetricsHost,
  NodeEnv,
  Port,
  wholeNumber,
  findProblems,
  readEnvironment,
  throwConfigurationError,
  TracesEndpoint,
  type Variables,
} from '../../sql/database/environment.ts';

const ForWorker = z
  .object({
    DATABASE_URL: DatabaseUrl,
    /** The folder of the outbox, the files and the unpacked browser. */
    DATA_DIR: DataDir,
    LOG_LEVEL: LogLevel.default('info'),
    NODE_ENV: NodeEnv,
    /** The API's port in development. Links in mail and letters use it. */
    LOCAL_PORT: LocalPort.default(3000),
    /** Signs links to files. Must be the same for the API and all workers. */
    SECRET: Secret.optional(),
    /**
     * Without it, mail goes to the outbox folder. In production the outbound pool refuses to start without
     * it.
     */
    SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
    /** In production, `files` writes mail and texts to the outbox folder on purpose, for a rehearsal. */
    MESSAGES_TO: z.enum(['files']).optional(),
    /** Without these, text messages go to the outbox folder. In production they are refused. */
    TWILIO_ACCOUNT_SID: z.string().optional(),
    TWILIO_AUTH_TOKEN: z.string().optional(),
    TWILIO_STATUS_CALLBACK: z.url().optional(),
    PRIVATE_NETWORKS: PrivateNetworks,
    /**
     * Uploads are withheld until this scanner has checked them. Must be the same for the API and all
     * workers.
     */
    CLAMD_URL: ScannerUrl,
    /**
     * The bucket for documents. Default: files in DATA_DIR. Must be the same for the API and all workers.
     */
    STORAGE_URL: StorageUrl,
    PUPPETEER_EXECUTABLE_PATH: z.string().optional(),
    /** The port of /healthz and /metrics. */
    METRICS_PORT: Port.optional(),
    METRICS_HOST: MetricsHost,
    /** The receiver of traces. Without it, no tracing code is loaded. */
    OTEL_EXPORTER_OTLP_ENDPOINT: TracesEndpoint,
    /** Jobs at a time. Default: the pool's own number. */
    WORKER_CONCURRENCY: wholeNumber(1, 200).optional(),
    /** Connections for the jobs' transactions. */
    DATABASE_POOL: wholeNumber(2, 100).default(8),
  })
  .refine(hasRequiredSecret, SECRET_REQUIRED)
  .refine(
    (read) => (read.TWILIO_ACCOUNT_SID === undefined) === (read.TWILIO_AUTH_TOKEN === undefined),
    {
      path: ['TWILIO_AUTH_TOKEN'],
      message: 'Set both TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN, or neither',
      when: () => true,
    },
  );
export type WorkerConfiguration = z.output<typeof ForWorker>;

/** The password of the seed's users. */
export const SEED_PASSWORD = 'correct horse battery';

const ForStart = z.object({
  PORT: Port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: DataDir,
  DATABASE_URL: DatabaseUrl.optional(),
  LOG_LEVEL: LogLevel.default('warn'),
  NODE_ENV: z.enum(['development', 'test']).default('development'),
  SECRET: Secret.optional(),
  /** For the API. Checked here so that an invalid value is found before Postgres starts. */
  TRUSTED_PROXIES: TrustedProxies,
  DRAIN_SECONDS: DrainSeconds,
  SEED_PASSWORD: z.string().default(SEED_PASSWORD),
  /** The first worker serves its metrics on this port, the other workers and the API on the next three. */
  METRICS_PORT: Port.refine(
    (port) => port > 0 && port <= 65_532,
    'leaves room for four',
  ).optional(),
});
export type StartConfiguration = z.output<typeof ForStart>;

/** In production the outbound pool needs a mail server, or MESSAGES_TO=files to write files instead. */
const ForOutbound = ForWorker.refine(
  ({ NODE_ENV, SMTP_URL, MESSAGES_TO }) =>
    NODE_ENV !== 'production' || SMTP_URL !== undefined || MESSAGES_TO === 'files',
  {
    path: ['SMTP_URL'],
    message:
      'Is needed in production by the outbound pool. To write mail and texts to files instead, set MESSAGES_TO=files',
    when: () => true,
  },
);

export const readWorkerConfiguration = (variables: Variables, pool?: Pool): WorkerConfiguration =>
  readEnvironment(pool === 'outbound' ? ForOutbound : ForWorker, variables);

/** Reads the variables of `npm start`, and checks those that its child processes need. */
export function readStartConfiguration(variables: Variables): StartConfiguration {
  const ofStart = findProblems(ForStart, variables);
  const named = new Set(ofStart.map((problem) => problem.split(':')[0]));
  const handedOn = {
    ...variables,
    DATABASE_URL: variables['DATABASE_URL'] || 'postgres://embedded',
  };
  const ofWorkers = findProblems(ForWorker, handedOn);
  throwConfigurationError([
    ...ofStart,
    ...ofWorkers.filter((problem) => !named.has(problem.split(':')[0])),
  ]);
  return readEnvironment(ForStart, variables);
}

/** The file in which `npm start` publishes its database address for the commands. */
export const databaseFile = (dataDir: string) => path.join(dataDir, 'database-url');

const ForCommand = z.object({
  DATABASE_URL: DatabaseUrl.optional(),
  DATA_DIR: DataDir,
  NODE_ENV: NodeEnv,
  LOCAL_PORT: LocalPort.default(3000),
  SECRET: Secret.optional(),
  PRIVATE_NETWORKS: PrivateNetworks,
  STORAGE_URL: StorageUrl,
  /** Imported documents wait for a scan, as uploads do. */
  CLAMD_URL: ScannerUrl,
  SEED_PASSWORD: z.string().default(SEED_PASSWORD),
  NEW_PASSWORD: z.string().optional(),
});
export type CommandConfiguration = z.output<typeof ForCommand>;

/** Reads the variables of the commands ops, board, seed and invariants. */
export const readCommandConfiguration = (variables: Variables): CommandConfiguration =>
  readEnvironment(ForCommand, variables);

type Named = Pick<CommandConfiguration, 'DATABASE_URL' | 'DATA_DIR'>;

/** Returns DATABASE_URL, or the database of the `npm start` that runs in this folder. */
export function findDatabase({ DATABASE_URL, DATA_DIR }: Named): string {
  if (DATABASE_URL) return DATABASE_URL;
  const file = databaseFile(DATA_DIR);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new StartupError('No database: set DATABASE_URL, or run npm start first.');
}
