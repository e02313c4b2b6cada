import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';
import type { BatchDates } from './letters.ts';

export const BATCH_STATUSES = ['making', 'ready', 'failed', 'cancelled'] as const;

export const batches = table({
  name: 'mail_batches',
  rows: sql.fragment`
    select record.id, record.number, record.business_date, record.from_date, record.status,
           record.failure_reason, record.letter_count, record.page_count, record.sheet_count,
           record.held_count, made.file_count, made.files_made, record.handed_over_at,
           record.files_removed_at, record.created_by, record.created_at, record.updated_at
    from mail_batches as record
    cross join lateral (
      select count(*)::integer as file_count, count(storage_key)::integer as files_made
      from mail_batch_files where mail_batch_id = record.id
    ) as made
  `,
});

/** Serializes the creation of batches, so that two batches never take the same letter. */
export const lockBatchCreation = (tx: Transaction) =>
  tx.query(sql.typeAlias('void')`
    select pg_advisory_xact_lock(hashtextextended('mail_batches:' || app.current_tenant(), 0))
  `);

/** The first day from which letters are taken: that of the latest batch. */
export const latestFromDate = (tx: Transaction) =>
  tx.maybeOneFirst(sql.type(z.object({ from_date: z.string() }))`
    select from_date from mail_batches order by number desc limit 1
  `);

/** Whether the day already has an automatic batch. */
export const hasScheduledBatch = (tx: Transaction, day: string) =>
  tx.exists(sql.typeAlias('void')`
    select from mail_batches where business_date = ${day} and created_by is null
  `);

type NewBatch = BatchDates & { created_by: string | null; held_count: number };

export const addBatch = (tx: Transaction, batch: NewBatch) =>
  tx.one(sql.type(z.object({ id: z.string(), number: z.int() }))`
    insert into mail_batches (number, business_date, from_date, created_by, held_count)
    select coalesce(max(number), 0) + 1, ${batch.business_date}, ${batch.from_date},
           ${batch.created_by}::uuid, ${batch.held_count}
    from mail_batches
    returning id, number
  `);

const FilePlanned = z.object({ id: z.string() });
type Limits = { letters: number; pages: number; bytes: number };

/**
 * Assigns waiting letters to files. Each file has letters with the same number of pages, domestic ones
 * first, ordered by postal code. The last two files are the manifests. Returns the files to be merged.
 */
export const assignLetters = (tx: Transaction, batchId: string, days: BatchDates, most: Limits) =>
  tx.any(sql.type(FilePlanned)`
    with batch as (
      select id, 'batch-' || lpad(number::text, 6, '0') || '-' as prefix
      from mail_batches where id = ${batchId}
    ), sorted as (
      select letter.id, letter.page_count,
             row_number() over (
               partition by letter.page_count
               order by coalesce(sent_to ->> 'country', 'US') <> 'US', sent_to ->> 'country',
                        sent_to ->> 'postal_code', letter.id
             ) - 1 as place,
             greatest(1, least(
               ${most.letters}, ${most.pages} / letter.page_count,
               ${most.bytes} / nullif(max(document.file_size) over (partition by letter.page_count), 0)
             )) as most
      from mail_letters as letter
      join documents as document on document.id = letter.document_id
      join communication_logs as log on log.id = letter.id
      cross join lateral (select log.figures #> '{letter,recipient}' as sent_to) as recipient
      where letter.status = 'waiting'
        and letter.posted_on between ${days.from_date} and ${days.business_date}
    ), placed as (
      select id, page_count, place / most as part, place % most * page_count + 1 as first_page,
             row_number() over (order by page_count, place) as position
      from sorted
    ), parts as (
      select page_count, part, count(*) as letter_count,
             row_number() over (order by page_count, part) as position
      from placed group by page_count, part
    ), written as (
      insert into mail_batch_files (
        mail_batch_id, position, kind, filename, pages_each, letter_count, page_count
      )
      select batch.id, position, 'letters',
             batch.prefix || page_count || '-pages-' || lpad((part + 1)::text, 3, '0') || '.pdf',
             page_count, letter_count, letter_count * page_count
      from parts, batch
      union all
      select batch.id, (select count(*) from parts) + nth, 'manifest',
             batch.prefix || 'manifest.' || ending, null, 0, 0
      from batch, unnest('{csv,json}'::text[]) with ordinality as endings (ending, nth)
      returning id, kind, position
    ), taken as (
      update mail_letters as letter
      set status = 'batched', mail_batch_id = ${batchId}, mail_batch_file_id = written.id,
          position = placed.position, first_page = placed.first_page
      from placed
      join parts on parts.page_count = placed.page_count and parts.part = placed.part
      join written on written.position = parts.position
      where letter.id = placed.id
      returning letter.page_count
    ), counted as (
      update mail_batches
      set letter_count = sums.letters, page_count = sums.pages, sheet_count = sums.sheets
      from (
        select count(*) as letters, sum(page_count) as pages, sum((page_count + 1) / 2) as sheets
        from taken
      ) as sums
      where mail_batches.id = ${batchId}
    )
    select id from written where kind = 'letters' order by position
  `);

const MailBatch = z.object({
  status: z.enum(BATCH_STATUSES),
  number: z.int(),
  business_date: z.string(),
  letter_count: z.int(),
  page_count: z.int(),
  sheet_count: z.int(),
  held_count: z.int(),
  handed_over_at: z.string().nullable(),
  files_removed_at: z.string().nullable(),
});
export type MailBatch = z.output<typeof MailBatch>;

const selectBatch = (id: string) => sql.fragment`
  select status, number, business_date, letter_count, page_count, sheet_count, held_count,
         handed_over_at, files_removed_at
  from mail_batches where id = ${id}
`;

export const findBatch = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(MailBatch)`${selectBatch(id)}`);

/** Locks the batch until the transaction ends. */
export const lockBatch = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(MailBatch)`${selectBatch(id)} for no key update`);

/**
 * Whether the batch's files are still being made. A failed batch counts, because its job can be run again.
 */
export const isInProgress = (batch: MailBatch | null): batch is MailBatch =>
  batch?.status === 'making' || batch?.status === 'failed';

export const setBatchStatus = (
  tx: Transaction,
  id: string,
  status: MailBatch['status'],
  reason: string | null = null,
) =>
  tx.query(sql.typeAlias('void')`
    update mail_batches set status = ${status}, failure_reason = ${reason} where id = ${id}
  `);

export const markBatchFailed = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update mail_batches set status = 'failed', failure_reason = ${reason}
    where id = ${id} and status in ('making', 'failed')
  `);

export const markHandedOver = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update mail_batches set handed_over_at = coalesce(handed_over_at, now()) where id = ${id}
  `);

export const releaseLetters = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update mail_letters
    set status = 'waiting', mail_batch_id = null, mail_batch_file_id = null, position = null,
        first_page = null
    where mail_batch_id = ${id}
  `);
