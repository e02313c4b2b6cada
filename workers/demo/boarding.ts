import { boardTape, TapeRejected } from '../../jobs/loans/boarding/board-tape.ts';
import type { TapeIssue, TapeRow } from '../../jobs/loans/boarding/boarding-tape.ts';
import { findLoansByNumber } from '../../sql/loans/boarding/tape.ts';
import type { Platform } from './platform.ts';

/** The number of loans per transaction. A tape may board all of its loans on one day. */
const CHUNK = 200;

export type BoardingResult = { ids: Map<string, string>; refusals: TapeIssue[] };

/**
 * Boards the loans of one day in chunks, one transaction each. Refused rows are returned with their
 * reasons, and the other rows are boarded.
 */
export async function boardRows(
  { within }: Pick<Platform, 'within'>,
  tenant_id: string,
  rows: readonly TapeRow[],
  { file, onProgress }: { file: string; onProgress?: (done: number) => void },
): Promise<BoardingResult> {
  const boarded: BoardingResult = { ids: new Map(), refusals: [] };
  const board = async (chunk: readonly TapeRow[]): Promise<void> => {
    const numbers = chunk.map(({ loan_number }) => loan_number);
    try {
      const loans = await within(tenant_id, async (work) => {
        // If an earlier attempt committed but its answer was lost, the loans already exist.
        const known = new Set(
          (await findLoansByNumber(work.tx, numbers)).map((loan) => loan.loan_number),
        );
        const missing = chunk.filter(({ loan_number }) => !known.has(loan_number));
        await boardTape(work, missing, { file });
        return findLoansByNumber(work.tx, numbers);
      });
      for (const { id, loan_number } of loans) boarded.ids.set(loan_number, id);
    } catch (error) {
      if (!(error instanceof TapeRejected)) throw error;
      boarded.refusals.push(...error.refusals);
      const lines = new Set(error.refusals.map(({ line }) => line));
      await board(chunk.filter(({ line }) => !lines.has(line)));
    }
  };
  for (let at = 0; at < rows.length; at += CHUNK) {
    await board(rows.slice(at, at + CHUNK));
    onProgress?.(Math.min(at + CHUNK, rows.length));
  }
  return boarded;
}
