/**
 * Chromium says in a PDF when it was printed, and numbers the parts of a tagged one on from the last that
 * it printed. Both are made the document's own, in place and of the same length, so that no offset in the
 * file moves: the same page of the same day is the same file.
 */
export function makePdfDeterministic(bytes: Uint8Array, dated: string | undefined) {
  const file = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = file.toString('latin1');
  if (dated) {
    const day = dated.replaceAll('-', '');
    for (const { index } of text.matchAll(/(?<=\/(?:CreationDate|ModDate) \(D:)\d{14}/g))
      file.write(`${day}000000`, index, 'latin1');
  }
  const names = [...text.matchAll(/(?<=\(node)\d{8}(?=\))/g)];
  // The tree of names is in their order, which the new ones keep.
  const ranks = new Map(
    [...new Set(names.map(([name]) => name))].toSorted().map((name, rank) => [name, rank + 1]),
  );
  for (const { 0: name, index } of names)
    file.write(String(ranks.get(name)).padStart(8, '0'), index, 'latin1');
}
