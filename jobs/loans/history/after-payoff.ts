import { openFor } from '../../../sql/borrowers/tasks.ts';
import { loans, type RawLoan } from '../../../sql/loans/loans.ts';
import { find } from '../../../sql/table.ts';
import { insert } from '../../../sql/write.ts';
import { parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import type { LoanState } from '../engine/state.ts';

type Paid = Pick<RawLoan, 'id' | 'loan_number' | 'borrower_id'>;

/** What a paid-off loan leaves to people: money that is the borrower's, and liens that secure nothing more. */
export async function afterPayoff(work: Work, loan: Paid, state: LoanState) {
  await remindOfRefund(work, loan, state);
  // Whoever holds a lien on the collateral of a loan that is paid gives it up.
  if ((await find(work.tx, loans, loan.id))?.['is_secured'] === true)
    await remind(work, loan, { title: `Release the liens of ${loan.loan_number}` });
}

/** Somebody has to send back what a paid-off loan has no use for. */
export async function remindOfRefund(work: Work, loan: Paid, { suspense_balance }: LoanState) {
  if (parseMoney(suspense_balance).eq(0)) return;
  const description = `${suspense_balance} is held for the borrower of the paid-off loan.`;
  await remind(work, loan, { title: `Refund what is held for ${loan.loan_number}`, description });
}

/** What a sale brought above the debt is the borrower's, and is paid out of Refunds Payable. */
export const remindOfSurplus = (work: Work, loan: Paid, surplus: string) =>
  remind(work, loan, {
    title: surplusTask(loan),
    description: `${surplus} of the sale of the collateral is the borrower's.`,
  });

export const surplusTask = ({ loan_number }: Pick<Paid, 'loan_number'>) =>
  `Pay out the surplus of ${loan_number}`;

async function remind(
  { tx, today }: Work,
  { id, borrower_id }: Paid,
  task: { title: string; description?: string },
) {
  if ((await openFor(tx, id, task.title)) !== null) return;
  const about = { borrower_id, loan_id: id, related_type: 'loan', related_id: id };
  await insert(tx, 'tasks', {
    ...task,
    ...about,
    task_type: 'other',
    due_date: today,
    source: 'system',
  });
}
