import * as loans from '../../../sql/loans/loans.ts';
import * as records from '../../../sql/loans/records.ts';
import type { RecordTable } from '../../../sql/loans/records.ts';
import type { Row } from '../../../sql/table.ts';
import { update, type Values } from '../../../sql/write.ts';
import { Conflict } from '../../errors.ts';
import type { Work } from '../../work.ts';
import { openLoan, type OpenLoan } from './record-events.ts';
import { refusalDetails } from './statuses.ts';

/** What the records beneath a loan have in common. */

/** Opens a loan that a record is to be added to; only a loan in service takes one. */
export async function openInService(
  work: Work,
  loanId: string,
  statuses: readonly string[] = ['active'],
): Promise<OpenLoan> {
  const loan = await openLoan(work, loanId);
  const { status } = loan.row;
  if (statuses.includes(status)) return loan;
  throw new Conflict(
    `The loan is ${status.replaceAll('_', ' ')}.`,
    'loan_not_active',
    refusalDetails(loan.row),
  );
}

export const immutableConflict = (what: string, status: unknown) =>
  new Conflict(
    `A ${what} that is ${String(status).replaceAll('_', ' ')} does not allow this action.`,
    'immutable',
    { current_status: status },
  );

type Kind = {
  table: RecordTable;
  /** What people call it. */
  noun: string;
  /** The states in which it has had no effect that a cancellation would leave behind. */
  cancelable: readonly string[];
  cancel?: (work: Work, id: string) => Promise<unknown>;
};

/** Locks the loan of a record and then the record, and answers it as it is now. */
export async function lockRecord(work: Work, table: RecordTable, row: Row) {
  await loans.lock(work.tx, String(row['loan_id']));
  return records.lock(work.tx, table, row.id);
}

/**
 * The PUT of such a record: what describes it may change, and its status only to `canceled`, while
 * it has no effect. What is financial is not among the changes (it is fixed in the declaration).
 */
export const recordChanger =
  (kind: Kind) =>
  async (work: Work, id: string, changes: Values, row: Row): Promise<void> => {
    const { status, ...described } = changes;
    const current = await lockRecord(work, kind.table, row);
    if (status !== undefined && status !== current.status) {
      if (status !== 'canceled') throw immutableConflict(kind.noun, current.status);
      await cancelRecord(work, kind, current);
    }
    await update(work.tx, kind.table, id, described);
  };

/** The DELETE of such a record cancels it, while it has no effect. */
export const recordCanceler =
  (kind: Kind) =>
  async (work: Work, _id: string, row: Row): Promise<void> =>
    cancelRecord(work, kind, await lockRecord(work, kind.table, row));

async function cancelRecord(
  work: Work,
  { table, noun, cancelable, cancel }: Kind,
  { id, status }: Awaited<ReturnType<typeof lockRecord>>,
) {
  if (!cancelable.includes(status)) throw immutableConflict(noun, status);
  await records.setStatus(work.tx, table, id, 'canceled');
  await cancel?.(work, id);
}

/** What has had its effect is undone by an entry of its own, never deleted. */
export const recordRefuser =
  (noun: string) =>
  (_work: Work, _id: string, row: Row): Promise<void> =>
    Promise.reject(immutableConflict(noun, row['status']));
