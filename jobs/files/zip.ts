import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';

const PACKED = /\.(json|xml|rels)$/;

/** One file of an archive. What is packed already, such as a PDF, is not packed again. */
export type ZipEntry = { path: string; content: Uint8Array | AsyncIterable<Uint8Array> };

/**
 * The bytes of a zip with these files, made as they are read: no more of it is in memory than what has
 * been read of one file and not yet been taken.
 */
export async function* zipped(
  entries: AsyncIterable<ZipEntry>,
  written: Date,
): AsyncGenerator<Uint8Array> {
  let ready: Uint8Array[] = [];
  let problem: Error | null = null;
  const zip = new Zip((error, bytes) => {
    if (error) problem = error;
    else ready.push(bytes);
  });
  function* taken() {
    if (problem) throw problem;
    yield* ready;
    ready = [];
  }
  for await (const { path, content } of entries) {
    const file = PACKED.test(path) ? new ZipDeflate(path) : new ZipPassThrough(path);
    file.mtime = written;
    zip.add(file);
    const chunks = content instanceof Uint8Array ? [content] : content;
    for await (const chunk of chunks) {
      file.push(chunk);
      yield* taken();
    }
    file.push(new Uint8Array(0), true);
    yield* taken();
  }
  zip.end();
  yield* taken();
}
