import { FINDING_CODES, type Finding } from '../findings.ts';
import type { BookLine } from '../reading/book.ts';
import type { RepeatedKeys } from './repeated-keys.ts';

type Line = Pick<BookLine<'loans'>, 'file' | 'line' | 'values' | 'labelOf'>;

/** Finds transactions that undo one that the history of their loan does not have, earlier or later in the file. */
export function createReversalCheck(keys: Pick<RepeatedKeys, 'has'>) {
  const reversals: {
    loan: string;
    reverses: string;
    file: string;
    line: number;
    column: string;
  }[] = [];
  return {
    add({ file, line, values, labelOf }: Line) {
      const { loan_number: loan, reverses } = values;
      if (typeof loan === 'string' && typeof reverses === 'string')
        reversals.push({ loan, reverses, file, line, column: labelOf('reverses') });
    },
    end: (): Finding[] =>
      reversals
        .filter(({ loan, reverses }) => !keys.has(loan, reverses))
        .map(({ file, line, column }) => ({
          file,
          line,
          column,
          code: 'unknown_reversal',
          severity: FINDING_CODES.unknown_reversal.severity,
          reason: 'The history of the loan has no such transaction. Add it, or correct the number.',
        })),
  };
}
