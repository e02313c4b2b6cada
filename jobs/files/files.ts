import type { Readable } from 'node:stream';

/** The largest file that a tenant's settings can allow, in bytes: 100 MiB. */
export const FILE_BYTES_MAX = 104_857_600;

/**
 * A store of whole files by key. A reader never sees half a file, and a key never leads out of
 * the store.
 */
export type Files = {
  /** Stores the bytes under the key, whole or not at all. */
  put(key: string, content: Content, options?: PutOptions): Promise<StoredFile>;
  /** What lies under the key at this moment, held by a name of its own; null when nothing does. */
  seize(key: string): Promise<CapturedFile | null>;
  /** The bytes, or null when there is no such file. */
  get(key: string): Promise<Uint8Array | null>;
  /** The bytes as a stream, for files too large to hold; null when there is no such file. */
  stream(key: string): Promise<Readable | null>;
  /** Size and hash of what is stored, read in constant memory; null when there is no file. */
  describe(key: string): Promise<StoredFile | null>;
  /** Removes the file; quiet when there is none. */
  remove(key: string): Promise<void>;
  /** Removes all that lies beside the key, what is unfinished too, and the key itself. */
  clear(key: string): Promise<void>;
  /** A link that lets its bearer put or get this one key until it expires. */
  presign(link: Link): Promise<string>;
};

export type PutOptions = {
  /** Never over another file. */
  once?: boolean;
  /**
   * Called when all the bytes are safe: they take their place under the key when, and only if,
   * `place` is called. So whoever decides about it can hold a lock meanwhile.
   */
  when?: (file: StoredFile, place: () => Promise<void>) => Promise<unknown>;
};

/** Bytes that no put can change, whatever it does to the key they were seized from. */
export type CapturedFile = AsyncDisposable & {
  described: StoredFile;
  /** The first bytes and the last, by which a type of file is known. */
  head: Uint8Array;
  tail: Uint8Array;
  /**
   * Gives these bytes the other key, too, over what is there. False, and nothing done, where
   * another file has been put under the key that they were seized from.
   */
  settle(key: string): Promise<boolean>;
};

/** The store itself is broken, full or away: the same will succeed when it is mended. */
export class StoreUnavailable extends Error {}

export type Content = Uint8Array | AsyncIterable<Uint8Array>;
export type StoredFile = { key: string; size: number; sha256_hash: string };
export type Link = {
  key: string;
  method: 'GET' | 'PUT';
  /** When the link dies. */
  expires_at: Date;
  /** PUT: the only type accepted. GET: the type answered. */
  content_type: string;
  /** GET: the name that the browser saves. */
  filename?: string;
};
