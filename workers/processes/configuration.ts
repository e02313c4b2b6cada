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
  findProblems,
  readEnvironment,
  throwConfigurationError,
  TracesEndpoint,
  type Variables,
} from '../../sql/database/environment.ts';

const ForWorker = z
  .object({
    DATABASE_URL: DatabaseUrl,
    /** Where the outbox, the files and the unpacked browser are. */
    DATA_DIR: DataDir,
    LOG_LEVEL: LogLevel.default('info'),
    NODE_ENV: NodeEnv,
    /** In development, the API's port: links in mails and letters lead to it. */
    LOCAL_PORT: LocalPort.default(3000),
    /** Signs links to files; the same for the API and all workers. */
    SECRET: Secret.optional(),
    /** Without it, mail goes to the outbox folder; in production the outbound pool then refuses to start. */
    SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
    /** In production: `files` writes mail and texts to the outbox folder on purpose, for a rehearsal. */
    MESSAGES_TO: z.enum(['files']).optional(),
    /** Without these, text messages go to the outbox folder; in production they are refused. */
    TWILIO_ACCOUNT_SID: z.string().optional(),
    TWILIO_AUTH_TOKEN: z.string().optional(),
    TWILIO_STATUS_CALLBACK: z.url().optional(),
    PRIVATE_NETWORKS: PrivateNetworks,
    /** Uploads are held until the scanner there has seen them; the same for the API and all workers. */
    CLAMD_URL: ScannerUrl,
    /** The bucket where documents live; without it, in DATA_DIR. The same for the API and all workers. */
    STORAGE_URL: StorageUrl,
    PUPPETEER_EXECUTABLE_PATH: z.string().optional(),
    /** Serves /healthz and /metrics there. */
    METRICS_PORT: Port.optional(),
    METRICS_HOST: MetricsHost,
    /** Where traces go; without it there are none, and nothing of them is loaded. */
    OTEL_EXPORTER_OTLP_ENDPOINT: TracesEndpoint,
    /** Jobs at a time, where a machine needs another number than the pool's own. */
    WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(200).optional(),
    /** Connections for the jobs' own transactions. */
    DATABASE_POOL: z.coerce.number().int().min(2).max(100).default(8),
  })
  .refine(hasRequiredSecret, SECRET_REQUIRED)
  .refine(
    (read) => (read.TWILIO_ACCOUNT_SID === undefined) === (read.TWILIO_AUTH_TOKEN === undefined),
    {
      path: ['TWILIO_AUTH_TOKEN'],
      message: 'TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN go together',
      when: () => true,
    },
  );
export type WorkerConfiguration = z.output<typeof ForWorker>;

/** What the seed's people sign in with, unless SEED_PASSWORD says otherwise. */
export const SEED_PASSWORD = 'correct horse battery';

const ForStart = z.object({
  PORT: Port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: DataDir,
  DATABASE_URL: DatabaseUrl.optional(),
  LOG_LEVEL: LogLevel.default('warn'),
  NODE_ENV: z.enum(['development', 'test']).default('development'),
  SECRET: Secret.optional(),
  /** The API's own, which would end it only after Postgres has been started for it. */
  TRUSTED_PROXIES: TrustedProxies,
  DRAIN_SECONDS: DrainSeconds,
  SEED_PASSWORD: z.string().default(SEED_PASSWORD),
  /** The first worker serves its metrics there, the others and the API on the ports after it. */
  METRICS_PORT: Port.refine(
    (port) => port > 0 && port <= 65_532,
    'leaves room for four',
  ).optional(),
});
export type StartConfiguration = z.output<typeof ForStart>;

/** A production worker that sends mail needs a mail server, or the explicit wish to write files instead. */
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

/** What `npm start` needs, and what the processes need that it hands its environment on to. */
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

/** Where `npm start` leaves the address of its database for the commands beside it. */
export const databaseFile = (dataDir: string) => path.join(dataDir, 'database-url');

const ForCommand = z.object({
  DATABASE_URL: DatabaseUrl.optional(),
  DATA_DIR: DataDir,
  NODE_ENV: NodeEnv,
  LOCAL_PORT: LocalPort.default(3000),
  SECRET: Secret.optional(),
  PRIVATE_NETWORKS: PrivateNetworks,
  STORAGE_URL: StorageUrl,
  SEED_PASSWORD: z.string().default(SEED_PASSWORD),
  NEW_PASSWORD: z.string().optional(),
});
export type CommandConfiguration = z.output<typeof ForCommand>;

/** What the commands beside the processes read: ops, board, seed and invariants. */
export const readCommandConfiguration = (variables: Variables): CommandConfiguration =>
  readEnvironment(ForCommand, variables);

type Named = Pick<CommandConfiguration, 'DATABASE_URL' | 'DATA_DIR'>;

/** DATABASE_URL, or else the database that `npm start` is running in this folder. */
export function findDatabase({ DATABASE_URL, DATA_DIR }: Named): string {
  if (DATABASE_URL) return DATABASE_URL;
  const file = databaseFile(DATA_DIR);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new StartupError('No database: set DATABASE_URL, or run npm start first.');
}
