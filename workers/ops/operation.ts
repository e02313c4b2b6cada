import type { DatabasePool } from 'slonik';
import type { Files } from '../../jobs/files/files.ts';
import type { Installation } from '../../jobs/installation.ts';

/** What every operation is given. */
type Words = {
  /** The address of the database, for operations that open connections of their own. */
  url: string;
  words: readonly string[];
  options: Readonly<Record<string, string | undefined>>;
  /** NEW_PASSWORD, which no command line shows. */
  newPassword: string | undefined;
  /** The keys of this installation. */
  secret?: string | undefined;
  /** What the command was started with; it has no files. */
  installation: Installation;
  /** Where documents live, for operations that carry them. */
  openFiles?: () => Promise<Files>;
  /** Reports progress of a long operation on stderr. */
  say?: (sentence: string) => void;
};

/** What an operation of the login `worker` is given: also connections as a worker and as the application. */
type Connected = Words & {
  /** Sees what lies outside the tenants: workers, queue, pauses. */
  owner: DatabasePool;
  /** Row-level security holds here: reach tenants through workOf(app, SYSTEM). */
  app: DatabasePool;
};

/** `rows` are printed as a table, or with --json as they are; `say` is for people only. */
export type OperationResult = {
  say?: string;
  rows?: readonly Record<string, unknown>[];
  code?: number;
};

type Described = {
  name: string;
  /** The words and options after the name: "pool|task NAME [--reason TEXT]". */
  usage: string;
  summary: string;
  /** The most words it takes. Default: none. */
  words?: number;
  /** Options that take a value, in addition to --json. */
  options?: readonly string[];
};

/** Runs with the login `worker` of workers/deployment/logins.sql. */
export type Operation = Described & { run(given: Connected): Promise<OperationResult> };

/**
 * Reads or writes whole tables as their owner, for example to export a tenant. Runs with the login `migrator`:
 * the login of the workers must not be able to do this. It opens its own connections.
 */
export type OwnerOperation = Described & {
  login: 'migrator';
  run(given: Words): Promise<OperationResult>;
};

/** The words were not what the operation takes; its usage is shown. */
export class UsageError extends Error {}
