import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { newFileKey, sealFile, unsealFile } from '../../jobs/files/sealed-files.ts';

const KEY = newFileKey();
const FRAME = 65_536;
const START = 40;
const TAG = 16;

/** Opens stored bytes that arrive in pieces of a size. */
async function open(key: string, stored: Buffer, size = 10_000): Promise<Buffer> {
  const pieces = async function* () {
    for (let from = 0; from < stored.length; from += size) yield stored.subarray(from, from + size);
  };
  return Buffer.concat(await Array.fromAsync(unsealFile(key, pieces())));
}

test.each([0, 1, FRAME - 1, FRAME, FRAME + 1, 3 * FRAME, 200_001])(
  'a file of %i bytes is read back as it was, whatever pieces it arrives in',
  async (size) => {
    const content = randomBytes(size);
    const stored = sealFile(KEY, content);

    for (const pieces of [7_000, FRAME + TAG, 1_000_000])
      expect((await open(KEY, stored, pieces)).equals(content)).toBe(true);
    expect((await open(KEY, sealFile(KEY, Buffer.alloc(3, 'a')), 1)).toString()).toBe('aaa');
  },
);

test('the same content gives the same bytes, and other content shares none of them', () => {
  const [one, other] = [
    Buffer.alloc(1_000, 'a'),
    Buffer.concat([Buffer.alloc(999, 'a'), Buffer.from('b')]),
  ];

  expect(sealFile(KEY, one).equals(sealFile(KEY, one))).toBe(true);
  expect(sealFile(newFileKey(), one).equals(sealFile(KEY, one))).toBe(false);
  expect(sealFile(KEY, other).subarray(START, START + 999)).not.toEqual(
    sealFile(KEY, one).subarray(START, START + 999),
  );
});

test('a file that was changed, shortened, rearranged or sealed under another key is refused', async () => {
  const stored = sealFile(KEY, randomBytes(3 * FRAME));
  const frame = (at: number) =>
    stored.subarray(START + at * (FRAME + TAG), START + (at + 1) * (FRAME + TAG));
  const start = stored.subarray(0, START);
  const changed = Buffer.from(stored);
  changed[START + 5] = (changed[START + 5] ?? 0) ^ 1;
  const refused = {
    changed,
    shortened: Buffer.concat([start, frame(0), frame(1)]),
    cut: stored.subarray(0, -1),
    rearranged: Buffer.concat([start, frame(1), frame(0), frame(2)]),
    extended: Buffer.concat([stored, Buffer.from('x')]),
    empty: Buffer.alloc(0),
    plain: Buffer.from('0426HEADER'.padEnd(1_000)),
  };

  for (const [name, bytes] of Object.entries(refused))
    await expect(open(KEY, bytes), name).rejects.toThrow(Error);
  await expect(open(newFileKey(), stored)).rejects.toThrow(Error);
});
