import type { Big } from 'big.js';
import { latest } from '../../../dates.ts';
import { money } from '../../../money.ts';
import { sumParts } from '../amount-parts.ts';
import { addParts, buildBill, otherFeeParts, splitPastDue, type NextBill } from '../bill.ts';
import { billsOn } from '../bills.ts';
import { replay } from '../fold.ts';
import type { ReplayRun } from '../run.ts';
import { firstDayOf, nextStep, takeStep, type Future } from './agreed-steps.ts';
import { pastDuePayment } from './course.ts';

/**
 * The next bill if all changes agreed until its due date happen. Scheduled payments do not reduce it, because they
 * pay it. Null if no agreed change comes before the due date. Like the schedule, it assumes that the borrower pays
 * the amount that is already due on this day.
 */
export function nextBillAsAgreed({ position, day }: ReplayRun, future: Future): NextBill | null {
  const steps = future.steps.filter(({ pays }) => pays === undefined);
  const { next, pastDue, bills } = billsOn(position, day);
  const isPastDue = pastDue.gt(0);
  const fees = isPastDue ? otherFeeParts(position) : [];
  let ahead: Future = { ...future, steps };
  let bill = next;
  let from = day;
  for (
    let step = nextStep(ahead);
    step !== null && bill.date !== null && firstDayOf(step) <= bill.date;
    step = nextStep(ahead)
  ) {
    if (bill === next && isPastDue) ahead = payNow(ahead, day, pastDue.plus(sumParts(fees)));
    ahead = takeStep(ahead, step);
    from = latest(from, firstDayOf(step));
    bill = billsOn(replay({ ...ahead.history, as_of: from }).position, from).next;
  }
  if (bill === next) return null;
  const late = splitPastDue(position, day, { rows: bills.late, amount: pastDue });
  return {
    ...bill,
    rest: bill.rest.plus(sumParts(fees)),
    fees: [...fees, ...bill.fees],
    owed: addParts(bill.owed, late),
  };
}

function payNow(future: Future, day: string, amount: Big): Future {
  const { history } = future;
  const events = [...history.events, pastDuePayment(amount, day)];
  return { ...future, history: { ...history, events } };
}

/** The figures of a bill with the agreed next installment. */
export function billAsAgreed({ position, day }: ReplayRun, next: NextBill) {
  const { bills, pastDue } = billsOn(position, day);
  return {
    bill: buildBill(position, day, next, { rows: bills.late, amount: pastDue }),
    next_payment_date: next.date,
    next_payment_amount: money(next.amount),
  };
}
