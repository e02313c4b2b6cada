import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import { COLUMN_DEFINITIONS, type TapeColumn } from './tape-columns.ts';

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

/** Whether files of another configuration would have the same names on the server. */
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

export type LoanTape = {
  portfolio_id: string | null;
  as_of_date: string;
  columns: readonly TapeColumn[];
  filters: Partial<Record<TapeFilter, string[]>>;
};
export type TapeFilter =
  'status' | 'delinquency_bucket' | 'investor_id' | 'program_id' | 'product_id' | 'loan_type';

const TapeOrder = z.object({
  id: z.string(),
  loan_tape_config_id: z.string(),
  portfolio_id: z.string().nullable(),
  as_of_date: z.string(),
  format: z.enum(TAPE_FORMATS),
  columns: z.array(
    z.custom<TapeColumn>(
      (name) => typeof name === 'string' && Object.hasOwn(COLUMN_DEFINITIONS, name),
    ),
  ),
  filters: z.record(z.string(), z.array(z.string())),
  include_header: z.boolean(),
  filename: z.string(),
});
export type TapeOrder = z.output<typeof TapeOrder>;

export const findUnfinishedTape = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(TapeOrder)`
    select id, loan_tape_config_id, portfolio_id, as_of_date, format, columns, filters,
           include_header, filename
    from loan_tapes where id = ${id} and status in ('pending', 'failed')
  `);

const Contents = TapeOrder.pick({ columns: true, filters: true });

/** The contents of a tape as it was ordered, regardless of later changes to its configuration. */
export const readContents = (tx: Transaction, id: string) =>
  tx.one(sql.type(Contents)`select columns, filters from loan_tapes where id = ${id}`);

/** Locks the order, unless it is finished. A second worker waits and then finds it finished. */
export const lockUnfinished = (tx: Transaction, id: string) =>
  tx.exists(sql.typeAlias('void')`
    select from loan_tapes where id = ${id} and status in ('pending', 'failed') for no key update
  `);

export const markTapeFailed = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update loan_tapes set status = 'failed', failure_reason = ${reason}
    where id = ${id} and status = 'pending'
  `);

/** Finds configurations whose tapes are due at the close of the day. */
export const configsDueBy = (day: string) =>
  sql.fragment`select id from loan_tape_configs where is_active and next_run_at <= ${day}`;

export const listDueConfigIds = (tx: Transaction, day: string) =>
  tx.anyFirst(prepared(sql.type(z.object({ id: z.string() }))`${configsDueBy(day)} order by id`));
