import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { z } from 'zod';
import { CannotStart } from '../sql/cannot-start.ts';

type Variables = Record<string, string | undefined>;

const LogLevel = z.enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']);
const DatabaseUrl = z.url({ protocol: /^postgres(ql)?$/ });
const Port = z.coerce.number().int().min(0).max(65_535);

const ForWorker = z
  .object({
    DATABASE_URL: DatabaseUrl,
    /** Where the outbox, the files and the unpacked browser are. */
    DATA_DIR: z.string().default('.data'),
    LOG_LEVEL: LogLevel.default('info'),
    NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
    /** Signs links to files; the same for the API and all workers. */
    SECRET: z.string().min(32, 'at least 32 characters').optional(),
    /** Without it, mail goes to the outbox folder. */
    SMTP_URL: z.url({ protocol: /^smtps?$/ }).optional(),
    /** Without these, text messages go to the outbox folder. */
    TWILIO_ACCOUNT_SID: z.string().optional(),
    TWILIO_AUTH_TOKEN: z.string().optional(),
    TWILIO_STATUS_CALLBACK: z.url().optional(),
    PUPPETEER_EXECUTABLE_PATH: z.string().optional(),
    /** Serves /healthz and /metrics there. */
    METRICS_PORT: Port.optional(),
    HOST: z.string().default('127.0.0.1'),
    /** Jobs at a time, where a machine needs another number than the pool's own. */
    WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(200).optional(),
    /** Connections for the jobs' own transactions. */
    DATABASE_POOL: z.coerce.number().int().min(2).max(100).default(8),
  })
  .refine(({ NODE_ENV, SECRET }) => NODE_ENV !== 'production' || SECRET !== undefined, {
    path: ['SECRET'],
    message: 'needed in production',
  })
  .refine(
    (read) => (read.TWILIO_ACCOUNT_SID === undefined) === (read.TWILIO_AUTH_TOKEN === undefined),
    {
      path: ['TWILIO_AUTH_TOKEN'],
      message: 'TWILIO_ACCOUNT_SID and TWILIO_AUTH_TOKEN go together',
    },
  );
export type WorkerConfiguration = z.output<typeof ForWorker>;

/** What the seed's people sign in with, unless SEED_PASSWORD says otherwise. */
export const SEED_PASSWORD = 'correct horse battery';

const ForStart = z.object({
  PORT: Port.default(3000),
  HOST: z.string().default('127.0.0.1'),
  DATA_DIR: z.string().default('.data'),
  DATABASE_URL: DatabaseUrl.optional(),
  LOG_LEVEL: LogLevel.default('warn'),
  NODE_ENV: z.enum(['development', 'test']).default('development'),
  SEED_PASSWORD: z.string().default(SEED_PASSWORD),
  /** The first worker serves its metrics there, the others on the ports after it. */
  METRICS_PORT: Port.refine(
    (port) => port > 0 && port <= 65_533,
    'leaves room for three',
  ).optional(),
});
export type StartConfiguration = z.output<typeof ForStart>;

/** What the commands beside a running platform read. */
const ForCommand = z.object({
  DATABASE_URL: DatabaseUrl.optional(),
  DATA_DIR: z.string().default('.data'),
  NODE_ENV: z.enum(['development', 'test', 'production']).default('development'),
  SECRET: z.string().min(32, 'at least 32 characters').optional(),
});

const setOf = (variables: Variables) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));

function problemsOf(schema: z.ZodType, variables: Variables): string[] {
  const { error } = schema.safeParse(setOf(variables));
  return (error?.issues ?? []).map(({ path: at, message }) => `  ${at.join('.')}: ${message}`);
}

function refuse(problems: readonly string[]) {
  if (problems.length > 0)
    throw new CannotStart(`The configuration is not complete:\n${problems.join('\n')}`);
}

/** Reads the environment once; everything that is wrong with it is listed together. */
function read<Configuration>(schema: z.ZodType<Configuration>, variables: Variables) {
  refuse(problemsOf(schema, variables));
  return schema.parse(setOf(variables));
}

export const readWorkerConfiguration = (variables: Variables): WorkerConfiguration =>
  read(ForWorker, variables);

/** What `npm start` needs, and what the processes need that it hands its environment on to. */
export function readStartConfiguration(variables: Variables): StartConfiguration {
  const ofStart = problemsOf(ForStart, variables);
  const named = new Set(ofStart.map((problem) => problem.split(':')[0]));
  const handedOn = {
    ...variables,
    DATABASE_URL: variables['DATABASE_URL'] || 'postgres://embedded',
  };
  const ofWorkers = problemsOf(ForWorker, handedOn);
  refuse([...ofStart, ...ofWorkers.filter((problem) => !named.has(problem.split(':')[0]))]);
  return ForStart.parse(setOf(variables));
}

/** Where `npm start` leaves the address of its database for the commands beside it. */
export const databaseFile = (dataDir: string) => path.join(dataDir, 'database-url');

/** DATABASE_URL, or else the database that `npm start` is running in this folder. */
export function findDatabase(variables: Variables): string {
  const { DATABASE_URL, DATA_DIR } = read(ForCommand, variables);
  if (DATABASE_URL) return DATABASE_URL;
  const file = databaseFile(DATA_DIR);
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new CannotStart('No database: set DATABASE_URL, or run npm start first.');
}
