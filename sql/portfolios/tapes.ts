import type { FragmentSqlToken as SqlFragment, IdentifierSqlToken } from 'slonik';
import { z } from 'zod';
import { inChunk } from '../business-day/closes.ts';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { keptOf, ON_THE_BOOKS, openOf } from './day-rows.ts';
import type { Source } from './snapshots.ts';
import { COLUMNS, type TapeColumn } from './tape-columns.ts';

export const configs = table({
  name: 'loan_tape_configs',
  rows: sql.fragment`
    select record.id, record.name, record.portfolio_id, record.format, record.columns,
           record.filters, record.schedule, record.include_header, record.is_active,
           record.delivery, record.recipients, record.attach_file, record.sftp_server_id, record.last_generated_at,
           record.next_run_at, record.created_at, record.updated_at
    from loan_tape_configs as record
  `,
});

/** Whether another config's files would have the same names on the server. */
export const isNameTaken = (tx: Transaction, serverId: string, name: string, id: string | null) =>
  tx.exists(sql.typeAlias('void')`
    select from loan_tape_configs
    where delivery = 'sftp' and sftp_server_id = ${serverId} and lower(name) = lower(${name})
      and id is distinct from ${id}
  `);

export const tapes = table({
  name: 'loan_tapes',
  rows: sql.fragment`
    select record.id, record.loan_tape_config_id, record.portfolio_id, record.as_of_date,
           record.format, record.status, record.failure_reason, record.row_count,
           record.document_id, record.filename, record.checksum, record.totals, record.warnings,
           delivered.status as delivery_status, delivered.error as delivery_error,
           record.generated_at, record.created_at, record.updated_at
    from loan_tapes as record
    cross join lateral (
      select case when count(*) = 0 then 'none'
                  when bool_or(status = 'failed') then 'failed'
                  when bool_or(status = 'pending') then 'pending'
                  when bool_or(status = 'superseded') then 'superseded'
                  else 'sent' end as status,
             (array_agg(error order by updated_at desc) filter (where error is not null))[1] as error
      from tape_deliveries where loan_tape_id = record.id
    ) as delivered
  `,
});

export const TAPE_FORMATS = ['csv', 'json', 'xlsx'] as const;
export type TapeFormat = (typeof TAPE_FORMATS)[number];

/** Which loans, of which day, in which columns. */
export type Tape = {
  portfolio_id: string | null;
  as_of_date: string;
  columns: readonly TapeColumn[];
  filters: Partial<Record<TapeFilter, string[]>>;
};
export type TapeFilter =
  'status' | 'delinquency_bucket' | 'investor_id' | 'program_id' | 'product_id' | 'loan_type';

const Order = z.object({
  id: z.string(),
  loan_tape_config_id: z.string(),
  portfolio_id: z.string().nullable(),
  as_of_date: z.string(),
  format: z.enum(TAPE_FORMATS),
  columns: z.array(
    z.custom<TapeColumn>((name) => typeof name === 'string' && Object.hasOwn(COLUMNS, name)),
  ),
  filters: z.record(z.string(), z.array(z.string())),
  include_header: z.boolean(),
  filename: z.string(),
});

/** The tape that was ordered, as long as nobody has made it. */
export const pending = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Order)`
    select id, loan_tape_config_id, portfolio_id, as_of_date, format, columns, filters,
           include_header, filename
    from loan_tapes where id = ${id} and status in ('pending', 'failed')
  `);

const Contents = Order.pick({ columns: true, filters: true });

/** What a tape shows of which loans, whatever its configuration has become since. */
export const contentsOf = (tx: Transaction, id: string) =>
  tx.one(sql.type(Contents)`select columns, filters from loan_tapes where id = ${id}`);

/** That order, while nobody else makes it: of two at once, the second finds it made. */
export const lockPending = (tx: Transaction, id: string) =>
  tx.exists(sql.typeAlias('void')`
    select from loan_tapes where id = ${id} and status in ('pending', 'failed') for no key update
  `);

export const failed = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update loan_tapes set status = 'failed', failure_reason = ${reason}
    where id = ${id} and status = 'pending'
  `);

/** Whose tapes are due at the close of the day. */
export const due = (tx: Transaction, day: string) =>
  tx.anyFirst(
    prepared(sql.type(z.object({ id: z.string() }))`
    select id from loan_tape_configs where is_active and next_run_at <= ${day} order by id
  `),
  );

/** A range of loans, one page of the tape, by their ids. */
export type Range = { first_loan_id: string; before_loan_id: string | null };

export const WHOLE: Range = {
  first_loan_id: '00000000-0000-0000-0000-000000000000',
  before_loan_id: null,
};

/** Where the page after this one begins; nothing, where this is the last. */
export const nextPage = (tx: Transaction, after: string, size: number) =>
  tx.maybeOneFirst(sql.type(z.object({ id: z.string() }))`
    select id from loans where id >= ${after} order by id offset ${size} limit 1
  `);

/** The loans of the tape: those on the books, unless a filter says otherwise. */
const from = ({ portfolio_id, as_of_date, filters }: Tape, source: Source, range: Range) => {
  const among = (id: SqlFragment) => inChunk(range, id);
  const rows =
    source === 'recorded'
      ? keptOf(as_of_date, among)
      : openOf(as_of_date, among, filters.status ?? ON_THE_BOOKS);
  const clauses = [
    ...(portfolio_id === null ? [] : [sql.fragment`row.portfolio_id = ${portfolio_id}`]),
    ...OF_THE_DAY.flatMap((name) => isAnyOf(sql.identifier(['row', name]), filters[name])),
    ...OF_THE_LOAN.flatMap((name) => isAnyOf(sql.identifier(['loan', name]), filters[name])),
  ];
  return sql.fragment`
    from (${rows}) as row
    join loans as loan on loan.id = row.loan_id
    where ${sql.join([sql.fragment`true`, ...clauses], sql.fragment` and `)}
  `;
};

const OF_THE_DAY = ['status', 'delinquency_bucket', 'investor_id'] as const;
const OF_THE_LOAN = ['program_id', 'product_id', 'loan_type'] as const;

const isAnyOf = (column: IdentifierSqlToken, values: string[] | undefined) =>
  values ? [sql.fragment`${column}::text = any(${sql.array(values, 'text')})`] : [];

export type TapeRow = Record<string, string | number | boolean | null>;

/** The loans of one page of the tape, in the order of their ids. */
export const page = async (
  tx: Transaction,
  tape: Tape,
  source: Source,
  range: Range,
): Promise<readonly TapeRow[]> => {
  const named = tape.columns.map(
    (name) => sql.fragment`${COLUMNS[name].from} as ${sql.identifier([name])}`,
  );
  const shape = Object.fromEntries(tape.columns.map((name) => [name, COLUMNS[name].type]));
  return (await tx.any(sql.type(z.object(shape))`
    select ${sql.join(named, sql.fragment`, `)} ${from(tape, source, range)} order by row.loan_id
  `)) as readonly TapeRow[];
};

const Totals = z.object({
  row_count: z.int(),
  principal_balance: z.string(),
  no_maturity: z.int(),
  matures_early: z.int(),
  negative: z.int(),
  odd_rate: z.int(),
  no_state: z.int(),
});

/** How many loans, how much principal, and what a buyer would stumble over first. */
export const totals = (tx: Transaction, tape: Tape, source: Source) =>
  tx.one(sql.type(Totals)`
    select count(*)::integer as row_count,
           coalesce(sum(row.principal_balance), 0)::numeric(18, 2) as principal_balance,
           count(*) filter (where row.maturity_date is null)::integer as no_maturity,
           count(*) filter (where row.maturity_date < row.origination_date)::integer
             as matures_early,
           count(*) filter (where least(row.principal_balance, row.outstanding_fees) < 0)::integer
             as negative,
           count(*) filter (where row.interest_rate > 0.6)::integer as odd_rate,
           count(*) filter (where row.borrower_state is null)::integer as no_state
    ${from(tape, source, WHOLE)}
  `);

/** Loans of the day that its close set aside before it had kept anything of them. */
export const notKept = (tx: Transaction, day: string) =>
  tx.oneFirst(sql.type(z.object({ loans: z.int() }))`
    select count(distinct error.loan_id)::integer as loans
    from cob_loan_errors as error
    join cob_runs as run on run.id = error.run_id
    where run.cob_date = ${day} and error.step = 'snapshot'
  `);

const Tie = z.object({ ledger_principal: z.string(), differing: z.int() });

/**
 * What the books have as the principal of the tape's loans at the end of its day, whichever accounts it
 * is on, and how many of the loans the tape has otherwise.
 */
export const tie = (tx: Transaction, tape: Tape, source: Source) =>
  tx.one(sql.type(Tie)`
    select coalesce(sum(books.principal), 0.00)::numeric(18, 2) as ledger_principal,
           count(*) filter (where row.principal_balance <> coalesce(books.principal, 0))::integer
             as differing
    from (
      select row.loan_id, row.principal_balance ${from(tape, source, WHOLE)}
    ) as row
    left join lateral (
      select sum(line.debit - line.credit) as principal
      from journal_entries as entry join journal_lines as line on line.entry_id = entry.id
      where entry.loan_id = row.loan_id and entry.status = 'posted'
        and entry.entry_date <= ${tape.as_of_date} and line.role = 'loans_receivable'
    ) as books on true
  `);
