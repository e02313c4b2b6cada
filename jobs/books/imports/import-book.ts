import { createHash } from 'node:crypto';
import * as rows from '../../../sql/books/import-rows.ts';
import * as stored from '../../../sql/books/imports.ts';
import { openBytesAsTree } from '../../files/file-tree.ts';
import type { Within, Work } from '../../work.ts';
import { openBook } from '../format/reading/open-book.ts';
import { boardImport } from './board-import.ts';
import { checkImport } from './check-import.ts';
import { confirmImport } from './confirm-import.ts';
import { summarizeTotals } from './control-totals.ts';
import { createImport } from './create-import.ts';
import { FINDINGS_MAX, type BookFinding } from './finding.ts';
import type { ImportOptions } from './import-options.ts';

/** The book was refused. Roll back the transaction, because some of its loans may be boarded in it. */
export class BookRefused extends Error {
  readonly findings: readonly BookFinding[];

  constructor(findings: readonly BookFinding[]) {
    const [first] = findings;
    super(`The book was refused. Line ${first?.line}: ${first?.reason}`);
    this.findings = findings;
  }
}

/**
 * Imports a book of invented loans in one transaction: all of them, or none with `BookRefused`. Its own totals are confirmed,
 * because no old system states any. Returns the ids of the loans by number, in the order of the file. A book that was imported
 * before is not imported again.
 */
export async function importBook(
  work: Work,
  bytes: Uint8Array,
  { filename, options = {} }: { filename: string; options?: ImportOptions },
): Promise<Map<string, string>> {
  const { tx, tenant_id } = work;
  const within: Within = (_tenantId, steps) => steps(work);
  await using tree = await openBytesAsTree(bytes, filename);
  const book = openBook(tree);
  const { id, status } = await createImport(work, {
    filename,
    sha256_hash: createHash('sha256').update(bytes).digest('hex'),
    file_size: bytes.length,
    mapping: null,
    options,
    isStored: false,
  });
  if (status === 'uploaded') {
    await checkImport(within, tenant_id, id, book);
    const { control_totals } = await readImportIn(work, id, 'checked');
    await confirmImport(work, id, summarizeTotals(control_totals ?? []));
  }
  await boardImport(within, tenant_id, id, book);
  const { loans_boarded } = await readImportIn(work, id, 'boarded');
  const loans = await rows.listBoardedLoans(tx, id, 0, loans_boarded);
  return new Map(loans.map(({ loan_number, loan_id }) => [loan_number, loan_id]));
}

async function readImportIn({ tx }: Work, id: string, status: stored.ImportStatus) {
  const row = await stored.readImport(tx, id);
  if (row?.status === status) return row;
  const findings = await stored.listFindings(tx, id, FINDINGS_MAX);
  throw new BookRefused(findings.filter(({ severity }) => severity === 'error'));
}
