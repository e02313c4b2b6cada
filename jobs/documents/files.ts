import type { Readable } from 'node:stream';

/**
 * A store of whole files by key. A reader never sees half a file, and a key never leads out of
 * the store.
 */
export type Files = {
  /** Stores the bytes under the key, whole or not at all; with `once`, never over another file. */
  put(key: string, content: Content, options?: { once?: boolean }): Promise<StoredFile>;
  /** The bytes, or null when there is no such file. */
  get(key: string): Promise<Uint8Array | null>;
  /** The bytes as a stream, for files too large to hold; null when there is no such file. */
  stream(key: string): Promise<Readable | null>;
  /** Size and hash of what is stored, read in constant memory; null when there is no file. */
  describe(key: string): Promise<StoredFile | null>;
  /** Removes the file; quiet when there is none. */
  remove(key: string): Promise<void>;
  /** A link that lets its bearer put or get this one key until it expires. */
  presign(link: Link): Promise<string>;
};

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
