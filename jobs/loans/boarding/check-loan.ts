import type { Work } from '../../work.ts';
import type { Terms } from '../arithmetic/terms.ts';
import { validateTerms, type LoanParents, type NewLoan } from '../origination/create.ts';
import { readTerms, type TermsSource } from '../products/loan-terms.ts';
import { boardedSchedule, originalSchedule } from '../schedule/boarded-schedule.ts';
import { interestSincePaid } from './boarded-interest.ts';
import type { Boarding } from './boarding-input.ts';
import { assertRepays, checkBoarding } from './check-boarding.ts';
import { paidThroughDate } from './paid-through.ts';
import { toNewLoan } from './to-new-loan.ts';

const NOTHING = { principal: '0.00', interest: '0.00', fees: '0.00', charged_off: '0.00' };

/** The terms that the loan will have. Throws `Invalid` if its product does not allow it. */
export const termsFor = (input: Boarding, parents: LoanParents): Terms =>
  readTerms(validateTerms(toNewLoan(input), parents) as NewLoan & TermsSource);

/**
 * Checks what `boardLoan` checks about a loan without a replayed history. Reads and writes nothing, so the borrower may not
 * exist yet. Returns what the loan will owe. Throws `Invalid`.
 */
export function checkLoan(work: Pick<Work, 'today'>, input: Boarding, parents: LoanParents) {
  checkBoarding(work, input);
  const terms = termsFor(input, parents);
  const { status, current_principal_balance, principal_amount } = input;
  const balance = current_principal_balance ?? principal_amount;
  if (status === 'charged_off')
    return { ...NOTHING, charged_off: input.charge_off_amount ?? balance };
  if (status !== 'active') return NOTHING;
  const place = { balance, today: work.today };
  const paid = { ...input, paid_through_date: paidThroughDate(input, terms) };
  const schedule = boardedSchedule(terms, paid, originalSchedule(terms, input), place);
  assertRepays(terms, paid, schedule, place);
  const interest = input.accrued_interest ?? interestSincePaid(terms, paid, schedule, place);
  return { ...NOTHING, principal: balance, interest, fees: input.outstanding_fees ?? '0.00' };
}
