import * as stored from '../../../sql/books/imports.ts';
import { update } from '../../../sql/write.ts';
import type { Within } from '../../work.ts';
import { boardNextChunk, DateMoved, type ChunkDone } from './board-chunk.ts';
import type { Book } from '../format/reading/book.ts';
import { ChunkRefused } from './chunk-refused.ts';
import type { Files } from '../../files/files.ts';
import { storable } from './finding.ts';
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
    if (!(error instanceof ChunkRefused) && !(error instanceof DateMoved)) throw error;
    await within(tenantId, ({ tx }) => recordFailure(tx, id, error));
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

async function recordFailure(tx: Tx, id: string, error: ChunkRefused | DateMoved) {
  const row = await stored.lockImport(tx, id);
  if (row?.status !== 'boarding') return;
  await update(tx, 'imports', id, { status: 'failed', failure_reason: error.message });
  if (error instanceof DateMoved) return;
  await stored.removeFindings(tx, id);
  await stored.addFindings(tx, id, storable(error.findings));
}
