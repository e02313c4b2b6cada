/**
 * Makes a PDF depend only on its document. Chromium adds the time of printing, and numbers tagged parts
 * continuously across documents. This replaces both in place at the same length, so that no offset in the
 * file changes. The same page on the same date gives the same bytes.
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
  // The PDF's name tree is sorted. The new names keep this order.
  const ranks = new Map(
    [...new Set(names.map(([name]) => name))].toSorted().map((name, rank) => [name, rank + 1]),
  );
  for (const { 0: name, index } of names)
    file.write(String(ranks.get(name)).padStart(8, '0'), index, 'latin1');
}
