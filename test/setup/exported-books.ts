import type { BookRequest } from '../../jobs/books/exports/book-request.ts';
import { bookEntries } from '../../jobs/books/exports/write-book.ts';
import { zipped } from '../../jobs/files/zip.ts';
import type { FileTree } from '../../jobs/files/file-tree.ts';
import type { Stage, Tenant } from './world.ts';

const WHOLE: BookRequest = {
  scope: { portfolio_id: null, servicing_transfer_id: null },
  with_personal_numbers: true,
  with_internal_records: false,
};

/** The files of a tenant's book, by path. */
export const exportedFiles = (
  stage: Stage,
  tenant: Pick<Tenant, 'within'>,
  request: Partial<BookRequest> = {},
) =>
  tenant.within(async (work) => {
    const files = new Map<string, Buffer>();
    const keyed = { ...work, installation: stage.installation };
    for await (const { path, content } of bookEntries(keyed, stage.installation.files, {
      ...WHOLE,
      ...request,
    })) {
      const chunks = content instanceof Uint8Array ? [content] : content;
      files.set(path, Buffer.concat(await Array.fromAsync(chunks)));
    }
    return files;
  });

/** The exported book as a folder, for the reader of imports. */
export const asTree = (files: ReadonlyMap<string, Buffer>): FileTree => ({
  kind: 'folder',
  name: 'book',
  files: [...files].map(([path, bytes]) => ({
    path,
    size: bytes.length,
    stream: async function* () {
      yield await Promise.resolve(bytes);
    },
  })),
  [Symbol.asyncDispose]: () => Promise.resolve(),
});

/** The files as one zip. */
export async function zipOf(files: ReadonlyMap<string, Buffer>) {
  async function* entries() {
    for (const [path, content] of files) yield await Promise.resolve({ path, content });
  }
  return Buffer.concat(await Array.fromAsync(zipped(entries(), new Date(Date.UTC(2026, 0, 15)))));
}
