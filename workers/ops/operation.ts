import type { DatabasePool } from 'slonik';
import type { Files } from '../../jobs/files/files.ts';
import type { Installation } from '../../jobs/installation.ts';

/** What an operation is given: connections as a worker and as the application, and its words. */
type Given = {
  /** The address of the database, for operations that open connections of their own. */
  url: string;
  /** Sees what lies outside the tenants: workers, queue, pauses. */
  owner: DatabasePool;
  /** Row-level security holds here: reach tenants through workOf(app, SYSTEM). */
  app: DatabasePool;
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
  /** Tells how far a long operation is; on stderr, beside what it answers. */
  say?: (sentence: string) => void;
};

/** `rows` are printed as a table, or with --json as they are; `say` is for people only. */
export type Answer = { say?: string; rows?: readonly Record<string, unknown>[]; code?: number };

export type Operation = {
  name: string;
  /** What stands behind the name: "pool|task NAME [--reason TEXT]". */
  usage: string;
  summary: string;
  /** How many words it takes at most; none, unless it says so. */
  words?: number;
  /** Options that take a value, beside --json. */
  options?: readonly string[];
  run(given: Given): Promise<Answer>;
};

/** The words were not what the operation takes; its usage is shown. */
export class Misused extends Error {}
