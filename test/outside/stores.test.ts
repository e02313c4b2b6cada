import { createHash } from 'node:crypto';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { StoreUnavailable, type Files } from '../../jobs/files/files.ts';
import { uploadKey } from '../../jobs/files/keys.ts';
import { localFiles } from '../../jobs/files/local-files.ts';
import { objectFiles } from '../../jobs/files/object-files.ts';
import { openObjectStore, OWNER } from '../setup/object-store.ts';

const bucket = await openObjectStore();
const folder = await mkdtemp(path.join(tmpdir(), 'stores-'));
beforeAll(() => {
  vi.stubEnv('AWS_ACCESS_KEY_ID', OWNER.accessKeyId);
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', OWNER.secretAccessKey);
});
afterAll(async () => {
  vi.unstubAllEnvs();
  bucket.close();
  await rm(folder, { recursive: true, force: true });
});

const remote = objectFiles({
  bucket: 'documents',
  region: 'us-east-1',
  endpoint: bucket.endpoint,
});
const local = localFiles({ folder, secret: 's'.repeat(32) });
const namesIn = async () => ({
  local: (await readdir(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(path.relative(folder, entry.parentPath), entry.name)),
  object: [...bucket.objects.keys()],
});

const loan = '0190f0f0-0000-7000-8000-00000000000';
const keyed = (name: string) => `demo/${loan}1/other/${name}`;
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');
const link = (key: string, method: 'GET' | 'PUT') => ({
  key,
  method,
  expires_at: new Date(Date.now() + 6e4),
  content_type: 'application/pdf',
});

async function* broken() {
  yield Buffer.from('half');
  throw new Error('The upload broke off.');
}

describe.each([
  ['local', local],
  ['object', remote],
] as const)('a store that is %s', (kind, files: Files) => {
  test('returns a stored file with its size and hash until it is removed', async () => {
    const key = keyed('a b.pdf');

    const stored = await files.put(key, Buffer.from('%PDF-1.7'));
    const streamed = await (await files.stream(key))?.toArray();
    const read = await files.get(key);
    const described = await files.describe(key);
    await files.remove(key);
    await files.remove(key);

    expect(stored).toEqual({ key, size: 8, sha256_hash: hashOf('%PDF-1.7') });
    expect(Buffer.concat(streamed ?? []).toString()).toBe('%PDF-1.7');
    expect(Buffer.from(read ?? []).toString()).toBe('%PDF-1.7');
    expect(described).toEqual(stored);
    expect([await files.get(key), await files.stream(key), await files.describe(key)]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('keeps the old file if an upload is interrupted or rejected, and nothing of the new one', async () => {
    const key = keyed('kept.pdf');
    await files.put(key, Buffer.from('old'));

    await expect(files.put(key, broken())).rejects.toThrow('broke off');
    await expect(files.put(key, Buffer.from('x'), { once: true })).rejects.toMatchObject({
      code: 'EEXIST',
    });
    await files.put(key, Buffer.from('unwanted'), { when: async () => {} });
    const refused = () => Promise.reject(new Error('Not now.'));
    await expect(files.put(key, Buffer.from('y'), { when: refused })).rejects.toThrow('Not now.');
    const between = await files.get(key);
    await files.put(key, Buffer.from('new'), { when: (_file, place) => place() });

    expect(Buffer.from(between ?? []).toString()).toBe('old');
    expect(Buffer.from((await files.get(key)) ?? []).toString()).toBe('new');
    expect((await namesIn())[kind]).toEqual([key]);
    await files.remove(key);
  });

  test('moves quarantined bytes to another key only while nothing else was uploaded', async () => {
    const [from, to] = [uploadKey('demo', `${loan}2`), keyed('settled.pdf')];
    await files.put(from, Buffer.from('%PDF one'));

    {
      await using first = await files.seize(from);
      await files.put(from, Buffer.from('%PDF two'));
      expect(first?.described).toMatchObject({ size: 8, sha256_hash: hashOf('%PDF one') });
      expect(await first?.settle(to)).toBe(false);
    }
    {
      await using second = await files.seize(from);
      expect(Buffer.from(second?.head ?? []).toString()).toBe('%PDF two');
      expect(await second?.settle(to)).toBe(true);
    }
    await files.clear(from);

    expect(Buffer.from((await files.get(to)) ?? []).toString()).toBe('%PDF two');
    expect((await namesIn())[kind]).toEqual([to]);
    expect(await files.seize(from)).toBeNull();
    await files.remove(to);
  });

  test('refuses an unsafe key', async () => {
    const wrong = files.put('../demo/a/b.pdf', Buffer.from('a'));

    await expect(wrong).rejects.toThrow('This is not a storage key.');
  });
});

test('a bucket link allows uploading one type under one key, and downloads as an attachment', async () => {
  const key = uploadKey('demo', `${loan}3`);
  const type = { 'Content-Type': 'application/pdf' };
  const put = (url: string, headers: Record<string, string> = type) =>
    fetch(url, { method: 'PUT', body: '%PDF-1.7', headers });
  const url = await remote.presign(link(key, 'PUT'));

  const sent = await put(url);
  const typed = await put(url, { 'Content-Type': 'text/html' });
  const moved = await put(url.replace(`${loan}3`, `${loan}4`));
  const longer = await put(url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=604800'));
  const read = await fetch(url);
  const got = await fetch(
    await remote.presign({ ...link(key, 'GET'), filename: "pay stub's.pdf" }),
  );

  expect(sent.status).toBe(200);
  expect([typed, moved, longer, read].map(({ status }) => status)).toEqual([403, 403, 403, 403]);
  expect(await got.text()).toBe('%PDF-1.7');
  expect(got.headers.get('content-type')).toBe('application/pdf');
  expect(got.headers.get('content-disposition')).toMatch(
    /^attachment; filename\*=UTF-8''pay%20stub/,
  );
  expect([...new URL(url).searchParams.keys()].join()).not.toMatch(/checksum|encryption/i);
});

test('a bucket that refuses, is silent or disconnects makes the store unavailable and leaves nothing behind', async () => {
  const key = keyed('troubled.pdf');
  const hasty = objectFiles(
    {
      bucket: 'documents',
      region: 'us-east-1',
      endpoint: bucket.endpoint,
    },
    300,
  );
  const tries = async (does: 'refuses' | 'is silent' | 'hangs up', on = /^PUT/) => {
    // Once for every retry.
    for (let at = 0; at < 3; at += 1) bucket.troubles.push({ on, does });
    const put = hasty.put(key, Buffer.from('a'), { when: (_file, place) => place() });
    await expect(put).rejects.toThrow(StoreUnavailable);
    bucket.troubles.length = 0;
  };

  await tries('refuses');
  await tries('hangs up');
  await tries('is silent');
  await tries('refuses', /^PUT .*troubled/);

  expect([...bucket.objects.keys()]).toEqual([uploadKey('demo', `${loan}3`)]);
  bucket.troubles.push({ on: /^PUT/, does: 'hangs up' }, { on: /^GET/, does: 'hangs up' });
  await remote.put(key, Buffer.from('after'));
  expect(Buffer.from((await remote.get(key)) ?? []).toString()).toBe('after');
});
