import { createHash } from 'node:crypto';
import * as staged from '../../../../sql/books/import-rows.ts';
import * as records from '../../../../sql/books/import-records.ts';
import * as stored from '../../../../sql/books/imports.ts';
import { findStoredDocument } from '../../../../sql/books/brought-documents.ts';
import { newId } from '../../../../sql/new-id.ts';
import { detectContentType } from '../../../documents/content-type.ts';
import { uploadDirectly } from '../../../documents/direct-upload.ts';
import { Conflict, Invalid } from '../../../errors.ts';
import type { TreeFile } from '../../../files/file-tree.ts';
import type { Files } from '../../../files/files.ts';
import type { Within } from '../../../work.ts';
import type { Book } from '../../format/reading/book.ts';
import { storable, type BookFinding } from '../finding.ts';
import { findImportedBorrowers } from './import-borrowers.ts';
import { openRow, type Placed } from '../staged-rows.ts';

/** Documents between two looks at whether the import was canceled. */
const BATCH = 20;
/** The bytes by which the type of a file is recognised. */
const END_BYTES = 65_536;

type Store = { within: Within; files: Files | null; tenantId: string };
type Document = Placed<'documents'> & { loan_id: string | null; borrower_id: string | null };

/**
 * Stores the next documents of a book, after its loans. Each goes through the same steps as an upload: its type is
 * recognised, and it is scanned. A document that cannot be stored is a warning. Safe to repeat.
 */
export async function importNextDocuments(store: Store, importId: string, book: Book | null) {
  const { within, tenantId } = store;
  for (const document of await within(tenantId, (work) => nextDocuments(work, importId))) {
    const outcome = await storeDocument(store, document, book?.documents.get(document.values.file));
    await within(tenantId, async ({ tx }) => {
      const done = { file: 'documents', key: document.values.file };
      await records.addImportedRecords(tx, importId, [{ ...done, record_id: newId() }]);
      if (outcome === null) return;
      const last = await stored.lastFindingPosition(tx, importId);
      await stored.addFindings(tx, importId, storable([warningOf(document, outcome)], last));
      await stored.countWarnings(tx, importId, 1);
    });
  }
}

async function nextDocuments(work: Parameters<Parameters<Within>[1]>[0], importId: string) {
  const rows = await staged.nextRowsWithoutRecord(work.tx, importId, 'documents', BATCH);
  const placed = rows.map((row): Placed<'documents'> => ({
    source: row.source,
    line: row.line,
    values: openRow<'documents'>(work, row),
  }));
  const numbers = placed.flatMap(({ values }) => values.loan_number ?? []);
  const found = await staged.findBoardedLoans(work.tx, importId, numbers);
  const loans = new Map(found.map(({ loan_number, loan_id }) => [loan_number, loan_id]));
  const ids = placed.flatMap(({ values }) => values.borrower_external_id ?? []);
  const people = await findImportedBorrowers(work, importId, ids);
  return placed.map((one): Document => ({
    ...one,
    loan_id: loans.get(one.values.loan_number ?? '') ?? null,
    borrower_id: people.get(one.values.borrower_external_id ?? '') ?? null,
  }));
}

/** Returns why the document was not stored, or null. */
async function storeDocument(
  { within, files, tenantId }: Store,
  { values, ...of }: Document,
  file: TreeFile | undefined,
): Promise<string | null> {
  const owner = ownerOf(values, of);
  if (owner === null) return 'It belongs to no loan and no borrower of this book.';
  if (files === null) return 'This command has no document store. Upload the book over HTTP.';
  if (file === undefined) return 'The file is missing.';
  const sent = await describe(file, values.filename ?? baseName(values.file));
  if (values.sha256 !== undefined && values.sha256 !== sent.sha256_hash)
    return 'The file has another hash than the line says.';
  const content_type = detectContentType(sent);
  if (content_type === null || sent.size === 0) return 'Files of this type are not stored.';
  const { sha256_hash } = sent;
  const known = await within(
    tenantId,
    ({ tx }) => findStoredDocument(tx, { ...owner, sha256_hash, filename: sent.name }),
    { readOnly: true },
  );
  if (known) return null;
  const { document_type, is_visible_to_borrower = false, metadata = {} } = values;
  const input = { file: sent, document_type, ...owner, metadata, is_visible_to_borrower };
  try {
    await uploadDirectly({ within, files, tenantId }, input, content_type);
    return null;
  } catch (error) {
    if (error instanceof Invalid) return Object.values(error.errors).join(' ');
    if (error instanceof Conflict) return error.message;
    throw error;
  }
}

/** Null if the loan or the person whom the line names is not here: the document could become that of another person. */
function ownerOf(
  { loan_number, borrower_external_id }: Document['values'],
  { loan_id, borrower_id }: Pick<Document, 'loan_id' | 'borrower_id'>,
) {
  if (borrower_external_id !== undefined && borrower_id === null) return null;
  if (loan_number === undefined)
    return borrower_id === null ? null : { loan_id: null, borrower_id };
  return loan_id === null ? null : { loan_id, ...(borrower_id !== null && { borrower_id }) };
}

/** Reads the file once, in constant memory. */
async function describe(file: TreeFile, name: string) {
  const hash = createHash('sha256');
  let head: Buffer = Buffer.alloc(0);
  let tail: Buffer = Buffer.alloc(0);
  let size = 0;
  for await (const piece of file.stream()) {
    hash.update(piece);
    size += piece.length;
    if (head.length < END_BYTES) head = Buffer.concat([head, piece]).subarray(0, END_BYTES);
    tail = Buffer.concat([tail, piece]).subarray(-END_BYTES);
  }
  return {
    name,
    type: '',
    size,
    sha256_hash: hash.digest('hex'),
    ends: () => ({ head, tail }),
    content: () => file.stream(),
  };
}

const baseName = (path: string) => path.slice(path.lastIndexOf('/') + 1);

const warningOf = ({ source, line }: Document, reason: string): BookFinding => ({
  file: source,
  line,
  column: 'file',
  code: 'document_not_stored',
  severity: 'warning',
  reason: `The document is left out. ${reason}`,
});
