import { FINDING_CODES, type Finding } from '../findings.ts';
import type { BookLine } from '../reading/book.ts';
import { createKeySet } from './key-set.ts';

type Line = Pick<BookLine<'loans'>, 'file' | 'line' | 'values' | 'labelOf'>;

/** Finds transactions that undo one that the history of their loan does not have, earlier or later in the file. */
export function createReversalCheck() {
  const known = createKeySet();
  const reversals: { key: string; file: string; line: number; column: string }[] = [];
  const keyOf = (loan: unknown, transaction: unknown) =>
    typeof loan === 'string' && typeof transaction === 'string'
      ? `${loan}\u001f${transaction}`
      : null;
  return {
    add({ file, line, values, labelOf }: Line) {
      const own = keyOf(values['loan_number'], values['transaction_id']);
      if (own !== null) known.add(own);
      const key = keyOf(values['loan_number'], values['reverses']);
      if (key !== null) reversals.push({ key, file, line, column: labelOf('reverses') });
    },
    end: (): Finding[] =>
      reversals
        .filter(({ key }) => !known.has(key))
        .map(({ key: _, ...place }) => ({
          ...place,
          code: 'unknown_reversal',
          severity: FINDING_CODES.unknown_reversal.severity,
          reason: 'The history of the loan has no such transaction. Add it, or correct the number.',
        })),
  };
}
