import type { Boarding } from './boarding-input.ts';
import { countDelinquencies } from '../../../sql/loans/boarding/boarding.ts';
import { isActive } from '../../../sql/portfolios/investors.ts';
import * as portfolios from '../../../sql/portfolios/portfolios.ts';
import { followConditions } from '../../cases/conditions-changed.ts';
import { Invalid } from '../../errors.ts';
import { parseMoney } from '../../money.ts';
import { addAssignment } from '../../portfolios/loan-assignment.ts';
import type { Work } from '../../work.ts';
import type { ScheduleRow } from '../arithmetic/amortize.ts';
import type { Terms } from '../arithmetic/terms.ts';
import { openLoan } from '../history/open-loan.ts';
import { recordEvents } from '../history/record-events.ts';
import { newEvent } from '../history/new-event.ts';
import {
  validateNewLoan,
  emitLoanCreated,
  insertLoan,
  type NewLoan,
  type LoanParents,
} from '../origination/create.ts';
import { askForFirstDelinquency } from '../reporting/records/boarded-delinquency.ts';
import { setRescissionEnd } from '../origination/rescission.ts';
import {
  boardedSchedule,
  dependsOnAccrued,
  originalSchedule,
} from '../schedule/boarded-schedule.ts';
import { readTerms, type TermsSource } from '../products/loan-terms.ts';
import { boardedApr } from './boarded-rate.ts';
import { interestSincePaid } from './boarded-interest.ts';
import { assertRepays, checkBoarding } from './check-boarding.ts';
import { prepareWithHistory, type ReadHistory } from './board-with-history.ts';
import { paidThroughDate } from './paid-through.ts';
import { keepEarlierTransactions } from './earlier-transactions.ts';
import { toNewLoan } from './to-new-loan.ts';

/**
 * Boards an existing loan with its balances. A `boarding` event books the debt. There is no
 * disbursement, no fee and no `loan.disbursed` event. The history before today stays with the previous
 * servicer, unless the request has it (`board-with-history.ts`) or `read` knows it.
 */
export async function boardLoan(
  work: Work,
  input: Boarding,
  known?: LoanParents,
  read?: ReadHistory,
): Promise<string> {
  const write = await prepareBoarding(work, input, known, read);
  return write();
}

/**
 * Checks and computes everything about a boarded loan, and writes nothing. Returns the function that writes the loan and
 * answers its id. Throws `Invalid` if the loan cannot be boarded.
 */
export async function prepareBoarding(
  work: Work,
  input: Boarding,
  known?: LoanParents,
  read?: ReadHistory,
): Promise<() => Promise<string>> {
  checkBoarding(work, input);
  await assertAssignable(work, input);
  if (read ?? input.history?.depth === 'replayed')
    return prepareWithHistory(work, input, known, read);
  const balance = input.current_principal_balance ?? input.principal_amount;
  const wanted = { ...toNewLoan(input), ...statusColumns(work, input, balance) };
  const checked = await validateNewLoan(work, wanted, known);
  const terms = readTerms(checked as NewLoan & TermsSource);
  const original = originalSchedule(terms, input);
  const place = { balance, today: work.today };
  const paid = { ...input, paid_through_date: paidThroughDate(input, terms) };
  const schedule = boardedSchedule(terms, paid, original, place);
  if (input.status === 'active') assertRepays(terms, paid, schedule, place);
  // Another lender disclosed the loan, so its APR is computed from its terms.
  const loan = { ...checked, apr: boardedApr(terms, input, original) };
  const funded =
    input.status === 'active' ? toFunded(terms, paid, original, { schedule, ...place }) : null;
  return async () => {
    const { id, loan_number } = await insertLoan(work, loan);
    if (funded) await boardFunded(work, id, funded, balance);
    if (input.status === 'approved')
      await setRescissionEnd(work, (await openLoan(work, id)).row, input.origination_date);
    if (input.status === 'charged_off') await boardChargedOff(work, id, input, balance);
    if (input.history) await keepEarlierTransactions(work, id, input.history.transactions);
    await followConditions(work, id);
    if (input.investor_id)
      await addAssignment(work, { loan_id: id, investor_id: input.investor_id });
    await emitLoanCreated(work, { ...wanted, id, loan_number });
    return id;
  };
}

/** The boarded status and the columns that depend on it. */
function statusColumns({ today }: Work, input: Boarding, balance: string) {
  const { status, origination_date, charge_off_date, charge_off_amount } = input;
  const isFunded = !['pending', 'approved'].includes(status);
  const isChargedOff = status === 'charged_off';
  return {
    status,
    disbursed_amount: isFunded ? input.principal_amount : '0.00',
    origination_date,
    disbursement_date: isFunded ? origination_date : null,
    paid_off_at: status === 'paid_off' ? new Date().toISOString() : null,
    charged_off_at: charge_off_date ?? (isChargedOff ? today : null),
    charge_off_amount: isChargedOff ? (charge_off_amount ?? balance) : null,
    boarded_delinquency_date: input.first_delinquency_date ?? null,
    ...paymentHistoryColumns(input),
  };
}

/** The payment history with the previous servicer. */
const paymentHistoryColumns = ({
  last_payment_date,
  payment_history_profile,
  times_delinquent,
}: Boarding) => ({
  last_payment_date,
  payment_history_profile,
  times_delinquent_30: times_delinquent?.[30] ?? 0,
  times_delinquent_60: times_delinquent?.[60] ?? 0,
  times_delinquent_90: times_delinquent?.[90] ?? 0,
});

const lastPaymentOf = ({ last_payment_date }: Boarding) =>
  last_payment_date ? { last_payment_date } : {};

/** Throws `Invalid` if the investor or the portfolio cannot take the loan. */
async function assertAssignable(work: Work, { investor_id, portfolio_id, status }: Boarding) {
  const errors: Record<string, string> = {};
  if (investor_id && !(await isActive(work.tx, investor_id)))
    errors['investor_id'] = 'Must be an active investor.';
  if (investor_id && !['approved', 'active', 'charged_off'].includes(status))
    errors['investor_id'] = `A loan that is ${status.replaceAll('_', ' ')} has no owner.`;
  if (portfolio_id) {
    const [portfolio] = await portfolios.lockPortfolios(work.tx, [portfolio_id]);
    if (!portfolio) errors['portfolio_id'] = 'Does not exist.';
    else if (
      portfolio.portfolio_type !== 'static' ||
      portfolio.status === 'sold' ||
      portfolio.is_archived
    )
      errors['portfolio_id'] = 'Must be an active static portfolio.';
  }
  if (Object.keys(errors).length > 0) throw new Invalid(errors);
}

/**
 * Records the amount that the borrower still owes. Nothing is booked, because the previous servicer already
 * took the loss.
 */
async function boardChargedOff(work: Work, id: string, input: Boarding, balance: string) {
  const charge_off_balance = input.charge_off_amount ?? balance;
  const event = newEvent({
    kind: 'boarding',
    effective_date: work.today,
    principal_balance: '0.00',
    charge_off_balance,
    ...lastPaymentOf(input),
  });
  await recordEvents(work, await openLoan(work, id), [event]);
  if (!input.first_delinquency_date && parseMoney(charge_off_balance).gt(0))
    await askForFirstDelinquency(work, [id]);
}

type Funded = { input: Boarding; schedule: readonly ScheduleRow[] };

/** The loan with the interest that it owes, and its schedule. */
function toFunded(
  terms: Terms,
  paid: Boarding,
  original: readonly ScheduleRow[],
  { schedule, ...place }: { schedule: readonly ScheduleRow[]; balance: string; today: string },
): Funded {
  const accrued_interest = paid.accrued_interest ?? interestSincePaid(terms, paid, schedule, place);
  const owing = { ...place, accrued_interest };
  return {
    input: { ...paid, accrued_interest },
    schedule: dependsOnAccrued(terms, paid, owing)
      ? boardedSchedule(terms, paid, original, owing)
      : schedule,
  };
}

async function boardFunded(work: Work, id: string, { input, schedule }: Funded, balance: string) {
  const loan = await openLoan(work, id);
  const event = newEvent({
    kind: 'boarding',
    effective_date: work.today,
    principal_balance: balance,
    accrued_interest: input.accrued_interest ?? '0.00',
    outstanding_fees: input.outstanding_fees ?? '0.00',
    paid_through_date: input.paid_through_date ?? work.today,
    ...lastPaymentOf(input),
  });
  const { days_past_due } = await recordEvents(work, loan, [event], { firstSchedule: schedule });
  if (days_past_due < 30) return;
  await countDelinquencies(work.tx, { id, days_past_due });
  if (!input.first_delinquency_date) await askForFirstDelinquency(work, [id]);
}
