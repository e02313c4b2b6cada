import { Invalid } from '../errors.ts';
import { money, parseMoney, ZERO } from '../money.ts';
import type { Work } from '../work.ts';
import { fold } from './fold.ts';
import { readLoan } from './happen.ts';
import { termsOf } from './terms-of.ts';

/** What a loan owes on a day, today unless another is named; a past day as it is known now. */
export async function balancesOf(work: Work, loanId: string, asOf: string = work.today) {
  if (asOf > work.today)
    throw new Invalid({ as_of_date: 'Must not be in the future: ask for the projection.' });
  const { row, schedule, events } = await readLoan(work, loanId);
  const state = fold({ terms: termsOf(row), schedule, events, as_of: asOf });
  const payoff = parseMoney(state.total_balance).minus(state.suspense_balance);
  return {
    as_of_date: asOf,
    principal_balance: state.principal_balance,
    accrued_interest: state.accrued_interest,
    outstanding_fees: state.outstanding_fees,
    total_balance: state.total_balance,
    next_payment_amount: state.next_payment_amount,
    next_payment_date: state.next_payment_date,
    payoff_amount: money(payoff.gt(0) ? payoff : ZERO),
    past_due_amount: state.past_due_amount,
    days_past_due: state.days_past_due,
  };
}

/** The current schedule, with what is paid of each instalment as of today. */
export async function scheduleOf(work: Work, loanId: string) {
  const { state } = await readLoan(work, loanId);
  return state.installments;
}
