import { z } from 'zod';
import * as decisions from '../../../sql/loans/origination/decisions.ts';
import * as loans from '../../../sql/loans/loans.ts';
import { prose, uuid } from '../../../sql/types.ts';
import { Invalid, NotFound } from '../../errors.ts';
import type { Work } from '../../work.ts';

export const Assignment = z.object({
  loan_officer_id: uuid
    .nullish()
    .describe(
      'The officer: an active user with the role `loan_officer` or a higher one. Null removes the officer.',
    ),
  user_id: uuid
    .nullish()
    .describe('The same as `loan_officer_id`, which comes first. Give one of them.'),
  notes: prose.nullish().describe('Kept in the history of the loan.'),
});

const SERVING_ROLES = ['loan_officer', 'admin', 'superadmin'];

/**
 * Assigns the loan to an officer, or removes its officer. The loan's history keeps the previous
 * assignments.
 */
export async function assignOfficer(
  { tx }: Work,
  loanId: string,
  { loan_officer_id, user_id }: z.output<typeof Assignment>,
) {
  const field = loan_officer_id === undefined ? 'user_id' : 'loan_officer_id';
  const officerId = { loan_officer_id, user_id }[field];
  if (officerId === undefined) throw new Invalid({ loan_officer_id: 'Is required.' });
  const loan = await loans.lockLoan(tx, loanId);
  if (loan === null) throw new NotFound();
  if (officerId !== null && !(await decisions.canServiceLoans(tx, officerId, SERVING_ROLES))) {
    throw new Invalid({ [field]: 'Must be an active user who may service loans.' });
  }
  await decisions.setOfficer(tx, loanId, officerId);
}
