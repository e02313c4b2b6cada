import { isActiveStaff, findOpenTask } from '../../../sql/borrowers/tasks.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { insert, update } from '../../../sql/write.ts';
import { CONDITION_KINDS } from '../../cases/rules/conditions.ts';
import { composeToAll } from '../../communications/compose-to-all.ts';
import { Invalid } from '../../errors.ts';
import type { Work } from '../../work.ts';
import type { LoanState } from '../engine/state.ts';

/** `rate_cap`: the legal cap that caused the change. */
type Change = {
  before: LoanState;
  after: LoanState;
  reason: string;
  rate_cap?: RateCap | undefined;
};
export type RateCap = { interest_rate: string; start_date: string; end_date: string | null };
type Rows = LoanState['installments'];

/**
 * Handles a change of amounts or dates that a later recorded event caused. Creates a task for the loan's
 * officer and a notice for the borrower. Does nothing if the unpaid installments stay the same or the loan
 * has no payable schedule.
 */
export async function notifyScheduleChange(work: Work, row: RawLoan, change: Change) {
  const { before, after, reason, rate_cap } = change;
  if (!requiresPayments(row, after) || !changesUnpaidRows(before.installments, after.installments))
    return;
  const notice = {
    was: summarizeSchedule(before),
    will: summarizeSchedule(after),
    reason,
    rate_cap,
  };
  const failureReasons = await notifyBorrower(work, row, notice);
  await remindOfficer(work, row, { ...notice, untold: failureReasons });
}

/** Includes `paid_off`, because the change may reopen the loan. */
const requiresPayments = ({ status }: RawLoan, state: LoanState) =>
  ['active', 'paid_off'].includes(status) &&
  !state.is_paid_off &&
  !state.is_charged_off &&
  !state.is_accelerated;

const isUnpaid = ({ status }: Rows[number]) => status !== 'paid' && status !== 'canceled';

/** True if an unpaid installment has a new date or amount, or if the last due date changed. */
function changesUnpaidRows(before: Rows, after: Rows): boolean {
  const textOf = ({ due_date, payment_amount }: Rows[number]) => `${due_date} ${payment_amount}`;
  const known = new Set(before.map(textOf));
  const isNew = after.some((row) => isUnpaid(row) && !known.has(textOf(row)));
  return isNew || before.at(-1)?.due_date !== after.at(-1)?.due_date;
}

/** The next and the last installment, which summarize a schedule for people. */
function summarizeSchedule({ installments, as_of }: LoanState) {
  const ahead = installments.filter(({ due_date }) => due_date >= as_of);
  const next = ahead.find(isUnpaid) ?? ahead[0] ?? installments.at(-1);
  const last = installments.at(-1);
  return {
    payment_amount: next?.payment_amount ?? '0.00',
    first_date: next?.due_date ?? as_of,
    last_date: last?.due_date ?? as_of,
    last_payment_amount: last?.payment_amount ?? '0.00',
  };
}

/**
 * Tells the borrowers that the legal cap of the rate has ended, and from when on they pay the agreed installments again.
 * Does nothing for a loan without payments ahead.
 */
export async function notifyEndOfRateCap(
  work: Work,
  row: RawLoan,
  { state, agreed, rate_cap }: { state: LoanState; agreed: string | null; rate_cap: RateCap },
) {
  if (!requiresPayments(row, state)) return;
  const schedule = summarizeSchedule(state);
  // An installment whose period began under the cap is lower than those after it.
  const first = state.installments.find(
    (one) => isUnpaid(one) && one.due_date >= state.as_of && one.payment_amount === agreed,
  );
  const will = first
    ? { ...schedule, payment_amount: first.payment_amount, first_date: first.due_date }
    : schedule;
  const was = { ...will, payment_amount: row.payment_amount ?? will.payment_amount };
  const reason = 'rate_cap_ended';
  const failureReasons = await notifyBorrower(work, row, { was, will, reason, rate_cap });
  if (failureReasons !== '')
    await remindOfficer(work, row, { was, will, reason, rate_cap, untold: failureReasons });
}

type ScheduleNotice = {
  was: ReturnType<typeof summarizeSchedule>;
  will: ReturnType<typeof summarizeSchedule>;
  reason: string;
  rate_cap: RateCap | undefined;
};

/** Returns the reasons why no notice is sent. Empty if the notice is on its way. */
async function notifyBorrower(
  work: Work,
  row: RawLoan,
  { was, will, reason, rate_cap }: ScheduleNotice,
) {
  const isPaymentRemoved = ['payment_returned', 'payment_reversed'].includes(reason);
  const isPaymentFound = ['payment_found', 'payment_received'].includes(reason);
  try {
    const { reasons } = await composeToAll(work, {
      borrower_id: row.borrower_id,
      loan_id: row.id,
      template_type: 'schedule_changed',
      context: {
        schedule: { ...will, old_payment_amount: was.payment_amount },
        was_taken_back: isPaymentRemoved,
        was_found: isPaymentFound,
        was_capped: rate_cap !== undefined && reason !== 'rate_cap_ended',
        was_uncapped: reason === 'rate_cap_ended',
        was_other: !isPaymentRemoved && !isPaymentFound && rate_cap === undefined,
        ...(rate_cap && { rate_cap }),
      },
      triggered_by: 'system',
    });
    return [...new Set(reasons.map(nameForEveryone))].join(', ').replaceAll('_', ' ');
  } catch (error) {
    // A broken template of the tenant must not block the loan's event.
    if (error instanceof Invalid) return Object.values(error.errors).join(' ');
    throw error;
  }
}

/** Everyone reads tasks, so they do not say what a case is about. */
const nameForEveryone = (reason: string) =>
  CONDITION_KINDS.some((kind) => kind === reason) ? 'a case of the borrower' : reason;

/** Keeps one open task and updates its description. */
async function remindOfficer(
  work: Work,
  row: RawLoan,
  { was, will, reason, rate_cap, untold: failureReasons }: ScheduleNotice & { untold: string },
) {
  const { tx, today } = work;
  const officer = row.loan_officer_id;
  const title = `Review the new schedule of ${row.loan_number}`;
  const sentences = [
    // Everyone reads tasks, so they do not say that a law caps the rate because a borrower serves.
    rate_cap || reason.startsWith('rate_cap')
      ? 'The schedule changed.'
      : `The schedule changed (reason: ${reason.replaceAll('_', ' ')}).`,
    `The next installment was ${describeSchedule(was)}. It is now ${describeSchedule(will)}.`,
    failureReasons === ''
      ? 'The borrower is being notified.'
      : `The borrower was not notified: ${failureReasons}`,
  ];
  const description = sentences.join(' ');
  const open = await findOpenTask(tx, row.id, title);
  if (open !== null) return update(tx, 'tasks', open, { description });
  const assignee_id = officer !== null && (await isActiveStaff(tx, officer)) ? officer : null;
  await insert(tx, 'tasks', {
    title,
    description,
    borrower_id: row.borrower_id,
    loan_id: row.id,
    related_type: 'loan',
    related_id: row.id,
    task_type: 'other',
    assignee_id,
    due_date: today,
    source: 'system',
  });
}

const describeSchedule = (plan: ScheduleNotice['will']) =>
  `${plan.payment_amount} on ${plan.first_date}, the last one ${plan.last_payment_amount} on ${plan.last_date}`;
