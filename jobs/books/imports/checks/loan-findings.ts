import type { Invalid } from '../../../errors.ts';
import type { Terms } from '../../../loans/arithmetic/terms.ts';
import { warnAboutLoan } from '../../format/checks/loan-warnings.ts';
import { applySwitches, type WarningSwitches } from '../../format/findings.ts';
import type { Issue } from '../../format/checks/issue.ts';
import type { BookFinding } from '../finding.ts';
import { placeOfField, type PlacedLoan, type RowPlace } from './history-places.ts';

/** What is wrong with a loan, in its line or in those of its transactions. */
export const refusalsOf = (
  { errors }: Invalid,
  loan: RowPlace,
  transactions: readonly RowPlace[] = [],
): BookFinding[] =>
  Object.entries(errors).map(([field, reason]) => ({
    ...placeOfField(field, loan, transactions),
    code: 'refused',
    severity: 'error',
    reason,
  }));

/** The warning as the import wishes it. Empty if it is accepted. */
export function toWarning(
  { source: file, line, labelOf }: RowPlace,
  { column, code, reason }: Issue,
  switches: WarningSwitches,
): BookFinding[] {
  const place = { file, line, column: column === null ? null : labelOf(column) };
  const kept = applySwitches({ ...place, code, reason, severity: 'warning' }, switches);
  return kept === null ? [] : [kept];
}

type Circumstances = { terms: Terms; today: string; switches: WarningSwitches };

/** Doubts about a loan whose future follows from its line, and not from the events of an export. */
export function warningsOf(loan: PlacedLoan, { switches, ...place }: Circumstances): BookFinding[] {
  const { row } = loan;
  const isLeftOut = Number(row.suspense_balance ?? 0) > 0 && row.history_from === undefined;
  const issues = [...(isLeftOut ? [SUSPENSE] : []), ...warnAboutLoan(row, place)];
  return issues.flatMap((issue) => toWarning(loan, issue, switches));
}

const SUSPENSE: Issue = {
  column: 'suspense_balance',
  code: 'suspense_left_out',
  reason:
    'Money in suspense is boarded with a replayed history only. Record it as a payment after the loan is boarded.',
};
