import pg from 'pg';
import {
  BackendTerminatedError,
  createDriverFactory,
  type DriverConfiguration,
  type DriverFactory,
} from 'slonik';
import { Batch, type Shapes, type Statement } from './batch.ts';

/**
 * Names that mark how a statement is sent. The pool passes only the text and the name through. Round trips
 * dominate small transactions, so a DEFERRED statement, whose result is not read, is kept and sent with the
 * next statement of its connection. If it fails, the next statement throws the error. A FIRE_AND_FORGET
 * statement is sent immediately, and its answer is not awaited.
 */
export const DEFERRED = 'deferred';
/**
 * Deferred, but its answer is read before the transaction is rolled back, because it may explain why the
 * steps failed.
 */
export const ASSUMED = `${DEFERRED} assumed`;
export const FIRE_AND_FORGET = 'unawaited';
/** The last statement of its transaction. The commit is sent with it, and both are awaited. */
export const AND_COMMIT = 'last';

/** Whether the result of a statement comes from the server. */
export const isServerResponse = ({ name }: { readonly name?: string | undefined }) =>
  !isDeferred(name) && name !== FIRE_AND_FORGET;

const isDeferred = (name: string | undefined) => name?.startsWith(DEFERRED) ?? false;
const isAssumed = (statement: Statement | undefined) =>
  statement?.name?.startsWith(ASSUMED) ?? false;
/** SQLSTATEs of our own functions begin with T; none of Postgres' own do. */
const isApplicationError = (error: Error) =>
  String((error as { code?: unknown }).code).startsWith('T');
const isLast = (name: string | undefined) => name?.startsWith(`${AND_COMMIT} `) ?? false;
const COMMIT = { text: 'commit', values: [] };

/** The result of a statement that was deferred or does not need to be sent. */
const NOTHING = { command: 'SELECT' as const, fields: [], rowCount: 0, rows: [] };

/**
 * Postgres answers the commit of a failed transaction with ROLLBACK and raises no error, so the driver
 * throws this one.
 */
class RolledBack extends Error {
  constructor() {
    super('The transaction was rolled back where it should have been committed.');
  }
}

export type SessionSettings = Record<string, string>;

/**
 * Applies the settings with the connection's first statement, not in the startup packet. A pooler opens
 * connections itself and would hand out one with its login's role and time zone.
 */
export const applySessionSettings = async (
  client: Pick<pg.ClientBase, 'query'>,
  settings: SessionSettings,
) => {
  await client.query(
    'select set_config(name, value, false) from json_each_text($1) as setting (name, value)',
    [JSON.stringify(settings)],
  );
};

/** A driver for node-postgres connections that can have several statements in flight. */
export const createDriver = (settings: SessionSettings): DriverFactory =>
  createDriverFactory(({ driverConfiguration }) =>
    Promise.resolve({
      createPoolClient: ({ clientEventEmitter: events }) => {
        const client = new pg.Client(configurationOf(driverConfiguration));
        client.on('error', (error) => {
          // If connecting failed, nothing listens to the event: `connect` has thrown the error.
          if (events.listenerCount('error') > 0) events.emit('error', classifyError(error));
        });
        client.on('notice', ({ message = '' }) => events.emit('notice', { message }));
        return Promise.resolve({
          connect: async () => {
            await client.connect();
            await applySessionSettings(client, settings).catch((error: unknown) => {
              void client.end().catch(() => {});
              throw error;
            });
          },
          end: () => client.end(),
          query: createQueryRunner(client),
          stream: () => {
            throw new Error('Rows are read in whole pages, not as a stream.');
          },
        });
      },
    }),
  );

function createQueryRunner(client: pg.Client) {
  let deferred: Statement[] = [];
  let isOpen = false;
  /** How the AND_COMMIT statement ended the transaction, until its caller also ends it. */
  let ended: 'well' | 'badly' | null = null;
  /** The error of an ASSUMED statement. It is thrown at the rollback, even if the steps caught it. */
  let assumptionError: Error | null = null;
  const shapes: Shapes = new Map();

  const sendAll = async (statements: readonly Statement[]) => {
    const batch = new Batch(statements, shapes, parserOf);
    client.query(batch);
    const answers = await batch.answered.catch((reason: unknown) => {
      const error = classifyError(reason);
      if (isAssumed(batch.failed) && isApplicationError(error)) assumptionError = error;
      throw error;
    });
    const isUndone = answers.some(
      ({ command }, at) => statements[at]?.text === 'commit' && command === 'ROLLBACK',
    );
    if (isUndone) throw new RolledBack();
    return answers;
  };

  /** The rollback is sent in its own batch, so it runs even if the statements before it fail. */
  const sendApart = async (before: readonly Statement[], rollback: Statement) => {
    const batches =
      before.length > 0 ? [sendAll(before), sendAll([rollback])] : [sendAll([rollback])];
    const answers = await Promise.allSettled(batches);
    return answers.flatMap((answer) => {
      if (answer.status === 'rejected') throw answer.reason as Error;
      return answer.value;
    });
  };

  return async (text: string, values: unknown[] = [], { name }: { name?: string } = {}) => {
    const isBeginning = text.startsWith('begin');
    const isEnd = text === 'commit' || text === 'rollback';
    if (ended !== null && !isBeginning && !isEnd)
      throw new Error('Nothing may follow the last statement of a transaction.');
    if (isBeginning) assumptionError = null;
    const endedBefore = ended;
    if (isBeginning || isEnd) ended = null;
    if (isEnd && endedBefore === 'well') return { ...NOTHING };
    if (text === 'commit' && endedBefore === 'badly') throw new RolledBack();
    if (isDeferred(name) && (isOpen || isBeginning)) {
      isOpen = true;
      deferred.push({ text, values, name: name === DEFERRED ? undefined : name });
      return { ...NOTHING };
    }
    // A rollback makes deferred statements unnecessary, except for ASSUMED ones, which may explain the
    // failure.
    const isUndone = text.startsWith('rollback');
    const before = isUndone ? deferred.slice(0, deferred.findLastIndex(isAssumed) + 1) : deferred;
    deferred = [];
    if (isEnd) isOpen = false;
    // A read-only transaction rejects deferred writes, and that error must not be lost.
    if (name === FIRE_AND_FORGET && before.length === 0) {
      // If the connection breaks, it reports that itself.
      sendAll([{ text, values }]).catch(() => {});
      return { ...NOTHING };
    }
    const statement = { text, values, name: name === FIRE_AND_FORGET ? undefined : name };
    const endsIt = isOpen && isLast(name);
    // Set before the answer arrives, so that later statements are rejected.
    if (endsIt) [isOpen, ended] = [false, 'badly'];
    const answers = await (isUndone
      ? sendApart(before, statement)
      : sendAll([...before, statement, ...(endsIt ? [COMMIT] : [])]));
    // Concurrent steps that failed may have rolled the transaction back in the meantime.
    if (ended === 'badly') ended = 'well';
    if (text === 'rollback' && assumptionError !== null) throw assumptionError;
    const answer = answers[before.length];
    if (!answer) throw new Error('Nothing was asked.');
    const { command, fields, rowCount, rows } = answer;
    return {
      command: command as (typeof NOTHING)['command'],
      fields: fields.map((field) => ({ dataTypeId: field.dataTypeID, name: field.name })),
      rowCount,
      rows,
    };
  };
}

/** The pool discards a connection that the server ended. It recognizes this by the error's class. */
function classifyError(error: unknown) {
  const { message, code } = error as { message: string; code?: string };
  const isOver = code === '57P01' || message.toLowerCase().includes('connection terminated');
  return isOver ? new BackendTerminatedError(error as Error) : (error as Error);
}

function configurationOf({
  connectionUri,
  connectionTimeout,
}: DriverConfiguration): pg.ClientConfig & { pipeline: boolean } {
  return {
    connectionString: connectionUri,
    pipeline: true,
    ...(connectionTimeout !== 'DISABLE_TIMEOUT' && { connectionTimeoutMillis: connectionTimeout }),
  };
}

type Parse = (text: string) => unknown;

/** Exact values arrive as text, because a JavaScript number would lose cents. */
const asText: Parse = (text) => text;
const asInstant: Parse = (text) =>
  new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString();

const { INT8, NUMERIC, DATE, TIMESTAMPTZ } = pg.types.builtins;
/** The pg library has no names for array types: https://www.postgresql.org/docs/18/catalog-pg-type.html */
const ARRAYS = { int8: 1016, numeric: 1231, date: 1182, timestamptz: 1185, text: 1009 };
const textsOf = pg.types.getTypeParser(ARRAYS.text, 'text') as (text: string) => (string | null)[];
const eachOf =
  (parse: Parse): Parse =>
  (text) =>
    textsOf(text).map((item) => (item === null ? null : parse(item)));

const PARSERS = new Map<number, Parse>([
  ...[INT8, NUMERIC, DATE].map((oid) => [oid, asText] as const),
  ...[ARRAYS.int8, ARRAYS.numeric, ARRAYS.date].map((oid) => [oid, eachOf(asText)] as const),
  [TIMESTAMPTZ, asInstant],
  [ARRAYS.timestamptz, eachOf(asInstant)],
]);

const parserOf = (oid: number) => PARSERS.get(oid) ?? (pg.types.getTypeParser(oid) as Parse);
