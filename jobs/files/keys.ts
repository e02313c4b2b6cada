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
 * Where a document is stored: {tenant_slug}/{loan_id}/{document_type}/{filename}. The name is
 * made safe, since it came from a stranger; the other three are ours and must be so already.
 */
export function storageKey({ tenant_slug, loan_id, document_type, filename }: KeyParts): string {
  const folders = [tenant_slug, loan_id, document_type];
  if (!folders.every((folder) => SEGMENT.test(folder))) {
    throw new Error('A storage key is made of plain names.');
  }
  return [...folders, safeFilename(filename)].join('/');
}

/**
 * The last part of a path, in letters that every file system keeps: A-Z a-z 0-9 dot, underscore,
 * space and hyphen, at most 120. What the borrower called it stays in the database.
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
  const name = shortened(plain.slice(0, endOf(plain)));
  if (name === '') return 'document';
  return RESERVED.test(name) ? `_${name}` : name;
}

/** Where its last letter ends: a pattern would look for that from each dot anew. */
function endOf(name: string): number {
  let end = name.length;
  while (end > 0 && '. '.includes(name.charAt(end - 1))) end -= 1;
  return end;
}

/** Cut in the middle: the ending says what kind of file it is. */
function shortened(name: string): string {
  if (name.length <= NAME_CHARACTERS_MAX) return name;
  const ending = /\.[A-Za-z0-9]{1,8}$/.exec(name)?.[0] ?? '';
  return name.slice(0, NAME_CHARACTERS_MAX - ending.length) + ending;
}

const UPLOADS = 'uploads';

/**
 * Where the file of an announced document waits until it is confirmed: a folder of its own, beside
 * the loans'. Only this key is ever in a link for a put, so that no put reaches what was confirmed.
 */
export const uploadKey = (tenant_slug: string, documentId: string) =>
  storageKey({ tenant_slug, loan_id: UPLOADS, document_type: documentId, filename: 'file' });

/** The document whose file waits under this key; null for every other key. */
export function documentIdOfUploadKey(key: string): string | null {
  const [, folder, id = ''] = key.split('/');
  return folder === UPLOADS && isStorageKey(key) ? id : null;
}

/** Whether the key is one that storageKey could have made. */
export function isStorageKey(key: string): boolean {
  const parts = key.split('/');
  const filename = parts.pop() ?? '';
  return (
    parts.length === 3 &&
    parts.every((part) => SEGMENT.test(part)) &&
    safeFilename(filename) === filename
  );
}
