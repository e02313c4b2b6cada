import { createHash } from 'node:crypto';
import { PDFDocument } from '@cantoo/pdf-lib';
import type { LetterFile } from '../../sql/mailing/files.ts';
import type { Files } from '../files/files.ts';

/**
 * Merges the letters in this order. The same letters produce the same bytes. Only one letter is in memory
 * in addition to the result. Throws, naming the letter, if its file is not the printed one.
 */
export async function mergedPdf(files: Files, parts: readonly LetterFile[]): Promise<Uint8Array> {
  const merged = await PDFDocument.create({ updateMetadata: false });
  for (const part of parts) {
    const letter = await PDFDocument.load(await openLetterPdf(files, part), {
      updateMetadata: false,
    });
    const indices = letter.getPageIndices();
    if (indices.length !== part.page_count)
      throw new Error(
        `The letter ${part.letter_id} has ${indices.length} pages, which is not what was printed.`,
      );
    for (const page of await merged.copyPages(letter, indices)) merged.addPage(page);
  }
  return merged.save({ addDefaultPage: false });
}

async function openLetterPdf(files: Files, { letter_id, storage_key, sha256_hash }: LetterFile) {
  const bytes = await files.get(storage_key);
  if (bytes === null)
    throw new Error(`The file of the letter ${letter_id} is missing from the document store.`);
  if (createHash('sha256').update(bytes).digest('hex') !== sha256_hash)
    throw new Error(`The file of the letter ${letter_id} differs from the printed one.`);
  return bytes;
}
