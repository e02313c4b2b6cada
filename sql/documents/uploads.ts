import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

export const findBorrowerOfLoan = (tx: Transaction, loanId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ borrower_id: z.string() }))`
    select borrower_id from loans where id = ${loanId}
  `);

/** Two files of one name that are announced at once take turns. */
export const lockKey = (tx: Transaction, key: string) =>
  tx.query(sql.typeAlias('void')`select pg_advisory_xact_lock(hashtextextended(${key}, 0))`);

export const isKeyTaken = (tx: Transaction, key: string) =>
  tx.exists(sql.typeAlias('void')`select from documents where storage_key = ${key}`);

const Upload = z.object({
  borrower_id: z.string().nullable(),
  loan_id: z.string().nullable(),
  document_type: z.string(),
  status: z.string(),
  source: z.string(),
  storage_key: z.string(),
  content_type: z.string(),
  sha256_hash: z.string().nullable(),
  file_size: z.string().nullable(),
  is_archived: z.boolean(),
});
export type Upload = z.output<typeof Upload>;

const columns = sql.fragment`
  borrower_id, loan_id, document_type, status, source, storage_key, content_type, sha256_hash,
  file_size, is_archived
`;

export const findUpload = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Upload)`select ${columns} from documents where id = ${id}`);

/** The same, and nobody else puts, confirms or archives until this transaction has ended. */
export const lockUpload = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Upload)`
    select ${columns} from documents where id = ${id} for no key update
  `);

/** Whether a file may be put for it: somebody has announced it, and nobody confirmed it. */
export const isAcceptingFile = (tx: Transaction, id: string) =>
  tx.exists(sql.typeAlias('void')`select from documents where id = ${id} and ${awaited}`);

/** The same at the last byte, which may come when the link is over; it holds until the commit. */
export const lockAcceptingUpload = (tx: Transaction, id: string) =>
  tx.exists(sql.typeAlias('void')`
    select from documents
    where id = ${id} and status = 'pending' and source <> 'generated' and not is_archived
    for no key update
  `);

const awaited = sql.fragment`
  status = 'pending' and source <> 'generated' and not is_archived and expires_at > now()
`;

type Confirmed = {
  status: 'uploaded' | 'held';
  file_size: number;
  sha256_hash: string;
  by: string | null;
};

export const markConfirmed = (tx: Transaction, id: string, confirmed: Confirmed) =>
  tx.query(sql.typeAlias('void')`
    update documents
    set status = ${confirmed.status}, uploaded_at = now(), uploaded_by = ${confirmed.by},
        file_size = ${confirmed.file_size}, sha256_hash = ${confirmed.sha256_hash}
    where id = ${id} and status = 'pending'
  `);

const Unscanned = z.object({ status: z.enum(['held', 'infected']), storage_key: z.string() });

/** Where the file lies that is held until it is scanned, or was infected and may lie there still. */
export const findUnscanned = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Unscanned)`
    select status, storage_key from documents where id = ${id} and status in ('held', 'infected')
  `);

/** There for everybody, or not to be had for this reason. */
export const recordScan = (tx: Transaction, id: string, reason: string | null) =>
  tx.query(sql.typeAlias('void')`
    update documents
    set status = case when ${reason}::text is null then 'uploaded' else 'infected' end,
        rejection_reason = ${reason}::text
    where id = ${id} and status = 'held'
  `);

/** Still held, and nobody looks any more: for this reason, until somebody has it scanned again. */
export const markUnscannable = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update documents set rejection_reason = ${reason} where id = ${id} and status = 'held'
  `);

const Left = z.object({ id: z.string(), status: z.string(), storage_key: z.string() });

/** Announced documents whose link has been over for a day, and whose folder is not cleared yet. */
export const findExpiredUploads = (tx: Transaction, limit: number) =>
  tx.any(sql.type(Left)`
    select id, status, storage_key from documents
    where expires_at < now() - interval '1 day' and status <> 'expired' and source <> 'generated'
    order by expires_at limit ${limit}
    for no key update skip locked
  `);

/** Whoever has not used the link by now will not: what was confirmed has no link any more. */
export const clearUploadLink = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update documents
    set status = case status when 'pending' then 'expired' else status end,
        expires_at = case status when 'pending' then expires_at end
    where id = ${id}
  `);
