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

/** How the rows of a statement are read. */
type Shape = { fields: readonly Field[]; parsers: readonly Parse[]; blank: Row };
type Parse = (text: string) => unknown;

/** What a connection knows of the statements that it has prepared. */
export type Shapes = Map<string, Shape>;

const ROWLESS: Shape = { fields: [], parsers: [], blank: {} };

/** What node-postgres' connection can do, of which its types say less. */
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

/** Of a statement's text in a trace. */
const TEXT_MAX = 500;
const tracer = trace.getTracer('loan-servicing');

/** What begins and ends is prepared like everything that comes often, under its own text. */
const BOUNDARY = /^(begin|commit|rollback)( read only)?$/;

/**
 * Statements that go to Postgres together and are answered together. One Sync ends them all, where
 * node-postgres ends each by its own: Postgres sends what it has to say once and not for each of them,
 * and skips what follows a statement that failed. The rows of a prepared statement are described to a
 * connection once; Postgres itself refuses a statement whose columns have changed since.
 */
export class Batch extends pg.Query {
  /** What node-postgres looks at: the statement that is answered now. */
  name = '';
  text = '';
  readonly statements: readonly Statement[];
  readonly answered: Promise<Answer[]>;
  /** The statement that failed, once one has. */
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
    // Each write to the socket is a call of the system: all that go together are one.
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

  /** To the statement that is answered next. */
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
      // What was skipped has not been prepared either.
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
    // The text alone: what is bound to it is nobody else's.
    attributes: { 'db.system.name': 'postgresql', 'db.query.text': text.slice(0, TEXT_MAX) },
  });
