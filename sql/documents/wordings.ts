import { z } from 'zod';
import { sql, type Transaction } from '../database/db.ts';
import { table } from '../table.ts';

export const wordings = table({
  name: 'document_wordings',
  rows: sql.fragment`
    select record.id, record.document_type, record.language, record.opening, record.closing, record.version,
           record.is_active, record.is_archived, record.created_at, record.updated_at
    from document_wordings as record
  `,
});

/** Stored with an ordered document: its wording and the wording's version on that day. */
const storedWording = sql.fragment`jsonb_build_object(
  'id', wording.id, 'version', wording.version, 'opening', wording.opening, 'closing', wording.closing
)`;

/**
 * The tenant's wording for a statement in the statement's language. Needs the alias `borrower`. `languages`
 * has pairs of a preferred language and the language that the statement is printed in.
 */
export const statementWording = (
  languages: readonly (readonly [string, string])[],
) => sql.fragment`(
  select ${storedWording} from document_wordings as wording
  join jsonb_array_elements(${JSON.stringify(languages)}::jsonb) as pair on pair ->> 1 = wording.language
  where wording.document_type = 'monthly_statement' and wording.is_active and not wording.is_archived
    and pair ->> 0 = borrower.language_preference
)`;

const StoredWording = z.object({
  id: z.string(),
  version: z.int(),
  opening: z.string().nullable(),
  closing: z.string().nullable(),
});

/** The tenant's wording for a document type and language; null if there is none. */
export const findDocumentWording = (tx: Transaction, type: string, language: string) =>
  tx.maybeOneFirst(sql.type(z.object({ kept: StoredWording }))`
    select ${storedWording} as kept from document_wordings as wording
    where document_type = ${type} and language = ${language} and is_active and not is_archived
  `);

/** Changing the text of a wording creates a new version. */
export const incrementWordingVersion = (tx: Transaction, id: string) =>
  tx.query(
    sql.typeAlias('void')`update document_wordings set version = version + 1 where id = ${id}`,
  );
