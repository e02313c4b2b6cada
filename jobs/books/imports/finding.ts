import type { StoredFinding } from '../../../sql/books/imports.ts';
import type { Finding } from '../format/findings.ts';

/** A mistake in a line of a book, by itself or compared with the records here. It never contains a personal number or a name. */
export type BookFinding = Omit<Finding, 'code'> & { code: string };

/** Findings that are stored for an import. All are counted. */
export const FINDINGS_MAX = 10_000;

/** The findings in the form of their table, as far as they are stored. `last`: the position of the last stored one. */
export const storable = (findings: readonly BookFinding[], last = 0): StoredFinding[] =>
  findings.slice(0, Math.max(0, FINDINGS_MAX - last)).map(({ column, ...finding }, index) => ({
    ...finding,
    column_name: column,
    position: last + index + 1,
  }));
