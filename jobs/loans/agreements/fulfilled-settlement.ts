import type { Work } from '../../work.ts';
import { changeStatus } from '../history/changes.ts';
import { reportForgiveness } from '../reporting/forms-1099c.ts';
import { happen, newEvent, type OpenLoan } from '../history/happen.ts';

/**
 * A settlement that is fulfilled closes the loan for less than was owed: the rest is forgiven, the
 * books take the loss, and the tax form is made where the law asks for one.
 */
export async function settle(work: Work, loan: OpenLoan) {
  const { row } = loan;
  const all = { principal: 'all', interest: 'all', fees: 'all', settles: true };
  const forgiven = newEvent({ kind: 'forgiveness', effective_date: work.today, ...all });
  await happen(work, { ...loan, row: { ...row, status: 'settled' } }, [forgiven]);
  await changeStatus(work, row, 'settled', 'settlement');
  await reportForgiveness(work, row.id, 'F');
}
