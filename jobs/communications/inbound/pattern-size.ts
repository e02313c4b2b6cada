/**
 * One part of a pattern: an escape, a character class, a group start, a repetition or a single character.
 */
const PART =
  /\\Q[^\\]{0,200}|\\[pPx]\{[^}]{0,50}\}|\\[pP]?[^]|\[\^?\]?(?:\\[^]|[^\]\\]){0,200}\]|\(\?(?:P?<\w{1,50}>|[A-Za-z-]{0,10}:?)|\{(\d{1,9})(?:,(\d{0,9}))?\}|[^]/gu;

/**
 * Estimates the size of a pattern with its repetitions expanded, without expanding them: `(a{9}){9}` is 81.
 * Nested repetitions multiply, so 20 characters can describe a million. Invalid patterns also get a size.
 */
export function expandedSize(pattern: string): number {
  /** For each open group, its size so far and the size of its last part, which a repetition multiplies. */
  const groups = [{ size: 0, last: 0 }];
  for (const [part, least, most] of pattern.matchAll(PART)) {
    const group = groups.at(-1) ?? { size: 0, last: 0 };
    if (part.startsWith('(')) {
      groups.push({ size: 0, last: 0 });
    } else if (part === ')') {
      const outer = groups.at(-2);
      if (outer === undefined) continue;
      groups.pop();
      addSize(outer, group.size);
    } else if (least !== undefined) {
      const times = Math.max(1, Number(least), Number(most ?? 0));
      group.size += group.last * (times - 1);
      group.last *= times;
    } else if (!/^[*+?|]$/.test(part)) {
      addSize(group, part.startsWith('\\Q') ? part.length : 1);
    }
  }
  return groups.reduce((total, { size }) => total + size, 0);
}

function addSize(group: { size: number; last: number }, size: number) {
  group.size += size;
  group.last = size;
}
