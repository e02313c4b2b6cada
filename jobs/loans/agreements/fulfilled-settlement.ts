import type { Work } from '../../work.ts';
import { happen, type OpenLoan } from '../history/happen.ts';
import { newEvent } from '../history/new-event.ts';
import { reportForgiveness } from '../reporting/forms-1099c.ts';

/**
 * A settlement that is fulfilled closes the loan for less than was owed: the rest is forgiven, the
 * books take the loss, and the tax form is made where the law asks for one.
 */
export async function settle(work: Work, loan: OpenLoan) {
  const forgiven = newEvent({
    kind: 'forgiveness',
    effective_date: work.today,
    principal: 'all',
    interest: 'all',
    fees: 'all',
    settles: true,
  });
  await happen(work, loan, [forgiven], { becomes: 'settled', trigger: 'settlement' });
  await reportForgiveness(work, loan.row.id);
}
