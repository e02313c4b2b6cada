import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';

export const findBorrowerOfLoan = (tx: Transaction, loanId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ borrower_id: z.string() }))`
    select borrower_id from loans where id = ${loanId}
  `);

/** Serializes announcements of files with the same name. */
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

/**
 * Locks the document. Until the transaction ends, no other transaction can upload its file, confirm or
 * archive it.
 */
export const lockUpload = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Upload)`
    select ${columns} from documents where id = ${id} for no key update
  `);

/**
 * Whether a file may be uploaded: the document is announced, not confirmed, and its link has not expired.
 */
export const isAcceptingFile = (tx: Transaction, id: string) =>
  tx.exists(sql.typeAlias('void')`select from documents where id = ${id} and ${awaitsUpload}`);

/** Checked again after the last byte, when the link may have expired. The lock holds until the commit. */
export const lockAcceptingUpload = (tx: Transaction, id: string) =>
  tx.exists(sql.typeAlias('void')`
    select from documents
    where id = ${id} and status = 'pending' and source <> 'generated' and not is_archived
    for no key update
  `);

const awaitsUpload = sql.fragment`
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

/** The document's file, if it waits for its scan or is infected and may still be stored. */
export const findUnscanned = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(Unscanned)`
    select status, storage_key from documents where id = ${id} and status in ('held', 'infected')
  `);

/** Records the result of the scan: uploaded, or infected for this reason. */
export const recordScan = (tx: Transaction, id: string, reason: string | null) =>
  tx.query(sql.typeAlias('void')`
    update documents
    set status = case when ${reason}::text is null then 'uploaded' else 'infected' end,
        rejection_reason = ${reason}::text
    where id = ${id} and status = 'held'
  `);

/** Records why the file could not be scanned. It stays held until a person starts another scan. */
export const markUnscannable = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update documents set rejection_reason = ${reason} where id = ${id} and status = 'held'
  `);

const ExpiredUpload = z.object({ id: z.string(), status: z.string(), storage_key: z.string() });

/** Announced documents whose link expired more than a day ago and whose folder is not cleared yet. */
export const findExpiredUploads = (tx: Transaction, limit: number) =>
  tx.any(sql.type(ExpiredUpload)`
    select id, status, storage_key from documents
    where expires_at < now() - interval '1 day' and status <> 'expired' and source <> 'generated'
    order by expires_at limit ${limit}
    for no key update skip locked
  `);

/** Ends the upload link. A pending document becomes expired; a confirmed one only loses its expiry. */
export const clearUploadLink = (tx: Transaction, id: string) =>
  tx.query(sql.typeAlias('void')`
    update documents
    set status = case status when 'pending' then 'expired' else status end,
        expires_at = case status when 'pending' then expires_at end
    where id = ${id}
  `);
