import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { loans } from '../loans/loans.ts';
import { table } from '../table.ts';
import type { Source } from './snapshots.ts';
import { LIVE, RECORDED, type TapeColumn } from './tape-columns.ts';

export const configs = table({
  name: 'loan_tape_configs',
  rows: sql.fragment`
    select record.id, record.name, record.portfolio_id, record.format, record.columns,
           record.filters, record.schedule, record.include_header, record.is_active,
           record.delivery, record.last_generated_at, record.next_run_at, record.created_at,
           record.updated_at
    from loan_tape_configs as record
  `,
});

export const tapes = table({
  name: 'loan_tapes',
  rows: sql.fragment`
    select record.id, record.loan_tape_config_id, record.portfolio_id, record.as_of_date,
           record.format, record.status, record.failure_reason, record.row_count, record.document_id, record.filename,
           record.checksum, record.totals, record.warnings, record.generated_at,
           record.created_at, record.updated_at
    from loan_tapes as record
  `,
});

/** Which loans, of which day, in which columns. */
export type Tape = {
  portfolio_id: string | null;
  as_of_date: string;
  columns: readonly TapeColumn[];
  filters: Partial<Record<TapeFilter, string[]>>;
};
export type TapeFilter =
  'status' | 'delinquency_bucket' | 'program_id' | 'product_id' | 'loan_type';

const Order = z.object({
  id: z.string(),
  loan_tape_config_id: z.string(),
  portfolio_id: z.string().nullable(),
  as_of_date: z.string(),
  format: z.enum(['csv', 'json']),
  columns: z.array(
    z.custom<TapeColumn>((name) => typeof name === 'string' && Object.hasOwn(LIVE, name)),
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

/** The same, while nobody else makes it: of two at once, the second finds it made. */
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
  tx.anyFirst(sql.type(z.object({ id: z.string() }))`
    select id from loan_tape_configs where is_active and next_run_at <= ${day} order by id
  `);

/** The loans of the tape: those on the books, unless a filter says otherwise. */
const from = (tape: Tape, source: Source) => {
  const status = tape.filters.status ?? ['active', 'charged_off'];
  const isRecorded = source === 'recorded';
  const owner = isRecorded ? sql.fragment`kept` : sql.fragment`row`;
  const clauses = [
    sql.fragment`${owner}.status = any(${sql.array(status, 'text')})`,
    ...(tape.portfolio_id === null
      ? []
      : [sql.fragment`${owner}.portfolio_id = ${tape.portfolio_id}`]),
    ...(tape.filters.delinquency_bucket
      ? [
          sql.fragment`${owner}.delinquency_bucket = any(${sql.array(tape.filters.delinquency_bucket, 'text')})`,
        ]
      : []),
    ...(['program_id', 'product_id', 'loan_type'] as const).flatMap((column) => {
      const values = tape.filters[column];
      if (!values) return [];
      return [
        sql.fragment`${sql.identifier(['row', column])}::text = any(${sql.array(values, 'text')})`,
      ];
    }),
  ];
  const kept = sql.fragment`
    join loan_snapshots as kept on kept.loan_id = row.id and kept.snapshot_date = ${tape.as_of_date}`;
  return sql.fragment`
    from (${loans.rows}) as row
    cross join (select ${tape.as_of_date}::date as day) as tape
    ${isRecorded ? kept : sql.fragment``}
    where ${sql.join(clauses, sql.fragment` and `)}
  `;
};

const columnOf = (name: TapeColumn, source: Source) =>
  (source === 'recorded' ? RECORDED[name] : undefined) ?? LIVE[name];

export type TapeRow = Record<string, string | number | boolean | null> & { id: string };

/** The next loans of the tape, in the order of their ids. */
export const page = async (
  tx: Transaction,
  tape: Tape,
  source: Source,
  { after, limit }: { after: string | null; limit: number },
): Promise<readonly TapeRow[]> => {
  const columns = tape.columns.map(
    (name) => sql.fragment`${columnOf(name, source)} as ${sql.identifier([name])}`,
  );
  const rest = after === null ? sql.fragment`` : sql.fragment`and row.id > ${after}`;
  return (await tx.any(sql.unsafe`
    select row.id as id, ${sql.join(columns, sql.fragment`, `)} ${from(tape, source)} ${rest}
    order by row.id limit ${limit}
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
export const totals = (tx: Transaction, tape: Tape, source: Source) => {
  const balance = columnOf('principal_balance', source);
  const maturity = columnOf('maturity_date', source);
  return tx.one(sql.type(Totals)`
    select count(*)::integer as row_count,
           coalesce(sum(${balance}), 0)::numeric(18, 2) as principal_balance,
           count(*) filter (where ${maturity} is null)::integer as no_maturity,
           count(*) filter (where ${maturity} < ${LIVE.origination_date})::integer as matures_early,
           count(*) filter (where least(${balance}, row.outstanding_fees) < 0)::integer as negative,
           count(*) filter (where ${columnOf('interest_rate', source)} > 0.6)::integer as odd_rate,
           count(*) filter (where ${LIVE.borrower_state} is null)::integer as no_state
    ${from(tape, source)}
  `);
};
