import type { OpenForbearance } from '../../../sql/loans/forbearances.ts';
import { money, parseMoney, ZERO } from '../../money.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import { dueDates, onePeriodAfter } from '../arithmetic/due-dates.ts';
import type { InstallmentState } from '../engine/state.ts';
import type { OpenLoan } from '../history/happen.ts';
import { lowered } from '../plans/relief-plans.ts';
import { reamortize, shiftPlan } from '../plans/replan.ts';
import { termsOf } from '../products/terms-of.ts';

/** The instalments of the forbearance's time that are not paid. */
const within = ({ state }: OpenLoan, { start_date, end_date }: OpenForbearance) =>
  state.installments.filter(
    ({ due_date, status }) =>
      status !== 'paid' && status !== 'canceled' && due_date >= start_date && due_date <= end_date,
  );

/**
 * What is billed meanwhile. A full forbearance bills as before and waits; the others bill less, and
 * the difference with the instalment after it where the loan is to be reinstated, else with the last.
 */
export function duringForbearance(loan: OpenLoan, forbearance: OpenForbearance): ScheduleRow[] {
  if (forbearance.forbearance_type === 'full') return [];
  const numbers = new Set(within(loan, forbearance).map(({ period_number }) => period_number));
  const ask = (row: InstallmentState) => {
    if (!numbers.has(row.period_number)) return null;
    return parseMoney(
      forbearance.forbearance_type === 'interest_only'
        ? row.interest_amount
        : (forbearance.reduced_payment_amount ?? row.payment_amount),
    );
  };
  const shortfall = forbearance.end_treatment === 'reinstatement' ? 'next' : 'last';
  return lowered(loan.state.installments, ask, shortfall);
}

type After = { schedule: ScheduleRow[]; owed: { due_date: string; amount: string }[] };
const AS_IT_IS: After = { schedule: [], owed: [] };

/** What becomes of the payments that were waited for, by the treatment agreed. */
export function afterForbearance(
  loan: OpenLoan,
  forbearance: OpenForbearance,
  today: string,
): After {
  const missed = within(loan, forbearance);
  const [first] = missed;
  const { state, row } = loan;
  const terms = termsOf(row);
  const frequency = terms.payment_frequency;
  const toCome = state.installments.filter(
    ({ due_date, status }) => due_date >= today && status !== 'paid',
  );
  const isLess = forbearance.forbearance_type !== 'full';
  if (
    forbearance.end_treatment === 're_amortize' ||
    (isLess && forbearance.end_treatment === 'extend_term')
  ) {
    const more = forbearance.end_treatment === 'extend_term' ? missedPeriods(loan, forbearance) : 0;
    const number_of_payments = Math.max(1, toCome.length + more);
    const change = { effective_date: today, from: 'oldest_unpaid', number_of_payments } as const;
    const interest_rate = state.current_rate;
    return { ...AS_IT_IS, schedule: reamortize(state, terms, { ...change, interest_rate }) };
  }
  if (first === undefined || isLess) return AS_IT_IS;
  if (forbearance.end_treatment === 'extend_term') {
    const shift = { from_number: first.period_number, frequency, periods: missed.length };
    const payment_day = terms.payment_day;
    const schedule = shiftPlan(state.installments, { ...shift, payment_day });
    return { ...AS_IT_IS, schedule };
  }
  if (forbearance.end_treatment === 'deferred_balance') {
    const numbers = new Set(missed.map(({ period_number }) => period_number));
    const ask = ({ period_number, paid_amount }: InstallmentState) =>
      numbers.has(period_number) ? parseMoney(paid_amount) : null;
    return { ...AS_IT_IS, schedule: lowered(state.installments, ask, 'last') };
  }
  if (forbearance.end_treatment !== 'repayment_plan') return AS_IT_IS;
  const { term_months, payment_day } = terms;
  const start = toCome[0]?.due_date ?? onePeriodAfter(frequency, today, term_months, payment_day);
  const dates = dueDates(frequency, start, missed.length, payment_day);
  const owed = missed.map((row, index) => ({
    due_date: dates[index] ?? start,
    amount: money(parseMoney(row.payment_amount).minus(row.paid_amount)),
  }));
  return { ...AS_IT_IS, owed: owed.filter(({ amount }) => parseMoney(amount).gt(ZERO)) };
}

const missedPeriods = ({ state }: OpenLoan, { start_date, end_date }: OpenForbearance) =>
  state.installments.filter(({ due_date }) => due_date >= start_date && due_date <= end_date)
    .length;
