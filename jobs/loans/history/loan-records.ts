import * as loans from '../../../sql/loans/loans.ts';
import * as records from '../../../sql/loans/records.ts';
import type { RecordTable } from '../../../sql/loans/records.ts';
import type { Row } from '../../../sql/table.ts';
import { update, type Values } from '../../../sql/write.ts';
import { Conflict } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { openLoan, type OpenLoan } from './open-loan.ts';
import { refusalDetails } from '../products/refusals.ts';

/** Shared functions for the records of a loan. */

/** Opens a loan to add a record. Throws if the loan is not in service. */
export async function openInService(
  work: Work,
  loanId: string,
  statuses: readonly string[] = ['active'],
): Promise<OpenLoan> {
  const loan = await openLoan(work, loanId);
  const { status } = loan.row;
  if (statuses.includes(status)) return loan;
  throw loanNotInService(loan.row, statuses);
}

/** The refusal of a loan whose status is none of these. */
export const loanNotInService = (
  loan: Parameters<typeof refusalDetails>[0],
  statuses: readonly string[] = ['active'],
) =>
  new Conflict(
    `The loan is ${statusWords(loan.status)}. This action requires a loan that is ${statuses.map(statusWords).join(' or ')}.`,
    'loan_not_active',
    refusalDetails(loan),
  );

const statusWords = (status: string) => status.replaceAll('_', ' ');

export const immutableConflict = (what: string, status: unknown) =>
  new Conflict(
    `A ${what} that is ${statusWords(String(status))} does not allow this action.`,
    'immutable',
    { current_status: status },
  );

type Kind = {
  table: RecordTable;
  /** The record's name in messages. */
  noun: string;
  /** The statuses in which a cancellation leaves no effects behind. */
  cancelable: readonly string[];
  cancel?: (work: Work, loanId: string, id: string) => Promise<unknown>;
};

/** Locks the record's loan, then the record, and returns the current record. */
export async function lockLoanAndRecord(work: Work, table: RecordTable, row: Row) {
  await loans.lockLoan(work.tx, String(row['loan_id']));
  return records.lockRecordRow(work.tx, table, row.id);
}

/**
 * Returns the PUT handler of a record. Descriptive fields can change, and the status can change to
 * `canceled` while the record has no effect. The declaration excludes financial fields.
 */
export const recordChanger =
  (kind: Kind) =>
  async (work: Work, id: string, changes: Values, row: Row): Promise<void> => {
    const { status, ...described } = changes;
    const current = await lockLoanAndRecord(work, kind.table, row);
    if (status !== undefined && status !== current.status) {
      if (status !== 'canceled') throw immutableConflict(kind.noun, current.status);
      await cancelRecord(work, kind, current);
    }
    await update(work.tx, kind.table, id, described);
  };

/** Returns the DELETE handler of a record. It cancels a record that has no effect yet. */
export const recordCanceler =
  (kind: Kind) =>
  async (work: Work, _id: string, row: Row): Promise<void> =>
    cancelRecord(work, kind, await lockLoanAndRecord(work, kind.table, row));

async function cancelRecord(
  work: Work,
  { table, noun, cancelable, cancel }: Kind,
  { id, loan_id, status }: Awaited<ReturnType<typeof lockLoanAndRecord>>,
) {
  if (!cancelable.includes(status)) throw immutableConflict(noun, status);
  await records.setRecordStatus(work.tx, table, id, 'canceled');
  await cancel?.(work, loan_id, id);
}

/** A record that has taken effect is reversed by another entry, never deleted. */
export const recordRefuser =
  (noun: string) =>
  (_work: Work, _id: string, row: Row): Promise<void> =>
    Promise.reject(immutableConflict(noun, row['status']));
