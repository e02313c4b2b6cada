import type { Agreed } from '../../../sql/loans/modifications.ts';
import { Conflict, Invalid } from '../../errors.ts';
import { parseMoney, ZERO } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { dueDates, numberOfPayments, onePeriodAfter } from '../arithmetic/due-dates.ts';
import type { LoanEvent } from '../engine/events.ts';
import { fold } from '../engine/fold.ts';
import type { LoanState } from '../engine/state.ts';
import { type OpenLoan } from '../history/happen.ts';
import { newEvent } from '../history/new-event.ts';
import { refusalOf } from '../history/statuses.ts';
import { changePaymentDay, reamortize } from '../plans/replan.ts';
import { termsOf } from '../products/terms-of.ts';

/** More rows than any loan has: a payment that needs them all does not repay the loan. */
const ROWS_MAX = 1200;

export type Change = Omit<Agreed, 'id' | 'status' | 'loan_id'>;

/**
 * What a modification means for the loan: the rate, what becomes principal, what is given up, and a
 * plan that repays what is then owed, on the terms that are left as they were.
 */
export function eventsOfChange(loan: OpenLoan, change: Change): LoanEvent[] {
  const { row, schedule } = loan;
  const on = change.effective_date;
  assertNotAccelerated(loan);
  const besides = [
    ...rateChange(change, on),
    ...capitalization(change, on),
    ...forgiveness(loan, change, on),
  ];
  const terms = termsOf(row);
  const trial = fold({ terms, schedule, events: [...loan.events, ...besides], as_of: on });
  if (parseMoney(trial.principal_balance).eq(0)) return besides;
  const plan = newPlan(loan, trial, change);
  return [...besides, newEvent({ kind: 'schedule_replaced', effective_date: on, schedule: plan })];
}

function assertNotAccelerated({ row, state }: OpenLoan) {
  if (!state.is_accelerated) return;
  const message = 'The whole balance is due: reverse the acceleration first.';
  throw new Conflict(message, 'loan_accelerated', refusalOf(row));
}

const rateChange = ({ new_interest_rate }: Change, effective_date: string): LoanEvent[] =>
  new_interest_rate === null
    ? []
    : [newEvent({ kind: 'rate_change', effective_date, interest_rate: new_interest_rate })];

const isCapitalized = (change: Change) => ({
  interest: change.capitalize_interest || change.interest_treatment === 'capitalize',
  fees: change.capitalize_fees || change.fee_treatment === 'capitalize',
});

function capitalization(change: Change, effective_date: string): LoanEvent[] {
  const { interest, fees } = isCapitalized(change);
  if (!interest && !fees) return [];
  const portions = { ...(interest && { interest: 'all' }), ...(fees && { fees: 'all' }) };
  return [newEvent({ kind: 'capitalization', effective_date, ...portions })];
}

function forgiveness(
  { row, state }: OpenLoan,
  change: Change,
  effective_date: string,
): LoanEvent[] {
  const principal = parseMoney(change.principal_forgiven);
  if (principal.gt(state.principal_balance)) {
    throw new Conflict('That is more than the principal.', 'exceeds_balance', {
      ...refusalOf(row),
      principal_balance: state.principal_balance,
    });
  }
  const portions = {
    ...(principal.gt(ZERO) && { principal: change.principal_forgiven }),
    ...(change.interest_treatment === 'waive' && { interest: 'all' }),
    ...(change.fee_treatment === 'waive' && { fees: 'all' }),
  };
  if (Object.keys(portions).length === 0) return [];
  return [newEvent({ kind: 'forgiveness', effective_date, ...portions })];
}

type Open = { remaining: number; first_number: number; first_due: string };

/** What the new plan takes the place of: the instalments to come, or all that is unpaid. */
function openPart(
  loan: OpenLoan,
  trial: LoanState,
  { modification_type, effective_date }: Change,
): Open {
  const terms = termsOf(loan.row);
  const unpaid = trial.installments.filter(({ status }) => status !== 'paid');
  const toCome = unpaid.filter(({ due_date }) => due_date >= effective_date);
  const replaced = modification_type === 're_age' ? unpaid : toCome;
  const { payment_frequency, term_months, payment_day } = terms;
  const next = onePeriodAfter(payment_frequency, effective_date, term_months, payment_day);
  return {
    remaining: Math.max(1, replaced.length),
    first_number: replaced[0]?.period_number ?? trial.installments.length + 1,
    first_due: toCome[0]?.due_date ?? next,
  };
}

function newPlan(loan: OpenLoan, trial: LoanState, change: Change): ScheduleRow[] {
  const terms = termsOf(loan.row);
  const { effective_date, new_payment_day, new_payment_amount } = change;
  const open = openPart(loan, trial, change);
  const first_due_date = firstDue(loan, trial, change, open);
  const number_of_payments = countOf(loan, change, open, first_due_date);
  if (isDayAlone(change)) {
    const frequency = terms.payment_frequency;
    const day = { from_number: open.first_number, frequency, payment_day: Number(new_payment_day) };
    return changePaymentDay(trial.installments, day);
  }
  const { interest } = isCapitalized(change);
  const plan = reamortize(trial, terms, {
    effective_date,
    first_due_date,
    number_of_payments,
    interest_rate: change.new_interest_rate ?? trial.current_rate,
    payment_amount: new_payment_amount,
    payment_day: new_payment_day ?? terms.payment_day,
    from: change.modification_type === 're_age' ? 'oldest_unpaid' : 'next',
    ...((interest || change.interest_treatment === 'waive') && { start_date: effective_date }),
  });
  if (plan.length >= ROWS_MAX)
    throw new Invalid({ new_payment_amount: 'Does not repay the loan.' });
  return plan;
}

const isDayAlone = (change: Change) =>
  change.modification_type === 'due_date_change' && change.new_payment_day !== null;

function firstDue(loan: OpenLoan, trial: LoanState, { new_payment_day }: Change, open: Open) {
  if (new_payment_day === null) return open.first_due;
  const frequency = termsOf(loan.row).payment_frequency;
  if (!['monthly', 'quarterly', 'semi_monthly'].includes(frequency))
    throw new Invalid({ new_payment_day: `A ${frequency} loan has no day of the month.` });
  const next = trial.installments.find(({ due_date }) => due_date >= open.first_due);
  if (next === undefined) return open.first_due;
  const day = { from_number: next.period_number, frequency, payment_day: new_payment_day };
  return changePaymentDay(trial.installments, day)[0]?.due_date ?? open.first_due;
}

/** How many instalments repay the rest; a payment alone says so itself. */
function countOf(loan: OpenLoan, change: Change, open: Open, first: string): number {
  const { payment_frequency, payment_day } = termsOf(loan.row);
  const { new_term_months, extend_months, new_maturity_date, new_payment_amount } = change;
  if (new_term_months !== null) {
    const count = numberOfPayments(payment_frequency, new_term_months) - open.first_number + 1;
    if (count < 1) throw new Invalid({ new_term_months: 'Is over already.' });
    return count;
  }
  if (extend_months !== null) {
    return open.remaining + numberOfPayments(payment_frequency, extend_months);
  }
  if (new_maturity_date !== null) {
    const day = change.new_payment_day ?? payment_day;
    const dates = dueDates(payment_frequency, first, ROWS_MAX - 1, day);
    const count = dates.filter((date) => date <= new_maturity_date).length;
    if (count < 1)
      throw new Invalid({ new_maturity_date: 'Must not be before the next due date.' });
    return count;
  }
  return new_payment_amount === null ? open.remaining : ROWS_MAX;
}
