import { z } from 'zod';
import { prepared, sql, type Transaction } from '../database/db.ts';
import { containsPattern, table } from '../table.ts';

export const documents = table({
  name: 'documents',
  own: [
    'id',
    'q',
    'loan_id',
    'borrower_id',
    'document_type',
    'source',
    'language',
    'filename',
    'content_type',
    'is_visible_to_borrower',
    'is_archived',
    'created_at',
    'updated_at',
  ],
  rows: sql.fragment`
    select record.id, record.loan_id, record.borrower_id, record.document_type, record.filename,
           record.content_type, record.file_size, record.sha256_hash,
           case
             when record.status = 'pending' and record.source <> 'generated'
               and record.expires_at <= now() then 'expired'
             else record.status
           end as status,
           record.source, record.storage_key, record.language, record.page_count, record.uploaded_by,
           record.uploaded_at, record.expires_at, record.verified_by, record.verified_at,
           record.verification_notes, record.rejected_by, record.rejected_at,
           record.rejection_reason, record.metadata, record.is_visible_to_borrower, record.is_archived, record.removed_at,
           record.created_at, record.updated_at
    from documents as record
  `,
  searched: ['filename'],
  search: (words) => sql.fragment`row.filename ilike ${containsPattern(words)}`,
});

/** Whether the document's file is stored and can be sent. */
export const isStored = (tx: Transaction, id: string) =>
  tx.exists(
    prepared(sql.typeAlias('void')`
    select from documents where id = ${id} and status in ('uploaded', 'verified')
  `),
  );

/** Whether a file with this key existed and was removed after its retention period. */
export const isRemovedKey = (tx: Transaction, key: string) =>
  tx.exists(sql.typeAlias('void')`
    select from documents where storage_key = ${key} and status = 'removed'
  `);

const ToRender = z.object({
  id: z.string(),
  template: z.string(),
  template_data: z.record(z.string(), z.unknown()),
  storage_key: z.string(),
  document_type: z.string(),
  filename: z.string(),
  loan_id: z.string().nullable(),
  borrower_id: z.string(),
  language: z.string(),
  is_statement: z.boolean(),
});
export type DocumentToRender = z.output<typeof ToRender>;

/**
 * The document, if it still has to be rendered or failed and is retried. For a statement, the values are
 * its figures.
 */
export const findToRender = (tx: Transaction, id: string) =>
  tx.maybeOne(
    prepared(sql.type(ToRender)`
    select document.id, document.template,
           coalesce(document.template_data, statement.figures, '{}') as template_data,
           document.storage_key, document.document_type, document.filename, document.loan_id,
           document.borrower_id, coalesce(document.language, 'en') as language,
           statement.id is not null as is_statement
    from documents as document
    left join statements as statement on statement.document_id = document.id
    where document.id = ${id} and document.status in ('pending', 'failed')
      and document.source = 'generated'
      and document.template is not null and document.borrower_id is not null
  `),
  );

type Stored = { size: number; sha256_hash: string; pages: number; language: string };

/** Marks the document as stored. Returns false if another process stored it first. */
export async function markStored(tx: Transaction, id: string, file: Stored): Promise<boolean> {
  const { rowCount } = await tx.query(
    prepared(sql.typeAlias('void')`
    update documents
    set status = 'uploaded', uploaded_at = now(), file_size = ${file.size},
        sha256_hash = ${file.sha256_hash}, page_count = ${file.pages}, language = ${file.language},
        rejection_reason = null
    where id = ${id} and status in ('pending', 'failed')
  `),
  );
  return rowCount === 1;
}

export const markDocumentFailed = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update documents set status = 'failed', rejection_reason = ${reason}
    where id = ${id} and status = 'pending'
  `);

const DocumentStatus = z.object({ status: z.string(), is_archived: z.boolean() });

export const lockDocument = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(DocumentStatus)`
    select status, is_archived from documents where id = ${id} for no key update
  `);

export const verifyDocument = (tx: Transaction, id: string, by: string, notes: string | null) =>
  tx.query(sql.typeAlias('void')`
    update documents
    set status = 'verified', verified_by = ${by}, verified_at = now(),
        verification_notes = ${notes},
        rejected_by = null, rejected_at = null, rejection_reason = null
    where id = ${id}
  `);

export const rejectDocument = (tx: Transaction, id: string, by: string | null, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update documents
    set status = 'rejected', rejected_by = ${by}, rejected_at = now(), rejection_reason = ${reason},
        verified_by = null, verified_at = null, verification_notes = null
    where id = ${id}
  `);

export const setVisibility = (tx: Transaction, id: string, isVisible: boolean) =>
  tx.query(sql.typeAlias('void')`
    update documents set is_visible_to_borrower = ${isVisible} where id = ${id}
  `);

/** Whether any of these ids is not a document of the tenant. */
export const hasUnknownDocument = (tx: Transaction, ids: readonly string[]) =>
  tx.exists(sql.typeAlias('void')`
    select from unnest(${sql.array([...ids], 'uuid')}) as wanted (id)
    where not exists (select from documents as record where record.id = wanted.id)
  `);

/** The storage key of a document's file; null if the file was removed. */
export const findDocumentStorageKey = (tx: Transaction, documentId: string) =>
  tx.maybeOneFirst(sql.type(z.object({ storage_key: z.string() }))`
    select storage_key from documents where id = ${documentId} and status in ('uploaded', 'verified')
  `);
