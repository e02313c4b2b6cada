import * as stored from '../../../sql/books/imports.ts';
import { constraintOf } from '../../../sql/database/db.ts';
import { update } from '../../../sql/write.ts';
import { Conflict, Invalid } from '../../errors.ts';
import type { Within } from '../../work.ts';
import { boardNextChunk, DateMoved, type ChunkDone } from './board-chunk.ts';
import type { Book } from '../format/reading/book.ts';
import { ChunkRefused } from './chunk-refused.ts';
import type { Files } from '../../files/files.ts';
import { storable, type BookFinding } from './finding.ts';
import { importNextDocuments } from './records/import-documents.ts';
import { ImportEnded, stageBook } from './stage-book.ts';

export type BoardingProgress = {
  onStaged?: (rows: number) => void;
  onBoarded?: (loans: number) => void;
};

type Options = BoardingProgress & {
  /** Chunks after which to return, so that a worker can serve other jobs. Default: no limit. */
  chunks_max?: number;
  /** Where documents are stored. Without it, they are left out with a warning. */
  files?: Files | null;
};

/**
 * Boards a confirmed import, or continues one that was interrupted. Returns whether there is nothing left to do: the
 * import is boarded, was canceled, or failed for a reason that it names.
 */
export async function boardImport(
  within: Within,
  tenantId: string,
  id: string,
  book: Book | null,
  { chunks_max = Infinity, files = null, onStaged, onBoarded }: Options = {},
): Promise<boolean> {
  const row = await within(tenantId, ({ tx }) => startBoarding(tx, id));
  if (row === null) return true;
  try {
    if (row.rows_staged < row.rows_total) {
      if (book === null) throw new Error('The file of the import is missing.');
      await stageBook(within, tenantId, id, book, onStaged);
    }
    for (let chunk = 0; chunk < chunks_max; chunk += 1) {
      const done: ChunkDone = await within(tenantId, (work) => boardNextChunk(work, id));
      if (done.awaitsDocuments) await importNextDocuments({ within, files, tenantId }, id, book);
      onBoarded?.(done.loans_boarded);
      if (done.isComplete) return true;
    }
    return false;
  } catch (error) {
    if (error instanceof ImportEnded) return true;
    const reason = reasonOf(error);
    if (reason === null) throw error;
    const findings = error instanceof ChunkRefused ? error.findings : null;
    await within(tenantId, ({ tx }) => recordFailure(tx, id, { reason, findings }));
    return true;
  }
}

type Tx = Parameters<typeof stored.lockImport>[0];

/** Null: there is nothing to board. */
async function startBoarding(tx: Tx, id: string) {
  const row = await stored.lockImport(tx, id);
  if (row?.status === 'confirmed') await update(tx, 'imports', id, { status: 'boarding' });
  return row?.status === 'confirmed' || row?.status === 'boarding' ? row : null;
}

/** Why boarding cannot continue. Null: it may succeed when it is tried again, for example after a lost connection. */
function reasonOf(error: unknown): string | null {
  if (error instanceof ChunkRefused || error instanceof DateMoved || error instanceof Conflict)
    return error.message;
  if (error instanceof Invalid)
    return Object.entries(error.errors)
      .map(([field, reason]) => `${field}: ${reason}`)
      .join(' ');
  const constraint = constraintOf(error);
  return constraint === undefined
    ? null
    : `The next loans, or the records at the end of the book, break the rule ${constraint} of the database. Correct the book and import it as another file.`;
}

type Failure = { reason: string; findings: readonly BookFinding[] | null };

async function recordFailure(tx: Tx, id: string, { reason, findings }: Failure) {
  const row = await stored.lockImport(tx, id);
  if (row?.status !== 'boarding') return;
  await update(tx, 'imports', id, { status: 'failed', failure_reason: reason });
  if (findings === null) return;
  await stored.removeFindings(tx, id);
  await stored.addFindings(tx, id, storable(findings));
}
