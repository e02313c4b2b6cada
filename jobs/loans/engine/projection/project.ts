import { addDays, latest } from '../../../dates.ts';
import { min, money, parseMoney } from '../../../money.ts';
import { isBilledByCycle } from '../../arithmetic/terms.ts';
import type { InstallmentState } from '../bills.ts';
import { applyNextEvent, replay, type FoldInput } from '../fold.ts';
import { advanceTo } from '../run.ts';
import { toLoanState, type LoanState } from '../state.ts';
import { isTakenBy, nextStep } from './agreed-steps.ts';
import {
  isPayable,
  lastDayBefore,
  payByCycle,
  payDue,
  payInstallments,
  projectedPaymentEvent,
  startCourse,
  takeNext,
  type Course,
  type ProjectedPayment,
  type ProjectionInput,
} from './course.ts';
import { billAsAgreed, nextBillAsAgreed } from './next-bill-as-agreed.ts';
import { followSchedule } from './follow-schedule.ts';
import { balancesOf, toPaidRow } from './paid-row.ts';
import { rowsAsPaid } from './rows-as-paid.ts';

/**
 * The state at the end of `as_of` if the borrower makes every scheduled payment from today through `as_of`
 * on its due date, and everything agreed until then happens. The last payment covers the rest. No other
 * payment or fee is assumed, so a past-due amount stays open until these payments cover it.
 */
export function projectState(
  input: Omit<ProjectionInput, 'as_of'>,
  { today, as_of }: { today: string; as_of: string },
): { state: LoanState; payments: ProjectedPayment[] } {
  const course = startCourse({ ...input, as_of: today });
  const payments: ProjectedPayment[] = [];
  const pay = (date: string) => {
    const { paid } = payDue(course, date);
    if (paid !== null) payments.push(paid);
  };
  pay(today);
  const isByCycle = isBilledByCycle(input.terms);
  // A cycle can end today, after today's payment.
  let from = isByCycle && as_of > today ? today : addDays(today, 1);
  for (;;) {
    const step = nextStep(course.future);
    const isLast = step === null || !isTakenBy(step, { date: as_of, at: 'close' });
    const through = isLast ? as_of : lastDayBefore(step);
    if (isByCycle) payByCycle(course, { from, through }, pay);
    else payInstallments(course, { from, through }, pay);
    if (isLast) break;
    takeNext(course, step);
    from = latest(from, addDays(through, 1));
  }
  const run = advanceTo(course.run, as_of);
  const next = nextBillAsAgreed(run, course.future);
  const state = toLoanState(run.position, as_of);
  return { state: next ? { ...state, ...billAsAgreed(run, next) } : state, payments };
}

/**
 * A loan's schedule: paid rows as they were paid, open rows as they will be paid. It assumes that the
 * borrower pays the past-due amount today and each installment on its due date, and that everything agreed
 * happens. The last row asks for the remaining debt. Rows beyond a zero balance ask for nothing.
 */
export function projectSchedule(input: ProjectionInput): InstallmentState[] {
  const now = replay(input);
  const state = toLoanState(now.position, input.as_of);
  const is_payable = isPayable(now.position, input.as_of);
  const paid = { ...state, events: now.events, is_payable };
  if (!is_payable) return rowsAsPaid(state.installments, paid);
  const ahead = followSchedule(input);
  if (ahead.paysPastDue) return rowsAsScheduled(state.installments, ahead.course);
  const pastDue = splitPastDueRows(input, state.installments, state.past_due_amount);
  return rowsAsPaid([...pastDue, ...ahead.rows.map(({ row }) => row)], paid);
}

/**
 * The rows if scheduled payments will pay a past-due amount. These and later payments then cover older installments
 * than the installments of their days, so each row shows the payments that will cover it.
 */
function rowsAsScheduled(now: readonly InstallmentState[], course: Course): InstallmentState[] {
  const { run, future } = course;
  const { events } = future.history;
  const end = toLoanState(run.position, run.day);
  const rows = rowsAsPaid(end.installments, { ...end, events, is_payable: false });
  const today = new Map(now.map((row) => [keyOf(row), row]));
  return rows.map((row) => {
    const { paid_amount = '0.00', paid_date = null, status } = today.get(keyOf(row)) ?? {};
    const open_amount = money(parseMoney(row.payment_amount).minus(paid_amount));
    const shown = status ?? (row.status === 'canceled' ? row.status : 'upcoming');
    return { ...row, paid_amount, paid_date, open_amount, status: shown };
  });
}

const keyOf = ({ period_number, due_date }: InstallmentState) => `${period_number} ${due_date}`;

/** The rows due before today. Their past-due amounts are split as a payment of today would be. */
function splitPastDueRows(
  input: FoldInput,
  installments: readonly InstallmentState[],
  pastDue: string,
): InstallmentState[] {
  const rows = installments.filter(({ due_date }) => due_date < input.as_of);
  const open = rows.filter(({ open_amount }) => parseMoney(open_amount).gt(0));
  if (open.length === 0) return rows;
  const run = replay(input);
  let left = parseMoney(pastDue);
  return rows.map((row) => {
    if (row.status === 'paid' || row.status === 'canceled') return row;
    const amount = row === open.at(-1) ? left : min(parseMoney(row.open_amount), left);
    const before = balancesOf(run.position);
    // The debt is smaller than the installments, so this row has nothing left to pay.
    if (amount.lte(0)) return toPaidRow(row, null, { before, after: before });
    left = left.minus(amount);
    const { period_number: installment_number } = row;
    const payment = { installment_number, due_date: input.as_of, amount: money(amount) };
    applyNextEvent(run, projectedPaymentEvent(payment));
    return toPaidRow(row, payment, { before, after: balancesOf(run.position) });
  });
}
