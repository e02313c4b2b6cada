import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { MalformedForm, readParts } from '../../api/http/multipart.ts';

const TYPE = 'multipart/form-data; boundary=xXx';

async function* inPieces(raw: Buffer, size: number) {
  for (let at = 0; at < raw.length; at += size) yield raw.subarray(at, at + size);
}

type Read = { name: string; filename: string | null; type: string; text: string; pieces: number };

async function read(raw: string | Buffer, size = 65_536, type = TYPE): Promise<Read[]> {
  const parts: Read[] = [];
  for await (const { content, ...part } of readParts(type, inPieces(Buffer.from(raw), size))) {
    const pieces: Uint8Array[] = [];
    for await (const piece of content) pieces.push(piece);
    parts.push({ ...part, text: Buffer.concat(pieces).toString(), pieces: pieces.length });
  }
  return parts;
}

const partOf = (content: string, disposition = 'name="a"', more = '') =>
  `--xXx\r\nContent-Disposition: form-data; ${disposition}\r\n${more}\r\n${content}\r\n`;
const END = '--xXx--\r\n';

// Fragments that resemble a boundary, and others that do not.
const crumbs = fc.array(
  fc.constantFrom(
    '\r\n',
    '\r',
    '\n',
    '-',
    '--',
    '--xX',
    '\r\n--x',
    '\r\n--xX',
    'xXx',
    'x',
    'é',
    'PDF',
  ),
  { maxLength: 30 },
);

test('a form has the same parts, wherever its chunks are cut', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(crumbs, { maxLength: 4 }),
      fc.integer({ min: 1, max: 40 }),
      async (texts, size) => {
        const contents = texts
          .map((crumb) => crumb.join(''))
          .filter((text) => !`\r\n${text}\r\n--`.includes('\r\n--xXx'));
        const raw = contents.map((text) => partOf(text)).join('') + END;

        const parts = await read(raw, size);

        expect(parts.map(({ text }) => text)).toEqual(contents);
      },
    ),
  );
});

test.each(['\r', '\r\n', '\r\n--xX', '\r\n-', '\r\n--x\r\n--x'])(
  'content that consists only of %j is passed on in its original chunks',
  async (crumb) => {
    const content = crumb.repeat(100_000);

    const [part] = await read(partOf(content) + END);

    expect(part?.text).toBe(content);
    expect(part?.pieces).toBeLessThanOrEqual(Math.ceil(content.length / 65_536) + 1);
  },
);

describe('a part has a name', () => {
  test.each([
    ['name="a"', 'a', null],
    ['name=a', 'a', null],
    ['name="a;b=c"', 'a;b=c', null],
    [String.raw`name="file"; filename="C:\Users\me\a.pdf"`, 'file', 'a.pdf'],
    [String.raw`filename="a \"b\".pdf"; name="file"`, 'file', 'a "b".pdf'],
    ['name="file"; filename="%22b%22%0D%0A.pdf"', 'file', '"b"\r\n.pdf'],
    ['name="file"; filename="Überweisung 小.pdf"', 'file', 'Überweisung 小.pdf'],
    ['name="file"; filename=""', 'file', ''],
    [`name="file"; filename*=UTF-8''a.pdf`, 'file', null],
    ['name="filename=x"', 'filename=x', null],
  ])('from %s', async (disposition, name, filename) => {
    const [part] = await read(partOf('x', disposition) + END);

    expect(part).toMatchObject({ name, filename, text: 'x' });
  });
});

test('a boundary may be quoted, and text before and after the parts is ignored', async () => {
  const quoted = 'multipart/form-data; charset=utf-8; boundary="xXx"';

  const parts = await read(`hello\r\n${partOf('1')}${END}goodbye\r\n--xXx\r\n`, 3, quoted);

  expect(parts.map(({ text }) => text)).toEqual(['1']);
});

test.each([
  ['no boundary in its type', partOf('x') + END, 'multipart/form-data'],
  ['an empty boundary', partOf('x') + END, 'multipart/form-data; boundary='],
  [
    'a boundary of 71 characters',
    partOf('x') + END,
    `multipart/form-data; boundary=${'x'.repeat(71)}`,
  ],
  ['another boundary', partOf('x') + END, 'multipart/form-data; boundary=yYy'],
  ['nothing in it', '', TYPE],
  ['no end', partOf('x'), TYPE],
  ['an end in the middle of a part', partOf('x').slice(0, -6), TYPE],
  ['a boundary that goes on', `--xXxyz\r\n${END}`, TYPE],
  ['a part without a name', partOf('x', 'filename="a"') + END, TYPE],
  ['a part without a disposition', `--xXx\r\nX: y\r\n\r\nx\r\n${END}`, TYPE],
  ['a header without a name', partOf('x', 'name="a"', ': b\r\n') + END, TYPE],
  [
    'an encoded part',
    partOf('eA==', 'name="a"', 'Content-Transfer-Encoding: base64\r\n') + END,
    TYPE,
  ],
  ['endless headers', partOf('x', 'name="a"', 'X: y\r\n'.repeat(10_000)) + END, TYPE],
  ['an endless header', partOf('x', `name="${'a'.repeat(100_000)}"`) + END, TYPE],
])('a form with %s is malformed', async (_what, raw, type) => {
  await expect(read(raw, 1_000, type)).rejects.toThrow(MalformedForm);
});

test('reading a form stops when its reader has enough', async () => {
  let given = 0;
  async function* endless() {
    yield Buffer.from('--xXx\r\nContent-Disposition: form-data; name="a"\r\n\r\n');
    for (;;) {
      given += 1;
      yield Buffer.alloc(1_000, 'x');
    }
  }

  for await (const { content } of readParts(TYPE, endless())) {
    await content.next();
    await content.return(undefined);
    break;
  }

  expect(given).toBeLessThanOrEqual(2);
});
