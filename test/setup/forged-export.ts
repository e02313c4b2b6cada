import { createHash } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { readEntryContent, readEntries, writeArchive } from '../../workers/moving/archive.ts';
import { rowsEntryName, MANIFEST_ENTRY, type Manifest } from '../../workers/moving/manifest.ts';

/** The export with some text replaced by other text of the same length, and with matching hashes. */
export async function forgeExport(file: string, from: string, to: string): Promise<string> {
  const target = `${file}.forged`;
  await rm(target, { force: true });
  await using source = await open(file, 'r');
  const texts = new Map<string, string>();
  for await (const entry of readEntries(source)) {
    const pieces: Buffer[] = [];
    for await (const piece of readEntryContent(source, entry)) pieces.push(piece);
    texts.set(entry.name, Buffer.concat(pieces).toString('latin1').replaceAll(from, to));
  }
  const { [MANIFEST_ENTRY]: last = '', ...entries } = Object.fromEntries(texts);
  const manifest = JSON.parse(last) as Manifest;
  const archive = await writeArchive(target);
  manifest.entries = [];
  for (const [name, text] of Object.entries(entries)) {
    const bytes = Buffer.from(text, 'latin1');
    manifest.entries.push(await archive.add(name, bytes.length, [bytes]));
  }
  for (const table of manifest.tables) {
    const hash = createHash('sha256');
    for (let batch = 1; ; batch += 1) {
      const text = entries[rowsEntryName(table.name, batch)];
      if (text === undefined) break;
      hash.update(text, 'latin1');
    }
    table.sha256 = hash.digest('hex');
  }
  const bytes = Buffer.from(JSON.stringify(manifest));
  await archive.add(MANIFEST_ENTRY, bytes.length, [bytes]);
  await archive.finish();
  await archive.close();
  return target;
}
