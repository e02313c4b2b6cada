import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import type { ExternalServices } from '../../jobs/external-systems.ts';

export type ScannerOptions = {
  host: string;
  port: number;
  /** How long the scanner may be silent, in milliseconds. Default: 60,000. */
  patience_ms?: number;
};

/** More than clamd's longest answer, which names one signature. */
const ANSWER_MAX = 4_096;

/**
 * A client for clamd's INSTREAM command over TCP (clamd(8)). It sends each piece of the file after its
 * length in four bytes, ends with a length of zero, and reads one answer. Any answer that is not a verdict
 * throws, so a file counts as clean only if the scanner says so.
 */
export function openScanner(options: ScannerOptions): ExternalServices['scan'] {
  const { host, port, patience_ms = 60_000 } = options;
  return async (content) => {
    const socket = connect({ host, port });
    const silence = () => new Error(`The virus scanner was silent for ${patience_ms / 1000} s.`);
    socket.setTimeout(patience_ms, () => socket.destroy(silence()));
    const answer = answerOf(socket);
    try {
      // The scanner may answer and hang up before it has read the whole file.
      await Promise.race([sendFrames(socket, content), answer]);
      return verdictOf(await answer);
    } finally {
      socket.destroy();
    }
  };
}

async function sendFrames(socket: Socket, content: AsyncIterable<Uint8Array>) {
  socket.write('zINSTREAM\0');
  for await (const piece of content) {
    if (piece.length === 0) continue;
    socket.write(lengthOf(piece.length));
    if (!socket.write(piece)) await once(socket, 'drain');
  }
  socket.write(lengthOf(0));
}

function lengthOf(bytes: number): Uint8Array {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(bytes);
  return length;
}

function answerOf(socket: Socket): Promise<string> {
  const answer = new Promise<string>((resolve, reject) => {
    let text = '';
    socket.on('data', (piece: Buffer) => {
      text += piece.toString('latin1');
      if (text.includes('\0')) resolve(text.slice(0, text.indexOf('\0')));
      else if (text.length > ANSWER_MAX) reject(new Error('The virus scanner says too much.'));
    });
    socket.on('error', reject);
    socket.on('close', () => reject(new Error('The virus scanner hung up without a verdict.')));
  });
  // If sending fails first, nothing awaits this promise. Without the handler its rejection would end the
  // process.
  answer.catch(() => {});
  return answer;
}

function verdictOf(answer: string): { found: string | null } {
  if (answer === 'stream: OK') return { found: null };
  const [, found] = /^stream: (.{1,200}) FOUND$/.exec(answer) ?? [];
  if (found !== undefined) return { found };
  throw new Error(`The virus scanner gives no verdict: ${answer.slice(0, 200)}`);
}
