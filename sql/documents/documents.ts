import { z } from 'zod';
import { sql, type Transaction } from '../db.ts';
import { containing, table } from '../table.ts';

export const documents = table({
  name: 'documents',
  rows: sql.fragment`
    select record.id, record.loan_id, record.borrower_id, record.document_type, record.filename,
           record.content_type, record.file_size, record.sha256_hash, record.status, record.source,
           record.storage_key, record.language, record.page_count, record.uploaded_by,
           record.uploaded_at, record.expires_at, record.verified_by, record.verified_at,
           record.verification_notes, record.rejected_by, record.rejected_at,
           record.rejection_reason, record.is_visible_to_borrower, record.is_archived,
           record.created_at, record.updated_at
    from documents as record
  `,
  search: (words) => sql.fragment`row.filename ilike ${containing(words)}`,
});

/** Whether the document's file is there to be sent along. */
export const isStored = (tx: Transaction, id: string) =>
  tx.exists(sql.typeAlias('void')`
    select from documents where id = ${id} and status in ('uploaded', 'verified')
  `);

const ToRender = z.object({
  id: z.string(),
  template: z.string(),
  template_data: z.record(z.string(), z.unknown()),
  storage_key: z.string(),
  document_type: z.string(),
  filename: z.string(),
  loan_id: z.string().nullable(),
  borrower_id: z.string().nullable(),
  language: z.string(),
});
export type DocumentToRender = z.output<typeof ToRender>;

/** The document, as long as it still has to be rendered. */
export const toRender = (tx: Transaction, id: string) =>
  tx.maybeOne(sql.type(ToRender)`
    select id, template, coalesce(template_data, '{}') as template_data, storage_key, document_type,
           filename, loan_id, borrower_id, coalesce(language, 'en') as language
    from documents
    where id = ${id} and status = 'pending' and source = 'generated' and template is not null
  `);

type Stored = { size: number; sha256_hash: string; pages: number; language: string };

/** The document is there; false when somebody was first. */
export async function stored(tx: Transaction, id: string, file: Stored): Promise<boolean> {
  const { rowCount } = await tx.query(sql.typeAlias('void')`
    update documents
    set status = 'uploaded', uploaded_at = now(), file_size = ${file.size},
        sha256_hash = ${file.sha256_hash}, page_count = ${file.pages}, language = ${file.language}
    where id = ${id} and status = 'pending'
  `);
  return rowCount === 1;
}

export const failed = (tx: Transaction, id: string, reason: string) =>
  tx.query(sql.typeAlias('void')`
    update documents set status = 'failed', rejection_reason = ${reason}
    where id = ${id} and status = 'pending'
  `);
