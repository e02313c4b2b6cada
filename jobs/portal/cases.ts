import { lockBorrower } from '../../sql/borrowers/primary-contacts.ts';
import { nextCaseNumber } from '../../sql/cases/cases.ts';
import { countOpenCases } from '../../sql/portal/cases.ts';
import { openCase, type CaseRequest } from '../cases/cases.ts';
import { Conflict } from '../errors.ts';
import type { Work } from '../work.ts';
import { assertOwnLoan } from './own-loans.ts';

/** Maximum open cases per borrower. */
const OPEN_MAX = 20;

/**
 * Opens a case for a borrower's request. In the same transaction, creates the answer task and, for a credit
 * dispute, the dispute task.
 */
export async function openBorrowerCase(work: Work, question: CaseRequest): Promise<string> {
  if (question.loan_id) await assertOwnLoan(work, question.borrower_id, question.loan_id);
  await lockBorrower(work.tx, question.borrower_id);
  if ((await countOpenCases(work.tx, question.borrower_id)) >= OPEN_MAX) throw tooManyCases();
  const number = await nextCaseNumber(work.tx, work.today.slice(0, 4));
  return openCase(work, number, { ...question, source: 'portal' });
}

export const tooManyCases = () =>
  new Conflict(`You have ${OPEN_MAX} open cases. Add a message to one of them.`, 'too_many_cases');
