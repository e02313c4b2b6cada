import { deflateRawSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { matchesContentType } from '../../jobs/documents/content-type.ts';
import { CONTENT_TYPES, OFFICE_MIME_PREFIX, type ContentType } from '../../jobs/documents/types.ts';

const WORD = `${OFFICE_MIME_PREFIX}.wordprocessingml.document` as ContentType;
const EXCEL = `${OFFICE_MIME_PREFIX}.spreadsheetml.sheet` as ContentType;

/** A zip file of empty parts with these names. */
function zip(...names: string[]): Buffer {
  const empty = deflateRawSync('');
  const files = names.map((name) => {
    const head = Buffer.alloc(30);
    head.write('PK\x03\x04', 'latin1');
    head.writeUInt16LE(name.length, 26);
    return Buffer.concat([head, Buffer.from(name), empty]);
  });
  const directory = names.map((name) => {
    const entry = Buffer.alloc(46);
    entry.write('PK\x01\x02', 'latin1');
    entry.writeUInt16LE(name.length, 28);
    return Buffer.concat([entry, Buffer.from(name)]);
  });
  return Buffer.concat([...files, ...directory, Buffer.from('PK\x05\x06')]);
}

const bytes = (text: string) => Buffer.from(text, 'latin1');
const REAL: Partial<Record<ContentType, Buffer>> = {
  'application/pdf': bytes('%PDF-1.7\n'),
  'image/png': bytes('\x89PNG\r\n\x1a\n\0\0\0\rIHDR'),
  'image/jpeg': bytes('\xff\xd8\xff\xe0\0\x10JFIF'),
  'image/tiff': bytes('II*\0\x08\0\0\0'),
  'image/heic': bytes('\0\0\0\x18ftypheic\0\0\0\0'),
  'image/gif': bytes('GIF89a\x01\0'),
  'text/plain': Buffer.from('Señora, your loan is paid.\r\n\tThank you.'),
  'text/csv': Buffer.from('\ufeffloan,amount\n1,"2.00"\n'),
  'application/msword': bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0'),
  'application/vnd.ms-excel': bytes('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0\0'),
  [WORD]: zip('[Content_Types].xml', '_rels/.rels', 'word/document.xml'),
  [EXCEL]: zip('xl/workbook.xml', 'xl/worksheets/sheet1.xml', '[Content_Types].xml'),
};

const looksLike = (type: ContentType, file: Buffer) =>
  matchesContentType(type, file.subarray(0, 4_096), file);

test.each(CONTENT_TYPES.map((type) => ({ type })))('a real file is $type', ({ type }) => {
  const file = REAL[type] ?? Buffer.alloc(0);

  expect(file.length).toBeGreaterThan(0);
  expect(looksLike(type, file)).toBe(true);
});

test('of two file types, neither is mistaken for the other', () => {
  const alike = [
    ['text/plain', 'text/csv'],
    ['application/msword', 'application/vnd.ms-excel'],
  ];
  for (const type of CONTENT_TYPES) {
    for (const [other, file] of Object.entries(REAL)) {
      const isAlike = alike.some((pair) => pair.includes(type) && pair.includes(other));
      if (type !== other && !isAlike) expect([type, other, looksLike(type, file)]).toContain(false);
    }
  }
});

test.each([
  ['a page', '<!DOCTYPE html><script>alert(1)</script>'],
  ['a page behind blank lines', '\n\n  <html>'],
  ['a picture with scripts', '<?xml version="1.0"?><svg onload="alert(1)"/>'],
  ['a picture without a preamble', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['a page in wide letters', Buffer.from('\ufeff<html>', 'utf16le')],
  ['a program', 'MZ\x90\0\x03'],
  ['nothing but zeros', '\0\0\0\0'],
])('%s is not an accepted type', (_what, content) => {
  const file = typeof content === 'string' ? bytes(content) : content;

  const taken = CONTENT_TYPES.filter((type) => looksLike(type, file));

  expect(taken).toEqual([]);
});

test('a zip is accepted only with the parts of a document and without macros', () => {
  const macros = zip('[Content_Types].xml', 'word/document.xml', 'word/vbaProject.bin');

  expect(looksLike(WORD, zip('a.txt', 'b.exe'))).toBe(false);
  expect(looksLike(WORD, zip('word/document.xml'))).toBe(false);
  expect(looksLike(WORD, macros)).toBe(false);
  expect(looksLike(EXCEL, REAL[WORD] ?? macros)).toBe(false);
});

test('a truncated zip directory is read only to its end', () => {
  const whole = REAL[WORD] ?? Buffer.alloc(0);

  for (let length = 0; length < whole.length; length += 1) {
    expect(() => looksLike(WORD, whole.subarray(0, length))).not.toThrow();
  }
});
