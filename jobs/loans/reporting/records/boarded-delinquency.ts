import { z } from 'zod';
import * as tasks from '../../../../sql/borrowers/tasks.ts';
import * as boarded from '../../../../sql/loans/boarding/boarding.ts';
import * as loans from '../../../../sql/loans/loans.ts';
import { date } from '../../../../sql/types.ts';
import { update } from '../../../../sql/write.ts';
import { Conflict, Invalid, NotFound } from '../../../errors.ts';
import type { Work } from '../../../work.ts';

const TITLE = 'Credit reporting: enter the date of first delinquency from the previous servicer';

type BoardedLoan = {
  first_delinquency_date: string;
  origination_date: string | null;
  charge_off_date: string | null;
};

/** Why the date cannot be the first delinquency of a boarded loan, or null. */
export function firstDelinquencyProblem(
  { today }: Pick<Work, 'today'>,
  { first_delinquency_date: first, origination_date, charge_off_date }: BoardedLoan,
): string | null {
  if (first > today) return 'Must not be after the business date.';
  if (origination_date !== null && first < origination_date)
    return 'Must not be before the origination date.';
  if (charge_off_date !== null && first > charge_off_date)
    return `Must not be after the charge-off on ${charge_off_date}.`;
  return null;
}

/**
 * Asks for the date of first delinquency of boarded loans whose delinquency began with the previous servicer.
 * They are not reported until it is known, because the date must not be assumed (15 USC 1681s-2(a)(5)).
 */
export const askForFirstDelinquency = ({ tx, today }: Work, loanIds: readonly string[]) =>
  tasks.openTasksForLoans(tx, loanIds, { title: TITLE, due_date: today });

export const FirstDelinquency = z.object({
  first_delinquency_date: date.describe(
    'The date that the previous servicer reported. Not before the origination and not after the charge-off.',
  ),
});

export const notBoarded = () =>
  new Conflict(
    'Only a loan that was boarded has a delinquency with a previous servicer.',
    'not_boarded',
  );

/** Records the date of first delinquency of a boarded loan. It counts from the next credit record on. */
export async function recordFirstDelinquency(
  work: Work,
  loanId: string,
  { first_delinquency_date }: z.output<typeof FirstDelinquency>,
) {
  if ((await loans.lockLoan(work.tx, loanId)) === null) throw new NotFound();
  const past = await boarded.findBoardedPast(work.tx, loanId);
  if (past === null) throw notBoarded();
  const problem = firstDelinquencyProblem(work, { ...past, first_delinquency_date });
  if (problem !== null) throw new Invalid({ first_delinquency_date: problem });
  await update(work.tx, 'loans', loanId, { boarded_delinquency_date: first_delinquency_date });
  await tasks.cancelTasks(work.tx, loanId, [TITLE]);
}
