import { addDays } from '../../dates.ts';
import { buildSchedule, type ScheduleRow } from '../../loans/arithmetic/amortize.ts';
import type { Terms } from '../../loans/arithmetic/terms.ts';
import type { EventOf, LoanEvent } from '../../loans/engine/events.ts';
import {
  boardedSchedule,
  originalSchedule,
  type BoardedLoan,
} from '../../loans/schedule/boarded-schedule.ts';
import { stepsOfOrder, type Conventions } from './conventions.ts';
import { lateFeesByRule } from './late-fees-by-rule.ts';
import { NOTHING_PAID, type PaidBefore } from './paid-before.ts';

/** A loan of another system, or of ours, as its contract and its events. The conventions decide the rest. */
export type BookLoan = {
  loan_number: string;
  /** The conventions replace day count, method, rounding and order of application. */
  terms: Terms;
  contract: BoardedLoan;
  /** The boarding or funding with which the history begins. */
  start: LoanEvent;
  /** The events after the start, each on the date that its system gives. */
  events: readonly LoanEvent[];
  /** The stored schedule of a loan of ours. Null: it follows from the contract. */
  schedule: readonly ScheduleRow[] | null;
  /** What was paid before the start. Missing: nothing, because the events begin with the loan. */
  paid_before?: PaidBefore;
};

/** A loan under some conventions, as the fold takes it. */
export type PreparedLoan = {
  terms: Terms;
  schedule: readonly ScheduleRow[];
  events: readonly LoanEvent[];
  /** Figures include the interest of their own day. */
  includes_day: boolean;
  paid_before: PaidBefore;
};

/**
 * Prepares a loan under one set of conventions after the other. `through`: the last day for which late fees are charged
 * by a rule. Schedules and late fees that a change leaves as they are, are calculated once.
 */
export function preparerOf(loan: BookLoan, through: string): (to: Conventions) => PreparedLoan {
  const schedules = new Map<string, readonly ScheduleRow[]>();
  const fees = new Map<string, readonly LoanEvent[]>();
  return (conventions) => {
    const terms = termsUnder(loan.terms, conventions);
    const { interest_method, day_count, interest_rounding, installment } = conventions;
    const ofSchedule = [interest_method, day_count, interest_rounding, installment].join(' ');
    const schedule = cached(schedules, ofSchedule, () => scheduleUnder(loan, terms, conventions));
    const { payment_lag_days, extra_payment_to, late_fees } = conventions;
    const events = [loan.start, ...movePayments(loan.events, payment_lag_days)];
    const includes_day = conventions.interest_through === 'same_day';
    const { paid_before = NOTHING_PAID } = loan;
    const prepared = { terms, schedule, events, includes_day, paid_before };
    if (late_fees === 'as_recorded') return prepared;
    const others = withoutLateFees(events);
    if (late_fees === 'none') return { ...prepared, events: others };
    // Other interest changes late fees only if it decides whether the loan is repaid.
    const ofFees = [
      payment_lag_days,
      extra_payment_to,
      installment,
      JSON.stringify(late_fees),
    ].join(' ');
    const ofDebt = [ofFees, ofSchedule, conventions.application_order].join(' ');
    const known = fees.get(ofFees) ?? fees.get(ofDebt);
    if (known !== undefined) return { ...prepared, events: [...others, ...known] };
    const charged = lateFeesByRule({ ...prepared, events: others }, late_fees, through);
    fees.set(charged.depends_on_debt ? ofDebt : ofFees, charged.fees);
    return { ...prepared, events: [...others, ...charged.fees] };
  };
}

function cached<Value>(known: Map<string, Value>, key: string, compute: () => Value): Value {
  const found = known.get(key) ?? compute();
  known.set(key, found);
  return found;
}

export const prepareLoan = (
  loan: BookLoan,
  conventions: Conventions,
  through: string,
): PreparedLoan => preparerOf(loan, through)(conventions);

const termsUnder = (terms: Terms, conventions: Conventions): Terms => ({
  ...terms,
  interest_method: conventions.interest_method,
  day_count: conventions.day_count,
  rounding_mode: conventions.interest_rounding,
  allocation_order:
    conventions.application_order === 'as_agreed'
      ? terms.allocation_order
      : stepsOfOrder(conventions.application_order),
  extra_payment_to: conventions.extra_payment_to,
  ...(conventions.installment !== 'as_given' && { installment_rounding: conventions.installment }),
});

function scheduleUnder(
  { contract, start, schedule }: BookLoan,
  terms: Terms,
  { installment }: Conventions,
): readonly ScheduleRow[] {
  if (schedule !== null) return splitAgain(schedule, terms, installment);
  const given = installment === 'as_given' ? contract : { ...contract, payment_amount: null };
  const original = originalSchedule(terms, given);
  if (start.kind !== 'boarding' || start.effective_date <= contract.origination_date)
    return original;
  const place = { balance: start.principal_balance, today: start.effective_date };
  return boardedSchedule(terms, { ...given, ...paidThrough(start) }, original, place);
}

const paidThrough = ({ paid_through_date }: EventOf<'boarding'>) =>
  paid_through_date ? { paid_through_date } : {};

/** The due dates of a stored schedule with the amounts that follow from other terms. */
function splitAgain(
  schedule: readonly ScheduleRow[],
  terms: Terms,
  installment: Conventions['installment'],
): readonly ScheduleRow[] {
  const [first] = schedule;
  if (first === undefined) return schedule;
  const rows = buildSchedule({
    ...terms,
    principal: first.beginning_balance,
    number_of_payments: schedule.length,
    start_date: addDays(first.due_date, -first.days_in_period),
    first_payment_date: first.due_date,
    due_dates: schedule.map(({ due_date }) => due_date),
    first_period_number: first.period_number,
    payment_amount: installment === 'as_given' ? first.payment_amount : null,
  });
  return rows.length === 0 ? schedule : rows;
}

/** Payments take effect some days after the date that their system gives. */
const movePayments = (events: readonly LoanEvent[], days: number): readonly LoanEvent[] =>
  days === 0
    ? events
    : events.map((event) =>
        event.kind === 'payment'
          ? { ...event, effective_date: addDays(event.effective_date, days) }
          : event,
      );

export const isLateFee = (event: LoanEvent): event is EventOf<'fee'> =>
  event.kind === 'fee' && event.fee_type === 'late';

function withoutLateFees(events: readonly LoanEvent[]): LoanEvent[] {
  const late = new Set(events.filter(isLateFee).map((event) => event.fee_id ?? event.id));
  return events.filter(
    (event) => !isLateFee(event) && !(event.kind === 'fee_waiver' && late.has(event.fee_id)),
  );
}
