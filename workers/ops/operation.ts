import type { DatabasePool } from 'slonik';
import type { Files } from '../../jobs/files/files.ts';
import type { Installation } from '../../jobs/installation.ts';

/** The input of every operation. */
type OperationArguments = {
  /** The database address, for operations that open their own connections. */
  url: string;
  words: readonly string[];
  options: Readonly<Record<string, string | undefined>>;
  /** The value of NEW_PASSWORD. */
  newPassword: string | undefined;
  /** The value of SECRET. */
  secret?: string | undefined;
  /** The value of SECRET; in development, the one that DATA_DIR keeps. */
  readSecret?: () => string;
  /** The installation's settings, without access to files. */
  installation: Installation;
  /** Opens the document store, for operations that copy documents. */
  openFiles?: () => Promise<Files>;
  /** Reports progress of a long operation on stderr. */
  say?: (sentence: string) => void;
};

/**
 * The input of an operation that runs with the login `worker`: also connections as worker and as
 * application.
 */
type Connected = OperationArguments & {
  /** For tables outside the tenants: workers, queue, pauses. */
  owner: DatabasePool;
  /** Row-level security applies. To work on a tenant, use createWithin(app, SYSTEM). */
  app: DatabasePool;
};

/** `rows` are printed as a table, or as JSON with --json. `say` is printed only without --json. */
export type OperationResult = {
  say?: string;
  rows?: readonly Record<string, unknown>[];
  code?: number;
};

type Described = {
  name: string;
  /** The arguments and options after the name: "pool|task NAME [--reason TEXT]". */
  usage: string;
  summary: string;
  /** The maximum number of arguments. Default: none. */
  words?: number;
  /** Options that take a value, in addition to --json. */
  options?: readonly string[];
};

/** Runs with the login `worker` of workers/deployment/logins.sql. */
export type Operation = Described & { run(given: Connected): Promise<OperationResult> };

/**
 * Reads or writes whole tables as their owner, for example to export a tenant. It opens its own connections
 * with the login `migrator`, because the login `worker` must not be able to do this.
 */
export type OwnerOperation = Described & {
  login: 'migrator';
  run(given: OperationArguments): Promise<OperationResult>;
};

/** The arguments are invalid. The command prints the operation's usage. */
export class UsageError extends Error {}
