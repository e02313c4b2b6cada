import type { FragmentSqlToken as SqlFragment } from 'slonik';
import { z } from 'zod';
import { type Cell, csvLine } from '../csv.ts';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const batchFiles = table({
  name: 'mail_batch_files',
  rows: sql.fragment`
    select record.id, record.mail_batch_id, record.position, record.kind, record.filename,
           record.pages_each, record.letter_count, record.page_count,
           record.storage_key is not null as is_made, record.file_size, record.sha256_hash,
           record.created_at, record.updated_at
    from mail_batch_files as record
  `,
});

const ToMerge = z.object({ mail_batch_id: z.string(), filename: z.string() });

export const findUnmerged = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(ToMerge)`
    select file.mail_batch_id, file.filename
    from mail_batch_files as file join mail_batches as batch on batch.id = file.mail_batch_id
    where file.id = ${id} and file.storage_key is null and batch.status in ('making', 'failed')
  `);

const LetterFile = z.object({
  letter_id: z.string(),
  storage_key: z.string(),
  sha256_hash: z.string(),
  page_count: z.int(),
});
export type LetterFile = z.output<typeof LetterFile>;

/** The file's letters in order, each with its own document. */
export const listLetterFiles = (tx: Transaction, id: string) =>
  tx.any(sql.type(LetterFile)`
    select letter.id as letter_id, document.storage_key, document.sha256_hash, letter.page_count
    from mail_letters as letter
    join documents as document on document.id = letter.document_id
    where letter.mail_batch_file_id = ${id}
    order by letter.position
  `);

type Stored = { key: string; size: number; sha256_hash: string };

/** Records the stored file. Returns false if another process stored it first. */
export async function recordFile(tx: Transaction, id: string, file: Stored): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update mail_batch_files
    set storage_key = ${file.key}, file_size = ${file.size}, sha256_hash = ${file.sha256_hash}
    where id = ${id} and storage_key is null
  `);
  return rowCount === 1;
}

const BatchFile = z.object({
  id: z.string(),
  kind: z.enum(['letters', 'manifest']),
  filename: z.string(),
  pages_each: z.int().nullable(),
  letter_count: z.int(),
  page_count: z.int(),
  storage_key: z.string().nullable(),
  file_size: z.int().nullable(),
  sha256_hash: z.string().nullable(),
});
export type BatchFile = z.output<typeof BatchFile>;

export const listFiles = (tx: Transaction, batchId: string) =>
  tx.any(sql.type(BatchFile)`
    select id, kind, filename, pages_each, letter_count, page_count, storage_key, file_size,
           sha256_hash
    from mail_batch_files where mail_batch_id = ${batchId} order by position
  `);

const ManifestLine = z.object({
  position: z.int(),
  letter_id: z.string(),
  template_type: z.string().nullable(),
  language: z.string().nullable(),
  name: z.string(),
  address_lines: z.array(z.string()),
  postal_code: z.string(),
  country: z.string(),
  pages: z.int(),
  sheets: z.int(),
  file: z.string(),
  first_page: z.int(),
  last_page: z.int(),
  sha256_hash: z.string(),
});
export type ManifestLine = z.output<typeof ManifestLine>;

export const manifestLines = (tx: Transaction, batchId: string, after: number, limit: number) =>
  tx.any(sql.type(ManifestLine)`${linesOf(batchId, after, limit)}`);

const linesOf = (batchId: string, after: number, limit: number) => sql.fragment`
    select letter.position, letter.id as letter_id, log.template_type, document.language,
           coalesce(sent_to ->> 'name', '') as name,
           coalesce(sent_to -> 'address_lines', '[]') as address_lines,
           coalesce(sent_to ->> 'postal_code', '') as postal_code,
           coalesce(sent_to ->> 'country', '') as country,
           letter.page_count as pages, (letter.page_count + 1) / 2 as sheets, file.filename as file,
           letter.first_page, letter.first_page + letter.page_count - 1 as last_page,
           document.sha256_hash
    from mail_letters as letter
    join mail_batch_files as file on file.id = letter.mail_batch_file_id
    join documents as document on document.id = letter.document_id
    join communication_logs as log on log.id = letter.id
    cross join lateral (select log.figures #> '{letter,recipient}' as sent_to) as recipient
    where letter.mail_batch_id = ${batchId} and letter.position > ${after}
    order by letter.position limit ${limit}
  `;

const worded = (from: SqlFragment): Cell => ({ from, isWorded: true });
const ours = (from: SqlFragment): Cell => ({ from, isWorded: false });

/** The manifest's columns. An address has two street lines, one city line and one country line. */
const CELLS = {
  position: ours(sql.fragment`position`),
  letter_id: ours(sql.fragment`letter_id`),
  template_type: worded(sql.fragment`template_type`),
  language: worded(sql.fragment`language`),
  name: worded(sql.fragment`name`),
  address_line_1: worded(sql.fragment`address_lines ->> 0`),
  address_line_2: worded(sql.fragment`address_lines ->> 1`),
  address_line_3: worded(sql.fragment`address_lines ->> 2`),
  address_line_4: worded(sql.fragment`address_lines ->> 3`),
  postal_code: worded(sql.fragment`postal_code`),
  country: worded(sql.fragment`country`),
  pages: ours(sql.fragment`pages`),
  sheets: ours(sql.fragment`sheets`),
  file: worded(sql.fragment`file`),
  first_page: ours(sql.fragment`first_page`),
  last_page: ours(sql.fragment`last_page`),
  sha256_hash: ours(sql.fragment`sha256_hash`),
};
export const MANIFEST_COLUMNS = Object.keys(CELLS);

const Csv = z.object({ written: z.string().nullable(), last: z.int().nullable() });
export type CsvPage = z.output<typeof Csv>;

/** A page of manifest lines as CSV text, and the position of the last one. */
export const manifestCsvPage = (tx: Transaction, batchId: string, after: number, limit: number) =>
  tx.one(sql.type(Csv)`
    select string_agg(${csvLine(Object.values(CELLS))}, '' order by position) as written,
           max(position) as last
    from (${linesOf(batchId, after, limit)}) as line
  `);

const ExpiredBatch = z.object({ id: z.string(), filenames: z.array(z.string()) });

/** Canceled batches and batches older than `days` whose files still exist, with the names of these files. */
export const findExpired = (tx: Transaction, days: number, limit: number) =>
  tx.any(sql.type(ExpiredBatch)`
    select batch.id,
           coalesce((
             select jsonb_agg(filename) from mail_batch_files as file
             where file.mail_batch_id = batch.id
           ), '[]') as filenames
    from mail_batches as batch
    where batch.files_removed_at is null
      and (batch.status = 'cancelled' or batch.created_at < now() - make_interval(days => ${days}))
    order by batch.id limit ${limit}
  `);

export const markRemoved = (tx: Transaction, batchId: string) =>
  tx.query(sql.typeAlias('void')`
    with gone as (
      update mail_batch_files set file_deleted_at = now()
      where mail_batch_id = ${batchId} and storage_key is not null
    )
    update mail_batches set files_removed_at = now() where id = ${batchId}
  `);
