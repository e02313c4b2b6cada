const TOTALS =
  /^(?:grand |sub-?|report |overall )?(?:totals?|sums?|count|records?|trailer|end of (?:file|report|data))\b/i;

/**
 * Whether the record looks like the totals that some exports write below their records: it begins with such a word, and
 * less than half of its columns are filled.
 */
export function isTotalsLine(fields: readonly string[], columns: number): boolean {
  const first = fields.find((field) => field.trim() !== '')?.trim() ?? '';
  if (first.length > 100) return false;
  const filled = fields.filter((field) => field.trim() !== '').length;
  return TOTALS.test(first) && filled * 2 < columns;
}
