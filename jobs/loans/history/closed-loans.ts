import * as autopay from '../../../sql/payments/autopay-plans.ts';
import { findOpenTask, cancelTasks } from '../../../sql/borrowers/tasks.ts';
import { listReleasedAtPayoff } from '../../../sql/collateral/liens.ts';
import { findNewServicer } from '../../../sql/portfolios/servicing-transfers.ts';
import { loans, type RawLoan } from '../../../sql/loans/loans.ts';
import { find } from '../../../sql/table.ts';
import { insert } from '../../../sql/write.ts';
import { parseMoney } from '../../money.ts';
import type { Work } from '../../work.ts';
import { remindOfficer } from '../outcomes/remind-officer.ts';
import type { LoanState } from '../engine/state.ts';
import { supersedeAcceptedQuotes } from './supersede-quotes.ts';

type Paid = Pick<RawLoan, 'id' | 'loan_number' | 'borrower_id'>;
type Closed = Paid & Pick<RawLoan, 'status' | 'loan_officer_id'>;

/** Money received for a loan in one of these statuses must be returned or forwarded. */
const CLOSED: readonly string[] = ['paid_off', 'settled', 'transferred', 'canceled'];
export const isClosed = (status: string): boolean => CLOSED.includes(status);

const releaseTask = ({ loan_number }: Paid) => `Release the liens of ${loan_number}`;
const refundTask = ({ loan_number }: Paid) => `Refund the suspense balance of ${loan_number}`;
export const forwardTask = ({ loan_number }: Pick<Paid, 'loan_number'>) =>
  `Forward or return the money received for ${loan_number}`;

const recoverTask = ({ loan_number }: Paid) => `Recover the refund of ${loan_number}`;
const perfectTask = ({ loan_number }: Paid) => `Perfect the liens of ${loan_number} again`;

/** Creates a task to release the liens of a secured loan that is paid off or settled. */
export async function releaseLiens(work: Work, loan: Paid) {
  await cancelTasks(work.tx, loan.id, [perfectTask(loan)]);
  if ((await find(work.tx, loans, loan.id))?.['is_secured'] === true)
    await createTask(work, loan, { title: releaseTask(loan) });
}

/** Creates a task for suspense money on a closed loan when the amount grows. */
export async function remindOfUnappliedMoney(
  work: Work,
  loan: Closed,
  suspense: string,
  suspenseBefore: string | null,
) {
  const isNews = suspenseBefore === null || parseMoney(suspense).gt(suspenseBefore);
  if (parseMoney(suspense).eq(0) || !isNews) return;
  const status = loan.status.replaceAll('_', ' ');
  if (loan.status !== 'transferred') {
    const description = `The ${status} loan has ${suspense} in suspense. Record a reimbursement to pay it back.`;
    await remindOfficer(work, loan, { title: refundTask(loan), description });
    return;
  }
  // 12 CFR 1024.33(c)(1): within 60 days of a transfer, a payment sent to the old servicer is not late.
  const servicer = await findNewServicer(work.tx, loan.id);
  const remedy = servicer
    ? `Forward it to ${servicer.servicer_name} or return it, with POST /servicing-transfers/${servicer.id}/forward-payments.`
    : 'Forward or return the money, then record a reimbursement.';
  const description = `${suspense} was received for a loan that was transferred to another servicer. ${remedy}`;
  await remindOfficer(work, loan, { title: forwardTask(loan), description, priority: 'high' });
}

/**
 * A payment on a closed loan bounced after it had been refunded. The sender owes the refund, which bears no
 * interest.
 */
export async function remindOfOwedRefund(
  work: Work,
  loan: Closed,
  owed: string,
  owedBefore: string,
) {
  if (parseMoney(owed).eq(0)) return cancelTasks(work.tx, loan.id, [recoverTask(loan)]);
  if (parseMoney(owed).lte(owedBefore)) return;
  const status = loan.status.replaceAll('_', ' ');
  const description = `A payment on the ${status} loan bounced after ${owed} of it had been refunded. Ask the sender to return the refund, and record the money as a payment.`;
  await remindOfficer(work, loan, { title: recoverTask(loan), description, priority: 'high' });
}

/**
 * Handles a closed loan that owes again: cancels the closing tasks, supersedes the accepted quote and
 * creates tasks for steps that need a person. Returns sentences about the loan for the officer.
 */
export async function undoClosingSteps(
  work: Work,
  loan: Closed,
  previousStatus: string,
  after: LoanState,
): Promise<string[]> {
  const { tx } = work;
  const isHeld = parseMoney(after.suspense_balance).gt(0);
  await cancelTasks(tx, loan.id, [releaseTask(loan), ...(isHeld ? [] : [refundTask(loan)])]);
  await supersedeAcceptedQuotes(work, loan.id);
  await remindOfLiens(work, loan, previousStatus);
  const status = `The loan was ${previousStatus.replaceAll('_', ' ')} and is ${loan.status.replaceAll('_', ' ')} again.`;
  const owed = parseMoney(after.total_balance).plus(after.charge_off_balance).toFixed(2);
  const sentence = `${status} ${owed} is owed.`;
  if (!(await autopay.hasEndedWithLoan(tx, loan.id))) return [sentence];
  return [
    sentence,
    'Autopay ended when the loan was closed. Set it up again if the borrower wants it.',
  ];
}

/** A released lien stays released until someone files it again. */
async function remindOfLiens(work: Work, loan: Closed, previousStatus: string) {
  const released = await listReleasedAtPayoff(work.tx, loan.id);
  if (released.length === 0) return;
  const named = released.map(
    ({ lien_type, filing_number, release_date }) =>
      `${lien_type}${filing_number === null ? '' : ` ${filing_number}`}, released on ${release_date}`,
  );
  await remindOfficer(work, loan, {
    title: perfectTask(loan),
    description: `The loan was ${previousStatus.replaceAll('_', ' ')} and owes again, but these liens were released: ${named.join('; ')}.`,
    priority: 'urgent',
  });
}

/** The surplus of a collateral sale belongs to the borrower and is paid from Refunds Payable. */
export const remindOfSurplus = (work: Work, loan: Paid, surplus: string) =>
  createTask(work, loan, {
    title: surplusTask(loan),
    description: `${surplus} from the sale of the collateral belongs to the borrower. Pay it out.`,
  });

export const surplusTask = ({ loan_number }: Pick<Paid, 'loan_number'>) =>
  `Pay out the surplus of ${loan_number}`;

async function createTask(
  { tx, today }: Work,
  { id, borrower_id }: Paid,
  task: { title: string; description?: string },
) {
  if ((await findOpenTask(tx, id, task.title)) !== null) return;
  const about = { borrower_id, loan_id: id, related_type: 'loan', related_id: id };
  await insert(tx, 'tasks', {
    ...task,
    ...about,
    task_type: 'other',
    due_date: today,
    source: 'system',
  });
}
