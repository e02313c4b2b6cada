import pg from 'pg';
import {
  BackendTerminatedError,
  createDriverFactory,
  type DriverConfiguration,
  type DriverFactory,
} from 'slonik';
import { Batch, type Shapes, type Statement } from './batch.ts';

/**
 * Round trips are what a small transaction waits for. A statement whose answer nobody reads is kept
 * back here and sent together with the next one of its connection; what it fails of is told where that
 * one's answer is. A statement that nobody waits for is sent at once. All are marked by their name,
 * which is all that the pool hands through beside the text.
 */
export const DEFERRED = 'unread';
/** Unread, and yet answered before what depends on it is undone: it may be the reason for that. */
export const ASSUMED = 'unread supposed';
export const FIRE_AND_FORGET = 'unawaited';
/** The last statement of its transaction, whose commit goes with it; both are waited for. */
export const AND_COMMIT = 'last';

/** Whether what comes back for a statement is the server's own word. */
export const isServerResponse = ({ name }: { readonly name?: string | undefined }) =>
  !isUnread(name) && name !== FIRE_AND_FORGET;

const isUnread = (name: string | undefined) => name?.startsWith(DEFERRED) ?? false;
const isSupposed = (statement: Statement | undefined) =>
  statement?.name?.startsWith(ASSUMED) ?? false;
/** What our own functions refuse with: no state of Postgres' begins so. */
const isOurs = (error: Error) => String((error as { code?: unknown }).code).startsWith('T');
const isLast = (name: string | undefined) => name?.startsWith(`${AND_COMMIT} `) ?? false;
const COMMIT = { text: 'commit', values: [] };

/** What is answered where Postgres has not answered yet, or need not be asked. */
const NOTHING = { command: 'SELECT' as const, fields: [], rowCount: 0, rows: [] };

/** A commit of a transaction that a statement has failed in undoes it, and says so in one word only. */
class RolledBack extends Error {
  constructor() {
    super('The transaction was rolled back where it should have been committed.');
  }
}

/** What holds for a whole connection: its role, time zone and limits. */
export type SessionSettings = Record<string, string>;

/**
 * Sets it by the first statement of a connection, and not in the packet that opens it: a pooler opens
 * connections itself, and would hand us one that has the role and the zone of its login.
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

/** Connections of node-postgres on which several statements may be under way. */
export const createDriver = (settings: SessionSettings): DriverFactory =>
  createDriverFactory(({ driverConfiguration }) =>
    Promise.resolve({
      createPoolClient: ({ clientEventEmitter: events }) => {
        const client = new pg.Client(configurationOf(driverConfiguration));
        client.on('error', (error) => {
          // Of one that could not be opened nobody listens any more: `connect` has said why.
          if (events.listenerCount('error') > 0) events.emit('error', told(error));
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
          query: asking(client),
          stream: () => {
            throw new Error('Rows are read in whole pages, not as a stream.');
          },
        });
      },
    }),
  );

function asking(client: pg.Client) {
  let kept: Statement[] = [];
  let isOpen = false;
  /** How its last statement ended it, until whoever began it ends it as well. */
  let ended: 'well' | 'badly' | null = null;
  /** Why what was supposed is not so, until its transaction is undone, whatever its steps made of that. */
  let mistaken: Error | null = null;
  const shapes: Shapes = new Map();

  const sendAll = async (statements: readonly Statement[]) => {
    const batch = new Batch(statements, shapes, parserOf);
    client.query(batch);
    const answers = await batch.answered.catch((reason: unknown) => {
      const error = told(reason);
      if (isSupposed(batch.failed) && isOurs(error)) mistaken = error;
      throw error;
    });
    const isUndone = answers.some(
      ({ command }, at) => statements[at]?.text === 'commit' && command === 'ROLLBACK',
    );
    if (isUndone) throw new RolledBack();
    return answers;
  };

  /** What undoes is done whatever becomes of what is asked before it. */
  const sendApart = async (before: readonly Statement[], undoing: Statement) => {
    const asked = before.length > 0 ? [sendAll(before), sendAll([undoing])] : [sendAll([undoing])];
    const answers = await Promise.allSettled(asked);
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
    if (isBeginning) mistaken = null;
    const how = ended;
    if (isBeginning || isEnd) ended = null;
    if (isEnd && how === 'well') return { ...NOTHING };
    if (text === 'commit' && how === 'badly') throw new RolledBack();
    if (isUnread(name) && (isOpen || isBeginning)) {
      isOpen = true;
      kept.push({ text, values, name: name === DEFERRED ? undefined : name });
      return { ...NOTHING };
    }
    // What is undone need not be done before; whether it was rightly undone is all that is asked.
    const isUndone = text.startsWith('rollback');
    const before = isUndone ? kept.slice(0, kept.findLastIndex(isSupposed) + 1) : kept;
    kept = [];
    if (isEnd) isOpen = false;
    // A transaction that may only read refuses what is kept back, and that is told.
    if (name === FIRE_AND_FORGET && before.length === 0) {
      // A connection that breaks meanwhile says so itself.
      sendAll([{ text, values }]).catch(() => {});
      return { ...NOTHING };
    }
    const asked = { text, values, name: name === FIRE_AND_FORGET ? undefined : name };
    const endsIt = isOpen && isLast(name);
    // Known before it is answered: what is asked meanwhile would come after the end.
    if (endsIt) [isOpen, ended] = [false, 'badly'];
    const answers = await (isUndone
      ? sendApart(before, asked)
      : sendAll([...before, asked, ...(endsIt ? [COMMIT] : [])]));
    // Unless steps that failed beside it have been undone meanwhile.
    if (ended === 'badly') ended = 'well';
    if (text === 'rollback' && mistaken !== null) throw mistaken;
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

/** The pool makes away with a connection whose server has ended it, and knows that by this class. */
function told(error: unknown) {
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

/** Everything exact arrives as text: a numeric read as a JavaScript number would lose cents. */
const asText: Parse = (text) => text;
const asInstant: Parse = (text) =>
  new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString();

const { INT8, NUMERIC, DATE, TIMESTAMPTZ } = pg.types.builtins;
/** Of arrays Postgres has no names here: https://www.postgresql.org/docs/18/catalog-pg-type.html */
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
