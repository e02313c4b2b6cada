import { sql, type QuerySqlToken } from 'slonik';
import { UNAWAITED, UNREAD } from './driver.ts';

/** What a transaction may do, and for how long. */
export type Mode = {
  readOnly?: boolean;
  snapshot?: boolean;
  /** Ends a statement of this transaction that takes longer, as in '5s'. */
  timeout?: string;
  /** The request that it is done for, by which its events and jobs are found again. */
  request_id?: string | null;
  /** What fails is not repeated here: whoever asks has somewhere else to ask. */
  isRepeated?: false;
};

const named = (query: QuerySqlToken, name: string) => Object.freeze({ ...query, name });

/** Nothing is known of a beginning before something is asked, so both go together. */
const BEGIN = named(sql.unsafe`begin`, UNREAD);
const BEGIN_READING = named(sql.unsafe`begin read only`, UNREAD);
const BEGIN_SNAPSHOT = named(sql.unsafe`begin isolation level repeatable read read only`, UNREAD);

export const beginning = ({ readOnly = false, snapshot = false }: Mode) =>
  snapshot ? BEGIN_SNAPSHOT : readOnly ? BEGIN_READING : BEGIN;

const COMMIT = sql.unsafe`commit`;
/** Nothing depends on the end of what has only read, so nobody waits for it. */
const LET_GO = named(COMMIT, UNAWAITED);

export const ending = ({ readOnly = false, snapshot = false }: Mode) =>
  readOnly || snapshot ? LET_GO : COMMIT;

/** Waited for, because a connection that cannot roll back must not be used again. */
export const ROLLBACK = sql.unsafe`rollback`;
/** Nothing is held by steps that have only read; whoever is told of another refusal may ask again at once. */
const DROP = named(ROLLBACK, UNAWAITED);

/** After steps that have refused, on a connection that is known to work. */
export const undoing = ({ readOnly = false, snapshot = false }: Mode) =>
  readOnly || snapshot ? DROP : ROLLBACK;
