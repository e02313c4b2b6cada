import { fileLines } from '../../jobs/books/exports/write-file.ts';
import { BookRefused, importBook } from '../../jobs/books/imports/import-book.ts';
import type { Platform } from './platform.ts';
import type { Refusal, TapeRow } from './read-tape.ts';

/** The number of loans per transaction. A tape may board all of its loans on one day. */
const CHUNK = 500;

export type BoardingResult = { ids: Map<string, string>; refusals: Refusal[] };

/**
 * Imports the loans of one day in chunks, one transaction each. Refused loans are returned with their reasons, and the
 * others are boarded. Safe to repeat, because the import of a chunk that was committed is found again.
 */
export async function boardRows(
  { within }: Pick<Platform, 'within'>,
  tenant_id: string,
  rows: readonly TapeRow[],
  { file, onProgress }: { file: string; onProgress?: (done: number) => void },
): Promise<BoardingResult> {
  const boarded: BoardingResult = { ids: new Map(), refusals: [] };
  const board = async (chunk: readonly TapeRow[]): Promise<void> => {
    if (chunk.length === 0) return;
    const bytes = Buffer.concat(await Array.fromAsync(fileLines('loans', pageOf(chunk))));
    try {
      const found = await within(tenant_id, (work) => importBook(work, bytes, { filename: file }));
      for (const [loan_number, id] of found) boarded.ids.set(loan_number, id);
    } catch (error) {
      if (!(error instanceof BookRefused)) throw error;
      // The first line of the imported file is its header.
      const refusals = error.findings.flatMap((finding) => {
        const row = chunk[finding.line - 2];
        return row ? [{ ...finding, line: row.line }] : [];
      });
      if (refusals.length === 0) throw error;
      boarded.refusals.push(...refusals);
      const lines = new Set(refusals.map(({ line }) => line));
      await board(chunk.filter(({ line }) => !lines.has(line)));
    }
  };
  for (let at = 0; at < rows.length; at += CHUNK) {
    await board(rows.slice(at, at + CHUNK));
    onProgress?.(Math.min(at + CHUNK, rows.length));
  }
  return boarded;
}

async function* pageOf(rows: readonly TapeRow[]) {
  yield await Promise.resolve(rows);
}
