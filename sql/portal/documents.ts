import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { loanIdsOwedBy } from '../loans/co-borrowers.ts';
import { table } from '../table.ts';

/**
 * Documents that a borrower sees: stored ones that were generated for them or shared with them, and their
 * own uploads.
 */
const isVisibleTo = (borrowerId: string) => sql.fragment`
  (
    record.borrower_id = ${borrowerId}
    or (record.template = any(app.loan_document_templates())
      and record.loan_id = any(${loanIdsOwedBy(borrowerId)}))
  )
  and record.is_visible_to_borrower and not record.is_archived
  and case record.source
    when 'portal' then record.status <> 'expired'
      and (record.status <> 'pending' or record.expires_at > now())
    else record.status in ('uploaded', 'verified')
  end
`;

export const documentsOfBorrower = (borrowerId: string) =>
  table({
    name: 'documents',
    rows: sql.fragment`
      select record.id, record.borrower_id, record.loan_id, record.document_type, record.filename,
             record.content_type, record.file_size, record.status, record.source,
             record.storage_key, record.page_count, record.uploaded_at, record.expires_at,
             -- For generated documents, this is a technical failure.
             case when record.source <> 'generated' then record.rejection_reason end
               as rejection_reason,
             -- Distinguishes the statements and letters of a loan.
             record.template_data ->> 'period_start' as period_start,
             record.template_data ->> 'period_end' as period_end,
             (select loan_number from loans where loans.id = record.loan_id) as loan_number,
             record.is_archived, record.created_at, record.updated_at
      from documents as record
      where ${isVisibleTo(borrowerId)}
    `,
  });

/** Whether the borrower announced this document in the portal, so that they may confirm its file. */
export const isOwnUpload = (tx: Transaction, id: string, borrowerId: string) =>
  tx.exists(sql.typeAlias('void')`
    select from documents
    where id = ${id} and borrower_id = ${borrowerId} and source = 'portal' and not is_archived
  `);

const Count = z.object({ count: z.int() });

export async function canSeeAllDocuments(
  tx: Transaction,
  borrowerId: string,
  ids: readonly string[],
) {
  const wanted = [...new Set(ids)];
  const count = await tx.oneFirst(sql.type(Count)`
    select count(*)::integer as count from documents as record
    where record.id = any(${sql.array(wanted, 'uuid')}) and ${isVisibleTo(borrowerId)}
  `);
  return count === wanted.length;
}

/** Whether all of these documents name the borrower or a loan that the borrower owes. */
export async function areDocumentsAbout(
  tx: Transaction,
  borrowerId: string,
  ids: readonly string[],
) {
  const wanted = [...new Set(ids)];
  const count = await tx.oneFirst(sql.type(Count)`
    select count(*)::integer as count from documents as record
    where record.id = any(${sql.array(wanted, 'uuid')})
      and (record.borrower_id = ${borrowerId} or record.loan_id = any(${loanIdsOwedBy(borrowerId)}))
  `);
  return count === wanted.length;
}
