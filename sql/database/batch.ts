import { SpanKind, trace } from '@opentelemetry/api';
import pg from 'pg';

export type Statement = { text: string; values: readonly unknown[]; name?: string | undefined };

type Row = Record<string, unknown>;
type Field = { readonly name: string; readonly dataTypeID: number };
export type Answer = {
  command: string;
  rowCount: number;
  fields: readonly Field[];
  rows: Row[];
};

/** How the rows of a statement are parsed. */
type Shape = { fields: readonly Field[]; parsers: readonly Parse[]; blank: Row };
type Parse = (text: string) => unknown;

/** The row shapes of the statements that a connection has prepared. */
export type Shapes = Map<string, Shape>;

const ROWLESS: Shape = { fields: [], parsers: [], blank: {} };

/** Methods of node-postgres' connection that its types do not declare. */
type Wire = {
  parsedStatements: Record<string, string>;
  submittedNamedStatements: Record<string, string>;
  stream: { cork(): void; uncork(): void };
  parse(query: { name: string; text: string }): void;
  bind(given: { statement: string; values: unknown[] }): void;
  describe(what: { type: 'P'; name: string }): void;
  execute(given: { portal: '' }): void;
  sync(): void;
};

const { prepareValue } = (pg as unknown as { utils: { prepareValue: (value: unknown) => unknown } })
  .utils;

/** Maximum length of a statement's text in a trace. */
const TEXT_MAX = 500;
const tracer = trace.getTracer('loan-servicing');

/** Statements that begin and end transactions are frequent, so they are prepared under their own text. */
const BOUNDARY = /^(begin|commit|rollback)( read only)?$/;

/**
 * Sends several statements together and reads their answers together, with one Sync at the end
 * (node-postgres sends one per statement). Postgres then flushes its answers once and skips everything
 * after a failed statement. The columns of a prepared statement are described once per connection; Postgres
 * itself rejects a prepared statement whose columns have changed.
 */
export class Batch extends pg.Query {
  /** node-postgres reads these: the statement that is being answered. */
  name = '';
  text = '';
  readonly statements: readonly Statement[];
  readonly answered: Promise<Answer[]>;
  failed: Statement | undefined;
  callback = () => {};

  readonly #shapes: Shapes;
  readonly #parserOf: (oid: number) => Parse;
  readonly #end: PromiseWithResolvers<Answer[]> = Promise.withResolvers();
  readonly #answers: Answer[] = [];
  readonly #bound: unknown[][];
  #spans: ReturnType<typeof spanOf>[] = [];
  #shape: Shape | undefined;
  #rows: Row[] = [];
  #unreadable: Error | undefined;

  constructor(statements: readonly Statement[], shapes: Shapes, parserOf: (oid: number) => Parse) {
    super({ text: '' });
    this.statements = statements.map((statement) => ({
      ...statement,
      name: statement.name ?? (BOUNDARY.test(statement.text) ? statement.text : ''),
    }));
    this.#shapes = shapes;
    this.#parserOf = parserOf;
    this.#bound = statements.map(({ values }) => values.map((value) => prepareValue(value)));
    this.answered = this.#end.promise;
  }

  override submit = (connection: pg.Connection) => {
    const wire = connection as unknown as Wire;
    // Each write to the socket is a system call, so all messages are sent in one.
    wire.stream.cork();
    for (const [at, { name = '', text }] of this.statements.entries()) {
      const isKnown = name !== '' && isPrepared(wire, name);
      if (!isKnown) wire.parse({ name, text });
      if (!isKnown && name !== '') wire.submittedNamedStatements[name] = text;
      wire.bind({ statement: name, values: this.#bound[at] ?? [] });
      if (!this.#shapes.has(name)) wire.describe({ type: 'P', name: '' });
      wire.execute({ portal: '' });
    }
    wire.sync();
    wire.stream.uncork();
    this.#spans = this.statements.map(({ text }) => spanOf(text));
    this.#turn();
  };

  #turn() {
    const { name = '', text = '' } = this.statements[this.#answers.length] ?? {};
    this.name = name;
    this.text = text;
    this.#rows = [];
    this.#shape = this.#shapes.get(name);
  }

  handleRowDescription({ fields }: { fields: readonly Field[] }) {
    this.#shape = {
      fields,
      parsers: fields.map(({ dataTypeID }) => this.#parserOf(dataTypeID)),
      blank: Object.fromEntries(fields.map((field) => [field.name, null])),
    };
  }

  handleDataRow({ fields: texts }: { fields: readonly (string | null)[] }) {
    const { fields, parsers, blank } = this.#shape ?? ROWLESS;
    const row = { ...blank };
    try {
      for (const [at, { name }] of fields.entries()) {
        const given = texts[at] ?? null;
        if (given !== null) row[name] = parsers[at]?.(given);
      }
    } catch (error) {
      this.#unreadable ??= error as Error;
    }
    this.#rows.push(row);
  }

  handleCommandComplete({ text }: { text: string }) {
    const [command = '', ...counts] = text.split(' ');
    const shape = this.#shape ?? ROWLESS;
    if (this.name !== '') this.#shapes.set(this.name, shape);
    this.#spans[this.#answers.length]?.end();
    const rowCount = Number(counts.at(-1) ?? 0);
    this.#answers.push({ command, rowCount, fields: shape.fields, rows: this.#rows });
    this.#turn();
  }

  handleReadyForQuery() {
    if (this.#unreadable) this.#end.reject(this.#unreadable);
    else this.#end.resolve(this.#answers);
  }

  handleError(error: Error, connection: pg.Connection) {
    const at = this.#answers.length;
    this.failed = this.statements[at];
    for (const { name = '' } of this.statements.slice(at))
      // Statements that Postgres skipped were not prepared either.
      delete (connection as unknown as Wire).submittedNamedStatements[name];
    for (const span of this.#spans.slice(at)) span.end();
    this.#end.reject(error);
  }
}

const isPrepared = ({ parsedStatements, submittedNamedStatements }: Wire, name: string) =>
  parsedStatements[name] !== undefined || submittedNamedStatements[name] !== undefined;

const spanOf = (text: string) =>
  tracer.startSpan('statement', {
    kind: SpanKind.CLIENT,
    // Traces contain the text only. Bound values may be personal data.
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, TEXT_MAX) },
  });
