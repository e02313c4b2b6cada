import type { BookFileName, BookRow } from '../book-files.ts';
import { contradiction, missingValue, type Issue } from './issue.ts';

type LoanRow = BookRow<'loans'>;

const CHARGED_OFF_COLUMNS = [
  ...(['charge_off_date', 'charge_off_amount', 'charge_off_reason', 'recovered_amount'] as const),
];
const SHORT_COLUMNS = ['borrower_first_name', 'borrower_last_name', 'borrower_ssn'] as const;

/**
 * The rules of one loan that follow from its row alone. Boarding has further rules, which need the product and the
 * business date (jobs/loans/boarding/check-boarding.ts).
 */
export function checkLoanRow(
  row: LoanRow,
  { hasFile }: { hasFile: (name: BookFileName) => boolean },
): Issue[] {
  const issues: Issue[] = [];
  const { status, current_principal_balance: balance } = row;
  const owes = balance !== '0.00';
  if (status === 'paid_off' && owes)
    issues.push(
      contradiction(
        'current_principal_balance',
        'Must be zero for a loan that is paid off. Correct the balance or the status.',
      ),
    );
  if (status === 'active' && !owes && row.history_from === undefined)
    issues.push(
      contradiction(
        'current_principal_balance',
        'Must be more than zero for an active loan. If it is repaid, its status is paid_off.',
      ),
    );
  for (const column of CHARGED_OFF_COLUMNS)
    if (status !== 'charged_off' && row[column] !== undefined && row[column] !== '0.00')
      issues.push(
        contradiction(
          column,
          'Only a loan with the status charged_off has it. Empty the field, or correct the status.',
        ),
      );
  const { paid_through_date, next_due_date } = row;
  if (paid_through_date && next_due_date && paid_through_date >= next_due_date)
    issues.push(contradiction('next_due_date', 'Must be after `paid_through_date`.'));
  const counts = [row.times_delinquent_30, row.times_delinquent_60, row.times_delinquent_90];
  const [thirty = 0, sixty = 0, ninety = 0] = counts;
  if (sixty > thirty || ninety > sixty)
    issues.push(
      contradiction(
        ninety > sixty ? 'times_delinquent_90' : 'times_delinquent_60',
        'Must not increase with the days: a loan that was 60 days past due was also 30 days past due.',
      ),
    );
  if (hasFile('borrowers'))
    for (const column of SHORT_COLUMNS)
      if (row[column] !== undefined)
        issues.push(contradiction(column, 'Move it to borrowers.csv, which the book has.'));
  issues.push(...historyIssues(row, hasFile));
  return issues;
}

function historyIssues(row: LoanRow, hasFile: (name: BookFileName) => boolean): Issue[] {
  const { history_from: from, origination_date, history_opening_principal: opening } = row;
  if (from === undefined)
    return opening === undefined
      ? []
      : [contradiction('history_opening_principal', 'Is only used with `history_from`.')];
  if (!hasFile('history') && !hasFile('events'))
    return [
      contradiction(
        'history_from',
        'The book has no history.csv. Add the file, or leave this field empty.',
      ),
    ];
  if (from < origination_date)
    return [contradiction('history_from', 'Must not be before the origination date.')];
  if (from > origination_date && opening === undefined)
    return [
      missingValue(
        'history_opening_principal',
        'Is required, because the history begins after the origination.',
      ),
    ];
  return [];
}
