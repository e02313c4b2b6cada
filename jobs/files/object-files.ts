import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Readable } from 'node:stream';
import * as s3 from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { describeBytes, writeNewFile } from './file-bytes.ts';
import {
  StoreUnavailable,
  type Content,
  type Files,
  type PutOptions,
  type CapturedFile,
} from './files.ts';
import { isStorageKey } from './keys.ts';
import type { ObjectStore } from './storage-url.ts';

/** Milliseconds to connect, and until the response begins. */
const REQUEST_TIMEOUT_MS = 10_000;
const ATTEMPTS = 3;

/**
 * Stores files in an S3-compatible bucket. Files are uploaded under a temporary name and copied to their
 * key within the store, so that readers see complete files only. Encryption follows the bucket's settings;
 * credentials come from the environment, as in AWS tools.
 */
export function objectFiles(store: ObjectStore, patience_ms = REQUEST_TIMEOUT_MS): Files {
  const { bucket: Bucket, region, endpoint } = store;
  const client = new s3.S3Client({
    region,
    maxAttempts: ATTEMPTS,
    logger: SILENT_LOGGER,
    requestHandler: {
      connectionTimeout: patience_ms,
      requestTimeout: patience_ms,
      throwOnRequestTimeout: true,
    },
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(endpoint && {
      endpoint,
      forcePathStyle: true,
    }),
  });
  const at = (key: string) => ({ Bucket, Key: assertStorageKey(key) });

  const copy = (from: string, to: string, CopySourceIfMatch?: string) =>
    client.send(
      new s3.CopyObjectCommand({
        Bucket,
        Key: to,
        CopySource: `${Bucket}/${encodeURIComponent(from)}`,
        ...(CopySourceIfMatch && { CopySourceIfMatch }),
      }),
    );
  const drop = (Key: string) => client.send(new s3.DeleteObjectCommand({ Bucket, Key }));
  const tagOf = (Key: string) =>
    nullWhenMissing(() => client.send(new s3.HeadObjectCommand({ Bucket, Key }))).then(
      (head) => head?.ETag ?? null,
    );
  const body = async (Key: string) => {
    const found = await nullWhenMissing(() =>
      client.send(new s3.GetObjectCommand({ Bucket, Key })),
    );
    return (found?.Body as Readable | undefined) ?? null;
  };

  async function put(key: string, content: Content, { once = false, when }: PutOptions = {}) {
    const folder = await mkdtemp(path.join(tmpdir(), 'object-'));
    const spooled = path.join(folder, 'file');
    const waiting = temporaryKey(assertStorageKey(key));
    try {
      // S3 needs the size before the first byte.
      const stored = { key, ...(await writeNewFile(spooled, content)) };
      const send = (Key: string) =>
        wrapUnavailable(() =>
          withRetries(() => {
            const bytes = { Body: createReadStream(spooled), ContentLength: stored.size };
            const command = { Bucket, Key, ...bytes, ...(once && { IfNoneMatch: '*' }) };
            return client.send(new s3.PutObjectCommand(command));
          }),
        );
      if (!when) await send(key);
      else {
        await send(waiting);
        await when(stored, () => wrapUnavailable(() => copy(waiting, key)).then(() => undefined));
      }
      return stored;
    } finally {
      await rm(folder, { recursive: true, force: true });
      if (when) await drop(waiting).catch(() => undefined);
    }
  }

  async function seize(key: string): Promise<CapturedFile | null> {
    const held = temporaryKey(assertStorageKey(key));
    const tag = await wrapUnavailable(() => tagOf(key));
    if (tag === null) return null;
    if ((await wrapUnavailable(() => nullWhenMissing(() => copy(key, held, tag)))) === null)
      return null;
    const dispose = () =>
      drop(held).then(
        () => undefined,
        () => undefined,
      );
    try {
      const pieces = await wrapUnavailable(() => body(held));
      if (pieces === null) throw new StoreUnavailable('The copied file is missing.');
      const settle = (to: string) =>
        wrapUnavailable(async () => {
          if ((await tagOf(key)) !== tag) return false;
          await copy(held, assertStorageKey(to));
          return true;
        });
      const seized = await wrapUnavailable(() => describeBytes(key, pieces));
      return { ...seized, settle, [Symbol.asyncDispose]: dispose };
    } catch (error) {
      await dispose();
      throw error;
    }
  }

  async function clear(key: string) {
    const Prefix = `${path.posix.dirname(assertStorageKey(key))}/`;
    const { Contents = [] } = await client.send(new s3.ListObjectsV2Command({ Bucket, Prefix }));
    for (const { Key } of Contents) if (Key !== undefined) await drop(Key);
  }

  return {
    put,
    seize,
    stream: (key) => wrapUnavailable(() => body(assertStorageKey(key))),
    get: (key) =>
      wrapUnavailable(async () => {
        const pieces = await body(assertStorageKey(key));
        return pieces && Buffer.concat(await pieces.toArray());
      }),
    describe: (key) =>
      wrapUnavailable(async () => {
        const pieces = await body(assertStorageKey(key));
        return pieces && (await describeBytes(key, pieces)).described;
      }),
    remove: (key) => wrapUnavailable(() => drop(assertStorageKey(key))).then(() => undefined),
    clear: (key) => wrapUnavailable(() => clear(key)),
    presign: ({ key, method, expires_at, content_type, filename = 'document' }) => {
      const expiresIn = Math.max(1, Math.ceil((expires_at.getTime() - Date.now()) / 1000));
      if (method === 'PUT') {
        const command = new s3.PutObjectCommand({ ...at(key), ContentType: content_type });
        return getSignedUrl(client, command, {
          expiresIn,
          signableHeaders: new Set(['host', 'content-type']),
        });
      }
      const command = new s3.GetObjectCommand({
        ...at(key),
        ResponseContentType: content_type,
        ResponseContentDisposition: `attachment; filename*=UTF-8''${encodeURIComponent(filename)}`,
      });
      return getSignedUrl(client, command, { expiresIn });
    },
  };
}

/** Errors are thrown, and the caller logs them. */
const ignoreLog = () => {};
const SILENT_LOGGER = { debug: ignoreLog, info: ignoreLog, warn: ignoreLog, error: ignoreLog };

/** The SDK cannot retry a stream body, so uploads are retried here. */
async function withRetries<Result>(steps: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await steps();
    } catch (error) {
      const status = statusOf(error) ?? 500;
      if (status < 500 || attempt === ATTEMPTS) throw error;
    }
  }
}

/** A temporary name in the key's folder that no key can have. */
const temporaryKey = (key: string) => `${path.posix.dirname(key)}/.${randomUUID()}`;

function assertStorageKey(key: string): string {
  if (isStorageKey(key)) return key;
  throw new Error('This is not a storage key.');
}

const statusOf = (error: unknown) =>
  error instanceof s3.S3ServiceException ? error.$metadata.httpStatusCode : undefined;

/** Also null if the source of a copy has been removed or replaced. */
async function nullWhenMissing<Result>(steps: () => Promise<Result>): Promise<Result | null> {
  try {
    return await steps();
  } catch (error) {
    if ([404, 412].includes(statusOf(error) ?? 0)) return null;
    throw error;
  }
}

/** Turns errors of the store into StoreUnavailable, except for an existing file. */
async function wrapUnavailable<Result>(steps: () => Promise<Result>): Promise<Result> {
  try {
    return await steps();
  } catch (error) {
    const code = statusOf(error) === 412 ? 'EEXIST' : null;
    if (code) throw Object.assign(new Error('The file already exists.'), { code });
    const { name } = error as Error;
    throw new StoreUnavailable(`The document store is not available (${name}).`, { cause: error });
  }
}
