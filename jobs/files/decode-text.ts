import { isAscii } from 'node:buffer';

export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'windows-1252';

type DecodeOptions = {
  /** Reads bytes that are not UTF-8 as Windows-1252, of which Latin-1 is a part. Otherwise they become U+FFFD. */
  guesses_encoding?: boolean;
  /** Called at most once, when bytes without a byte order mark are read as another encoding than UTF-8. */
  onGuess?: (encoding: Encoding) => void;
};

/** Decodes the bytes. A byte order mark selects the encoding and is removed. */
export async function* decodeText(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { guesses_encoding = false, onGuess }: DecodeOptions = {},
): AsyncGenerator<string> {
  let decode: ((chunk: Buffer, isLast: boolean) => string) | undefined;
  let waiting = Buffer.alloc(0);
  for await (const chunk of bytes) {
    waiting = waiting.length === 0 ? Buffer.from(chunk) : Buffer.concat([waiting, chunk]);
    if (waiting.length < 2) continue;
    decode ??= guesses_encoding ? guessingDecoder(waiting, onGuess) : decoderOf(markOf(waiting));
    yield decode(waiting, false);
    waiting = Buffer.alloc(0);
  }
  decode ??= guesses_encoding ? guessingDecoder(waiting, onGuess) : decoderOf('utf-8');
  yield decode(waiting, true);
}

function decoderOf(encoding: Encoding) {
  const decoder = new TextDecoder(encoding);
  return (chunk: Buffer, isLast: boolean) => decoder.decode(chunk, { stream: !isLast });
}

function markOf(beginning: Buffer): Encoding {
  const mark = beginning.readUInt16BE(0);
  if (mark === 0xfffe) return 'utf-16le';
  return mark === 0xfeff ? 'utf-16be' : 'utf-8';
}

/** The encoding that the first two bytes show: by a mark, or because one of them is the zero of an ASCII letter. */
function encodingOf(beginning: Buffer): Encoding {
  if (beginning.length < 2) return 'utf-8';
  if (beginning[0] !== 0 && beginning[1] === 0) return 'utf-16le';
  if (beginning[0] === 0 && beginning[1] !== 0) return 'utf-16be';
  return markOf(beginning);
}

/**
 * Decodes UTF-8 until the first bytes that are not. If everything before was ASCII, the text is Windows-1252, and
 * nothing was misread so far. Otherwise the text is damaged UTF-8, and the bytes become U+FFFD.
 */
function guessingDecoder(beginning: Buffer, onGuess: DecodeOptions['onGuess']) {
  const encoding = encodingOf(beginning);
  if (encoding !== 'utf-8') {
    if (beginning[0] !== 0xff && beginning[0] !== 0xfe) onGuess?.(encoding);
    return decoderOf(encoding);
  }
  let settled: ReturnType<typeof decoderOf> | undefined;
  let isAsciiSoFar = true;
  let isBeginning = true;
  let rest = Buffer.alloc(0);
  return (chunk: Buffer, isLast: boolean): string => {
    if (settled) return settled(chunk, isLast);
    const all = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const bytes = isLast ? all : all.subarray(0, all.length - incompleteEnd(all));
    rest = Buffer.from(all.subarray(bytes.length));
    if (isAscii(bytes)) return bytes.toString('latin1');
    const text = new TextDecoder('utf-8', { ignoreBOM: !isBeginning }).decode(bytes);
    isBeginning = false;
    const broken = count(text, /\uFFFD/g);
    if (broken > 0 && isAsciiSoFar && broken > count(text, /[\u0080-\uFFFC]/g)) {
      onGuess?.('windows-1252');
      settled = decoderOf('windows-1252');
      return settled(bytes, false) + settled(rest, isLast);
    }
    isAsciiSoFar = false;
    return text;
  };
}

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0;

/** The length of a UTF-8 sequence at the end that continues in the next chunk, 0 to 3. */
function incompleteEnd(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back += 1) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return back < length ? back : 0;
  }
  return 0;
}
