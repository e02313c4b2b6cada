import { Zip, ZipDeflate, ZipPassThrough } from 'fflate';

const COMPRESSED_NAMES = /\.(csv|json|xml|rels)$/;

/** One file of an archive. Compressed formats such as PDF are stored as they are. */
export type ZipEntry = { path: string; content: Uint8Array | AsyncIterable<Uint8Array> };

/**
 * Streams a zip of these files. Memory is limited to the chunks that have been read but not yet consumed.
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
    const file = COMPRESSED_NAMES.test(path) ? new ZipDeflate(path) : new ZipPassThrough(path);
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
