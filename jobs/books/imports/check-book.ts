import type { StatusTotals } from '../../../sql/books/imports.ts';
import type { Within } from '../../work.ts';
import { readBook, type BookSource, type LoanRow } from './book-rows.ts';
import { checkLoans } from './check-loans.ts';
import { startTotals } from './control-totals.ts';
import type { BookFinding } from './finding.ts';
import type { ImportOptions } from './import-options.ts';

/** Loans that share the statements of a check. */
const BATCH = 1_000;

export type CheckedBook = {
  /** The business date of the check. */
  business_date: string;
  totals: StatusTotals[];
  /** Counted in full, also if not all findings were kept. */
  error_count: number;
  warning_count: number;
  loans_total: number;
  rows_total: number;
};

export type CheckHooks = {
  /** Receives the findings in parts. */
  onFindings: (findings: readonly BookFinding[]) => Promise<void>;
  onProgress?: (loans: number) => Promise<void> | void;
};

/**
 * Checks a book: its form, its rows against each other, and its loans against the tenant. Writes nothing. If the
 * business date moves in the meantime, the check is done again by the caller.
 */
export async function checkBook(
  within: Within,
  tenantId: string,
  source: BookSource,
  options: ImportOptions,
  { onFindings, onProgress }: CheckHooks,
): Promise<CheckedBook> {
  const totals = startTotals();
  const counts = { error: 0, warning: 0 };
  let [loans_total, rows_total, business_date] = [0, 0, ''];
  const report = async (findings: readonly BookFinding[]) => {
    for (const { severity } of findings) counts[severity] += 1;
    if (findings.length > 0) await onFindings(findings);
  };
  const check = async (rows: readonly LoanRow[]) => {
    const { today, findings, figures } = await within(
      tenantId,
      async (work) => ({ today: work.today, ...(await checkLoans(work, rows, options)) }),
      { readOnly: true },
    );
    business_date ||= today;
    for (const loan of figures) totals.add(loan);
    await report(findings);
    await onProgress?.(loans_total);
  };
  let waiting: LoanRow[] = [];
  let found: BookFinding[] = [];
  for await (const item of readBook(source)) {
    if ('finding' in item) found.push(item.finding);
    else {
      rows_total += 1;
      if (item.row.file === 'loans') {
        loans_total += 1;
        waiting.push(item.row.values as LoanRow);
      }
    }
    if (found.length >= BATCH) await report(found.splice(0));
    if (waiting.length >= BATCH) await check(waiting.splice(0));
  }
  await report(found);
  await check(waiting);
  return {
    business_date,
    totals: totals.read(),
    error_count: counts.error,
    warning_count: counts.warning,
    loans_total,
    rows_total,
  };
}
