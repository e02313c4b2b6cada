import type { SFTPWrapper } from 'ssh2';

/** The packet size that every server accepts (draft-ietf-secsh-filexfer-02, section 3). */
const PIECE_BYTES = 32 * 1024;
/** The number of unanswered pieces: one megabyte per round trip. */
const PIECES_IN_FLIGHT_MAX = 32;

/** Writes the content piece by piece without waiting for each answer. */
export async function writeAhead(
  sftp: SFTPWrapper,
  handle: Buffer,
  content: AsyncIterable<Uint8Array>,
) {
  const under = new Set<Promise<void>>();
  let at = 0;
  for await (const chunk of content) {
    for (let from = 0; from < chunk.length; from += PIECE_BYTES) {
      const piece = Buffer.from(chunk.subarray(from, from + PIECE_BYTES));
      const writing = writePiece(sftp, handle, piece, at).finally(() => under.delete(writing));
      writing.catch(() => {});
      under.add(writing);
      at += piece.length;
      if (under.size >= PIECES_IN_FLIGHT_MAX) await Promise.race(under);
    }
  }
  await Promise.all(under);
}

const writePiece = (sftp: SFTPWrapper, handle: Buffer, piece: Buffer, at: number) =>
  new Promise<void>((done, fail) => {
    sftp.write(handle, piece, 0, piece.length, at, (error) => (error ? fail(error) : done()));
  });
