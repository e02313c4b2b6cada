import type { FindingCode } from '../findings.ts';

/** What a rule finds in a row, before its place in the file is known. `column` is one of the book format. */
export type Issue = { column: string | null; code: FindingCode; reason: string };

export const contradiction = (column: string, reason: string): Issue => ({
  column,
  code: 'contradiction',
  reason,
});

export const missingValue = (column: string, reason: string): Issue => ({
  column,
  code: 'missing_value',
  reason,
});
