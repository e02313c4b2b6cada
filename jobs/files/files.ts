import type { Readable } from 'node:stream';

/** The largest file size that a tenant's settings can allow, in bytes: 100 MiB. */
export const FILE_BYTES_MAX = 104_857_600;

/**
 * A store of complete files by key. A reader never sees a partial file, and a key never leads out of the
 * store.
 */
export type Files = {
  /** Stores the bytes under the key, atomically. */
  put(key: string, content: Content, options?: PutOptions): Promise<StoredFile>;
  /** Captures the current file of a key under a private name. Null if there is no file. */
  seize(key: string): Promise<CapturedFile | null>;
  /** The bytes, or null if there is no such file. */
  get(key: string): Promise<Uint8Array | null>;
  /** The bytes as a stream, for large files. Null if there is no such file. */
  stream(key: string): Promise<Readable | null>;
  /** Size and hash of the stored file, read in constant memory. Null if there is no such file. */
  describe(key: string): Promise<StoredFile | null>;
  /** Removes the file. Does nothing if there is none. */
  remove(key: string): Promise<void>;
  /** Removes everything in the key's folder, including partial files. */
  clear(key: string): Promise<void>;
  /** A link with which its bearer can upload or download this key until it expires. */
  presign(link: Link): Promise<string>;
};

export type PutOptions = {
  /** If true, the call fails instead of replacing a file. */
  once?: boolean;
  /**
   * Called when all bytes are stored safely. The file appears under its key only if `place` is called, so
   * the caller can decide while holding a lock.
   */
  when?: (file: StoredFile, place: () => Promise<void>) => Promise<unknown>;
};

/** Bytes that later uploads to the original key cannot change. */
export type CapturedFile = AsyncDisposable & {
  described: StoredFile;
  /** The first and last bytes, to detect the file type. */
  head: Uint8Array;
  tail: Uint8Array;
  /**
   * Stores these bytes under another key, replacing an existing file. Returns false and does nothing if the
   * original key has a different file by now.
   */
  settle(key: string): Promise<boolean>;
};

/** The store is broken, full or unreachable. The same call can succeed later. */
export class StoreUnavailable extends Error {}

export type Content = Uint8Array | AsyncIterable<Uint8Array>;
export type StoredFile = { key: string; size: number; sha256_hash: string };
export type Link = {
  key: string;
  method: 'GET' | 'PUT';
  expires_at: Date;
  /** PUT: the only accepted type. GET: the type of the response. */
  content_type: string;
  /** GET: the file name that the browser saves. */
  filename?: string;
  /** GET: the file is stored encrypted, so this server decrypts it. The store cannot presign such a link. */
  is_sealed?: boolean;
};
