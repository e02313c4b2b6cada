import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes } from 'node:crypto';
import type { Files } from './files.ts';

/**
 * Files that contain social security or account numbers are stored encrypted. Each file has its own key, which its row
 * keeps sealed under SECRET. A change of SECRET therefore seals the key again and leaves the file as it is.
 *
 * Format: a mark, a salt, and frames of 64 KiB in AES-256-GCM, of which each has its own tag and the last one is marked.
 * The salt is a keyed hash of the content: the same content gives the same bytes, and other content another key.
 */
const MARK = Buffer.from('sealed1\n');
const SALT_BYTES = 32;
const FRAME_BYTES = 65_536;
const TAG_BYTES = 16;

export const newFileKey = () => randomBytes(32).toString('base64');

const keyed = (fileKey: string, purpose: string, content: Uint8Array) =>
  createHmac('sha256', Buffer.from(fileKey, 'base64')).update(purpose).update(content).digest();

/** Never repeats under one key, and differs for the last frame, so that a shortened file is detected. */
function nonce(frame: number, isLast: boolean): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt32BE(frame, 7);
  bytes.writeUInt8(Number(isLast), 11);
  return bytes;
}

/** The bytes to store. */
export function sealFile(fileKey: string, content: Uint8Array): Buffer {
  const salt = keyed(fileKey, 'salt', content);
  const key = keyed(fileKey, 'content', salt);
  const parts: Buffer[] = [MARK, salt];
  const frames = Math.max(1, Math.ceil(content.byteLength / FRAME_BYTES));
  for (let frame = 0; frame < frames; frame += 1) {
    const piece = content.subarray(frame * FRAME_BYTES, (frame + 1) * FRAME_BYTES);
    parts.push(sealFrame(key, nonce(frame, frame === frames - 1), piece));
  }
  return Buffer.concat(parts);
}

/** The same bytes for content that is too large for the memory. Opens it twice, because the salt depends on all of it. */
export async function* sealStream(
  fileKey: string,
  open: () => AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  const hash = createHmac('sha256', Buffer.from(fileKey, 'base64')).update('salt');
  for await (const piece of open()) hash.update(piece);
  const salt = hash.digest();
  const key = keyed(fileKey, 'content', salt);
  yield Buffer.concat([MARK, salt]);
  let waiting: Buffer = Buffer.alloc(0);
  let frame = 0;
  for await (const piece of open()) {
    waiting = Buffer.concat([waiting, piece]);
    for (; waiting.length > FRAME_BYTES; waiting = waiting.subarray(FRAME_BYTES)) {
      yield sealFrame(key, nonce(frame, false), waiting.subarray(0, FRAME_BYTES));
      frame += 1;
    }
  }
  yield sealFrame(key, nonce(frame, true), waiting);
}

function sealFrame(key: Buffer, iv: Buffer, piece: Uint8Array) {
  const cipher = createCipheriv('aes-256-gcm', key, iv);
  return Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]);
}

/** The content of stored bytes, frame by frame. Throws before it yields a byte that was changed or is not the file's. */
export async function* unsealFile(
  fileKey: string,
  stored: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  let waiting = Buffer.alloc(0);
  let key: Buffer | null = null;
  let frame = 0;
  for await (const piece of stored) {
    waiting = Buffer.concat([waiting, piece]);
    if (key === null) {
      if (waiting.length < MARK.length + SALT_BYTES) continue;
      key = contentKey(fileKey, waiting);
      waiting = waiting.subarray(MARK.length + SALT_BYTES);
    }
    // The last frame is not recognizable before the end of the file.
    while (waiting.length > FRAME_BYTES + TAG_BYTES) {
      yield openFrame(key, nonce(frame, false), waiting.subarray(0, FRAME_BYTES + TAG_BYTES));
      waiting = waiting.subarray(FRAME_BYTES + TAG_BYTES);
      frame += 1;
    }
  }
  if (key === null || waiting.length < TAG_BYTES) throw new Error('The sealed file is too short.');
  yield openFrame(key, nonce(frame, true), waiting);
}

function contentKey(fileKey: string, beginning: Buffer): Buffer {
  if (!beginning.subarray(0, MARK.length).equals(MARK)) throw new Error('The file is not sealed.');
  return keyed(fileKey, 'content', beginning.subarray(MARK.length, MARK.length + SALT_BYTES));
}

function openFrame(key: Buffer, iv: Buffer, bytes: Buffer): Buffer {
  const end = bytes.length - TAG_BYTES;
  const decipher = createDecipheriv('aes-256-gcm', key, iv, { authTagLength: TAG_BYTES });
  decipher.setAuthTag(bytes.subarray(end));
  return Buffer.concat([decipher.update(bytes.subarray(0, end)), decipher.final()]);
}

/**
 * Stores a sealed file. Returns the size and hash of its content, as downloaded, and the hash of the stored bytes.
 */
export async function putSealed(
  files: Files,
  { storage_key, file_key }: { storage_key: string; file_key: string },
  content: Uint8Array,
) {
  const stored = await files.put(storage_key, sealFile(file_key, content));
  return {
    file_size: content.byteLength,
    sha256_hash: createHash('sha256').update(content).digest('hex'),
    stored_sha256_hash: stored.sha256_hash,
  };
}
