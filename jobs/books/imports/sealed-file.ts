import type { Keys } from '../../sealing/secrets.ts';

/** Bytes per sealed frame. A reader holds one frame in memory. */
const FRAME_BYTES = 262_144;
const LINE_FEED = 10;
const END = 'end';

/**
 * Seals a file of any size: one line per frame, each with its number, and a last line that marks the end. Frames that
 * are missing, repeated or in another order are noticed when the file is read.
 */
export async function* sealFile(
  keys: Keys,
  tenantId: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let count = 0;
  const seal = (text: string) => {
    count += 1;
    return Buffer.from(`${keys.seal(tenantId, `${count} ${text}`)}\n`);
  };
  let waiting: Buffer = Buffer.alloc(0);
  for await (const piece of content) {
    waiting = Buffer.concat([waiting, piece]);
    for (; waiting.length >= FRAME_BYTES; waiting = waiting.subarray(FRAME_BYTES))
      yield seal(waiting.subarray(0, FRAME_BYTES).toString('latin1'));
  }
  if (waiting.length > 0) yield seal(waiting.toString('latin1'));
  yield Buffer.from(`${keys.seal(tenantId, `${END} ${count}`)}\n`);
}

/** The bytes of a sealed file. Throws if it is incomplete or was changed. */
export async function* unsealFile(
  keys: Keys,
  tenantId: string,
  content: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  let count = 0;
  for await (const line of linesOf(content)) {
    const text = keys.unseal(tenantId, line);
    if (text === `${END} ${count}`) return;
    count += 1;
    const prefix = `${count} `;
    if (!text.startsWith(prefix)) throw new Error('The stored file of the import is damaged.');
    yield Buffer.from(text.slice(prefix.length), 'latin1');
  }
  throw new Error('The stored file of the import is incomplete.');
}

async function* linesOf(content: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let parts: Buffer[] = [];
  for await (const piece of content) {
    let rest = Buffer.from(piece);
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      yield Buffer.concat([...parts, rest.subarray(0, end)]).toString('latin1');
      parts = [];
      rest = rest.subarray(end + 1);
    }
    if (rest.length > 0) parts.push(rest);
  }
}
