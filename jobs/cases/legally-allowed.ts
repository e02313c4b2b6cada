import { readLegalConditions } from '../../sql/loans/legal-conditions.ts';
import { Conflict } from '../errors.ts';
import type { Work } from '../work.ts';
import { allows } from './rules/loan-effects.ts';

type Checked = Parameters<typeof allows>[1];

/** Whether the legal conditions of a loan allow something today. */
export const isLegallyAllowed = async ({ tx, today }: Work, loanId: string, what: Checked) =>
  allows(await readLegalConditions(tx, loanId), what, today);

/** Throws Conflict if a legal condition of the loan forbids it today. Does not name the condition. */
export async function assertLegallyAllowed(work: Work, loanId: string, what: Checked) {
  if (await isLegallyAllowed(work, loanId, what)) return;
  throw legallyForbidden();
}

export const legallyForbidden = () =>
  new Conflict(
    'A legal condition of a person who owes the loan does not allow this. See the cases of the borrowers.',
    'legal_condition',
  );
