import { dictionary } from '../../sql/dictionary.ts';
import { CONTENT_TYPES, OFFICE_MIME_PREFIX, type ContentType } from './types.ts';

type Test = (head: Uint8Array, tail: Uint8Array) => boolean;

const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const beginsWith =
  (...beginnings: readonly string[]): Test =>
  (head) =>
    beginnings.some((beginning) => text(head.subarray(0, beginning.length)) === beginning);

/**
 * Word and Excel files before 2007 use the same container format, whose directory can be anywhere in the
 * file.
 */
const isCompound = beginsWith('\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1');

/** A HEIF image: an `ftyp` box followed by a known brand. */
const isHeic: Test = (head) =>
  /^(heic|heix|heim|heis|hevc|hevx|hevm|hevs|mif1|msf1)$/.test(text(head.subarray(8, 12))) &&
  text(head.subarray(4, 8)) === 'ftyp';

/**
 * A zip that contains the parts of an Office document and no macros. Only the file names in the directory
 * at the end of the zip are read; nothing is unpacked.
 */
const isOffice =
  (folder: string): Test =>
  (head, tail) => {
    if (!beginsWith('PK\x03\x04')(head, tail)) return false;
    const names = listZipNames(tail);
    return (
      names.includes('[Content_Types].xml') &&
      names.some((name) => name.startsWith(folder)) &&
      !names.some((name) => /vbaproject\.bin$/i.test(name))
    );
  };

/** The file names in the part of the zip directory that `tail` contains. */
function listZipNames(tail: Uint8Array): string[] {
  const end = Buffer.from(tail);
  const names: string[] = [];
  for (let at = end.indexOf('PK\x01\x02'); at !== -1; at = end.indexOf('PK\x01\x02', at + 46)) {
    if (at + 46 > end.length) break;
    const length = end.readUInt16LE(at + 28);
    names.push(end.toString('latin1', at + 46, at + 46 + length));
  }
  return names;
}

/** Beginnings that a browser or viewer would interpret as another format than plain text. */
const MARKUP = /^\s*(<!doctype|<!--|<\?|<[a-z]|%pdf-|\{\\rtf)/i;
const CONTROL = /[\0-\x08\x0e-\x1a\x1c-\x1f]/; // oxlint-disable-line no-control-regex

/** Text in a common encoding: no markup at the beginning and no control characters. */
const isText: Test = (head, tail) => {
  if (beginsWith('\xff\xfe')(head, tail)) {
    const wide = Buffer.from(head).toString('utf16le', 2);
    return !MARKUP.test(wide) && !CONTROL.test(wide);
  }
  const beginning = text(head).replace(/^\xef\xbb\xbf/, '');
  return !MARKUP.test(beginning) && !CONTROL.test(beginning) && !CONTROL.test(text(tail));
};

const MATCHERS: Record<ContentType, Test> = {
  'application/pdf': beginsWith('%PDF-'),
  'image/png': beginsWith('\x89PNG\r\n\x1a\n'),
  'image/jpeg': beginsWith('\xff\xd8\xff'),
  'image/tiff': beginsWith('II*\0', 'MM\0*'),
  'image/heic': isHeic,
  'image/gif': beginsWith('GIF87a', 'GIF89a'),
  'text/plain': isText,
  'text/csv': isText,
  'application/msword': isCompound,
  'application/vnd.ms-excel': isCompound,
  [`${OFFICE_MIME_PREFIX}.wordprocessingml.document`]: isOffice('word/'),
  [`${OFFICE_MIME_PREFIX}.spreadsheetml.sheet`]: isOffice('xl/'),
};

/** Names for error messages. */
export const CONTENT_TYPE_NAMES: Record<ContentType, string> = {
  'application/pdf': 'a PDF',
  'image/png': 'a PNG picture',
  'image/jpeg': 'a JPEG picture',
  'image/tiff': 'a TIFF picture',
  'image/heic': 'a HEIC picture',
  'image/gif': 'a GIF picture',
  'text/plain': 'plain text',
  'text/csv': 'a table in plain text',
  'application/msword': 'a Word document from before 2007',
  'application/vnd.ms-excel': 'an Excel workbook from before 2007',
  [`${OFFICE_MIME_PREFIX}.wordprocessingml.document`]: 'a Word document without macros',
  [`${OFFICE_MIME_PREFIX}.spreadsheetml.sheet`]: 'an Excel workbook without macros',
};

/** Whether the bytes have the signature of the content type. */
export const matchesContentType = (type: ContentType, head: Uint8Array, tail: Uint8Array) =>
  MATCHERS[type](head, tail);

/** Other names by which phones and browsers declare a supported type. */
const TYPE_ALIASES = dictionary<ContentType>({
  'image/jpg': 'image/jpeg',
  'image/pjpeg': 'image/jpeg',
  'image/x-png': 'image/png',
  'image/tif': 'image/tiff',
  'image/heif': 'image/heic',
  'application/x-pdf': 'application/pdf',
  'application/csv': 'text/csv',
});

/** File extensions that distinguish types with the same signature. */
const FILE_EXTENSIONS: Partial<Record<ContentType, string>> = {
  'text/csv': '.csv',
  'application/msword': '.doc',
  'application/vnd.ms-excel': '.xls',
};

type UncheckedFile = {
  name: string;
  type: string;
  ends: () => { head: Uint8Array; tail: Uint8Array };
};

/**
 * Determines a file's type from its content. If the sender declares a type, the bytes must match it.
 * Otherwise the bytes and the file extension decide. Returns null for unsupported or mismatching content.
 */
export function detectContentType({ name, type, ends }: UncheckedFile): ContentType | null {
  const { head, tail } = ends();
  const possible = CONTENT_TYPES.filter((known) => matchesContentType(known, head, tail));
  const [first = ''] = type.toLowerCase().split(';');
  const declared = first.trim();
  if (declared !== '' && declared !== 'application/octet-stream')
    return possible.find((known) => known === (TYPE_ALIASES[declared] ?? declared)) ?? null;
  const ending = name.slice(name.lastIndexOf('.')).toLowerCase();
  return possible.find((known) => FILE_EXTENSIONS[known] === ending) ?? possible[0] ?? null;
}
