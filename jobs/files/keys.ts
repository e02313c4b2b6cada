const SEGMENT = /^[a-z0-9][a-z0-9_-]{0,79}$/i;
const NAME_CHARACTERS_MAX = 120;
const RESERVED = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

export type KeyParts = {
  tenant_slug: string;
  loan_id: string;
  document_type: string;
  filename: string;
};

/**
 * The storage key of a document: {tenant_slug}/{loan_id}/{document_type}/{filename}. The filename is user
 * input and is sanitized. Throws if another part is not a plain name.
 */
export function storageKey({ tenant_slug, loan_id, document_type, filename }: KeyParts): string {
  const folders = [tenant_slug, loan_id, document_type];
  if (!folders.every((folder) => SEGMENT.test(folder))) {
    throw new Error('A storage key must consist of plain names.');
  }
  return [...folders, safeFilename(filename)].join('/');
}

/**
 * The last part of a path, limited to characters that every file system supports (A-Z a-z 0-9 dot,
 * underscore, space, hyphen) and to 120 characters. The original name stays in the database.
 */
export function safeFilename(filename: string): string {
  const last =
    filename
      .normalize('NFKC')
      .split(/[/\\]/)
      .findLast((part) => part !== '') ?? '';
  const plain = last
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[^A-Za-z0-9._ -]/g, '_')
    .replace(/\.{2,}/g, '.')
    .replace(/^[. ]+/, '');
  const name = shortenName(plain.slice(0, trimmedLength(plain)));
  if (name === '') return 'document';
  return RESERVED.test(name) ? `_${name}` : name;
}

/** The length without trailing dots and spaces. A regular expression would take quadratic time. */
function trimmedLength(name: string): number {
  let end = name.length;
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end -= 1;
  return end;
}

/** Keeps the file extension. */
function shortenName(name: string): string {
  if (name.length <= NAME_CHARACTERS_MAX) return name;
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  return name.slice(0, NAME_CHARACTERS_MAX - ending.length) + ending;
}

const UPLOADS = 'uploads';

/**
 * The key under which an announced document's file waits for confirmation, in a separate folder. Upload
 * links contain only such keys, so no upload can overwrite a confirmed file.
 */
export const uploadKey = (tenant_slug: string, documentId: string) =>
  storageKey({ tenant_slug, loan_id: UPLOADS, document_type: documentId, filename: 'file' });

/** The document of an upload key, or null for any other key. */
export function documentIdOfUploadKey(key: string): string | null {
  const [, folder, id = ''] = key.split('/');
  return folder === UPLOADS && isStorageKey(key) ? id : null;
}

/** Whether `storageKey` could have made this key. */
export function isStorageKey(key: string): boolean {
  const parts = key.split('/');
  const filename = parts.pop() ?? '';
  return (
    parts.length === 3 &&
    parts.every((part) => SEGMENT.test(part)) &&
    safeFilename(filename) === filename
  );
}
