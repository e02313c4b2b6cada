import { Invalid } from '../../../errors.ts';
import { normalizeNumber } from '../../../borrowers/identifier.ts';
import { isLegal } from '../../../cases/rules/facts.ts';
import { assertMetadata } from '../../../collateral/metadata.ts';
import type { BookFileName, BookRow } from '../book-files.ts';
import { checkHistoryRow } from './history-checks.ts';
import { contradiction, missingValue, type Issue } from './issue.ts';
import { checkLoanRow } from './loan-checks.ts';

export type RowContext = { today: string; hasFile: (name: BookFileName) => boolean };

type RowCheck<Name extends BookFileName> = (row: BookRow<Name>, context: RowContext) => Issue[];

const onlyIf = (isWrong: boolean, issue: Issue): Issue[] => (isWrong ? [issue] : []);

/** Whether a date is present and before another one. */
const isBefore = (date: string | undefined, other: string | undefined) =>
  date !== undefined && other !== undefined && date < other;

/** The rules of one row. A file that is not listed has none beyond the kinds of its columns. */
const ROW_CHECKS: { [Name in BookFileName]?: RowCheck<Name> } = {
  borrowers: (row, { today }) => [
    ...onlyIf(
      isBefore(today, row.date_of_birth),
      contradiction('date_of_birth', 'Must not be in the future.'),
    ),
    ...onlyIf(
      row.ssn !== undefined &&
        row.ssn_last_four !== undefined &&
        !row.ssn.endsWith(row.ssn_last_four),
      contradiction('ssn_last_four', 'Must be the last four digits of the number in `ssn`.'),
    ),
  ],
  consents: (row) => [
    ...onlyIf(
      (row.revoked_at === undefined) !== (row.revocation_method === undefined),
      contradiction('revocation_method', 'Must be given together with `revoked_at`.'),
    ),
    ...onlyIf(
      isBefore(row.revoked_at, row.granted_at),
      contradiction('revoked_at', 'Must not be before it was granted.'),
    ),
    ...onlyIf(
      row.expires_at !== undefined && row.expires_at <= row.granted_at,
      contradiction('expires_at', 'Must be after it was granted.'),
    ),
  ],
  identities: (row) => [
    ...onlyIf(
      row.identifier === undefined && row.identifier_last_four === undefined,
      missingValue('identifier', 'Give the number, or its last four characters.'),
    ),
    ...(row.identifier === undefined ? [] : identifierIssues(row.identity_type, row.identifier)),
    ...onlyIf(
      isBefore(row.expiration_date, row.issue_date),
      contradiction('expiration_date', 'Must not be before `issue_date`.'),
    ),
  ],
  bank_accounts: (row) => {
    const isAccount = (row.instrument_type ?? 'bank_account') === 'bank_account';
    const lacks = (column: 'routing_number' | 'account_number' | 'account_type') =>
      onlyIf(
        isAccount && row.account_number_last_four === undefined && row[column] === undefined,
        missingValue(column, 'Is required for a bank account.'),
      );
    return [...lacks('routing_number'), ...lacks('account_number'), ...lacks('account_type')];
  },
  loans: checkLoanRow,
  co_borrowers: (row, { today }) =>
    onlyIf(
      isBefore(today, row.liable_from),
      contradiction('liable_from', 'Must not be in the future.'),
    ),
  autopay: (row) => [
    ...onlyIf(
      row.amount_type === 'fixed' && row.fixed_amount === undefined,
      missingValue('fixed_amount', 'Is required for the amount type `fixed`.'),
    ),
    ...onlyIf(
      row.amount_type === 'minimum_due_plus' && row.extra_amount === undefined,
      missingValue('extra_amount', 'Is required for the amount type `minimum_due_plus`.'),
    ),
    ...onlyIf(
      isBefore(row.end_date, row.start_date),
      contradiction('end_date', 'Must not be before `start_date`.'),
    ),
  ],
  collateral: (row) => [
    ...metadataIssues(row),
    ...onlyIf(
      row.possession_date !== undefined && row.possession === undefined,
      contradiction('possession_date', 'Needs `possession`, how you took the item.'),
    ),
  ],
  promises: (row) =>
    onlyIf(
      isBefore(row.promised_date, row.promised_on),
      contradiction('promised_date', 'Must not be before `promised_on`.'),
    ),
  notes: (row) =>
    onlyIf(
      row.loan_number === undefined && row.borrower_external_id === undefined,
      missingValue('borrower_external_id', 'Name a borrower or a loan.'),
    ),
  cases: (row) => [
    ...onlyIf(
      isLegal(row.case_type) && row.facts === undefined,
      missingValue('facts', `Is required for a case of the type ${row.case_type}.`),
    ),
    ...onlyIf(
      ['resolved', 'closed'].includes(row.status ?? 'open') && row.resolution === undefined,
      missingValue('resolution', 'Is required for a case that is resolved or closed.'),
    ),
  ],
  history: checkHistoryRow,
  events: (row, { today }) =>
    (['recorded_on', 'effective_date'] as const).flatMap((column) =>
      onlyIf(row[column] > today, contradiction(column, 'Must not be after the business date.')),
    ),
  documents: (row) => [
    ...onlyIf(
      row.loan_number === undefined && row.borrower_external_id === undefined,
      missingValue('loan_number', 'Name a loan or a borrower.'),
    ),
  ],
};

/** The mistakes of one row, beyond the kinds of its columns. */
export function checkRow<Name extends BookFileName>(
  name: Name,
  row: BookRow<Name>,
  context: RowContext,
): Issue[] {
  return ROW_CHECKS[name]?.(row, context) ?? [];
}

function identifierIssues(type: BookRow<'identities'>['identity_type'], identifier: string) {
  try {
    normalizeNumber(type, identifier);
    return [];
  } catch (error) {
    return invalidIssues(error, () => 'identifier');
  }
}

function metadataIssues({ collateral_type, metadata }: BookRow<'collateral'>): Issue[] {
  if (metadata === undefined) return [];
  try {
    assertMetadata(collateral_type, metadata);
    return [];
  } catch (error) {
    return invalidIssues(error, () => 'metadata');
  }
}

function invalidIssues(error: unknown, columnOf: (field: string) => string): Issue[] {
  if (!(error instanceof Invalid)) throw error;
  return Object.entries(error.errors).map(([field, reason]) => ({
    column: columnOf(field),
    code: 'invalid_value',
    reason: field.includes('.') ? `${field}: ${reason}` : reason,
  }));
}
