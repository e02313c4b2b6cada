/** The rows as lines with aligned columns. The first row is the heading. Columns are right-aligned, except the first `left` ones. */
export function textTable(rows: readonly (readonly string[])[], left = 1): string[] {
  const widths =
    rows[0]?.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0))) ?? [];
  return rows.map((row) =>
    row
      .map((cell, at) =>
        at < left ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0),
      )
      .join('  ')
      .trimEnd(),
  );
}

/** With a comma between thousands: 17,120.44. */
export function groupDigits(number: string): string {
  const [whole = '', decimals] = number.split('.');
  const sign = whole.startsWith('-') ? '-' : '';
  const digits = whole.slice(sign.length);
  const groups: string[] = [];
  for (let end = digits.length; end > 0; end -= 3)
    groups.unshift(digits.slice(Math.max(0, end - 3), end));
  return `${sign}${groups.join(',')}${decimals === undefined ? '' : `.${decimals}`}`;
}
