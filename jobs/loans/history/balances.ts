import * as installments from '../../../sql/loans/installments.ts';
import { loans } from '../../../sql/loans/loans.ts';
import { rowExists } from '../../../sql/table.ts';
import { daysBetween, addMonths } from '../../dates.ts';
import { Invalid, NotFound } from '../../errors.ts';
import { money } from '../../money.ts';
import type { Work } from '../../work.ts';
import { readAgreedSteps } from '../agreed/read-agreed-steps.ts';
import { billsOn } from '../engine/bills.ts';
import { replay } from '../engine/fold.ts';
import { payoffAmount } from '../engine/projection/payoff-amounts.ts';
import { projectState, projectSchedule } from '../engine/projection/project.ts';
import type { LoanState } from '../engine/state.ts';
import { lateFeePolicy, lateFeesAhead } from './late-fee-rules.ts';
import { lastDayOnTime } from '../products/fee-amounts.ts';
import { prepaymentPenalty } from '../products/prepayment-penalty.ts';
import { readTerms } from '../products/loan-terms.ts';
import { positionOn } from '../engine/run.ts';
import { nextDrawOf } from './autopay/save-next-draw.ts';
import { readBilledLoan, type BilledLoan } from './billed-loan.ts';
import { readLoan, type Knowledge, type OpenLoan } from './open-loan.ts';

/**
 * A loan's balances on a day; default today. With `known` = `then`, a past day excludes backdated events
 * recorded later.
 */
export async function readBalances(
  work: Work,
  loanId: string,
  asOf: string = work.today,
  known: Knowledge = 'now',
) {
  const loan = await readBilledLoan(work, loanId, asOf, known);
  const ahead = asOf === work.today ? await dueAhead(work, loan) : NOTHING_AHEAD;
  return { as_of_date: asOf, ...balancesOwed(loan.row, loan.state), ...ahead };
}

const NOTHING_AHEAD = { late_fee: null, past_due_late_fee: null, next_draw: null };

/** The late fees that follow if nothing is paid, and the next autopay draw. */
async function dueAhead(work: Work, loan: BilledLoan) {
  const { row, state, folded, agreed } = loan;
  const run = folded.run ?? replay(folded.input);
  const isInService = row.status === 'active';
  const policy = isInService ? lateFeePolicy(row, run) : null;
  const fees = policy && lateFeesAhead(policy);
  const { late_fee = null, cure_fee = null } =
    fees?.({
      day: work.today,
      bills: billsOn(run.position, work.today).bills,
      positionOn: (day) => positionOn(run, day),
    }) ?? {};
  const known = { row, input: folded.input, run, state, agreed };
  const plan = isInService && row.autopay_plan?.can_draw ? row.autopay_plan : null;
  return {
    late_fee,
    past_due_late_fee: cure_fee,
    next_draw: plan && (await nextDrawOf(work, plan, known)),
  };
}

/** The longest loan term. Every projected month costs computing time. */
const HORIZON_MONTHS = 600;

/** The balances on a future day if every scheduled payment is made on its due date. */
export async function projectBalances(work: Work, loanId: string, asOf: string | undefined) {
  const loan = await readLoan(work, loanId);
  const { row, schedule, events } = loan;
  if (asOf === undefined) throw new Invalid({ as_of_date: 'Is required.' });
  if (asOf < work.today) throw new Invalid({ as_of_date: 'Must not be in the past.' });
  if (asOf > addMonths(work.today, HORIZON_MONTHS))
    throw new Invalid({ as_of_date: 'Must be at most 50 years from today.' });
  const agreed = await readAgreedSteps(work, loan);
  const input = { terms: readTerms(row), schedule, events, agreed };
  const { state } = projectState(input, { today: work.today, as_of: asOf });
  return {
    as_of_date: asOf,
    ...balancesOwed(row, state),
    assumption: 'scheduled_payments_made' as const,
    days: daysBetween(work.today, asOf),
  };
}

function balancesOwed(row: OpenLoan['row'], state: LoanState) {
  return {
    principal_balance: state.principal_balance,
    accrued_interest: state.accrued_interest,
    outstanding_fees: state.outstanding_fees,
    total_balance: state.total_balance,
    next_payment_amount: state.next_payment_amount,
    next_payment_date: state.next_payment_date,
    payoff_amount: money(payoffAmount(state, prepaymentPenalty(row, state))),
    past_due_amount: state.past_due_amount,
    days_past_due: state.days_past_due,
    bill: { ...state.bill, last_day_on_time: lastDay(row, state) },
  };
}

/** The last day to pay the next installment without a late fee. */
const lastDay = (row: OpenLoan['row'], { bill }: LoanState) =>
  bill.due_date && lastDayOnTime(row, bill.due_date);

/** The current schedule: paid installments as of today, and projected amounts for the open ones. */
export async function readSchedule(work: Work, loanId: string) {
  const loan = await readLoan(work, loanId);
  const { row, schedule, events } = loan;
  const agreed = await readAgreedSteps(work, loan);
  return projectSchedule({ terms: readTerms(row), schedule, events, agreed, as_of: work.today });
}

/** All schedule versions with their reasons. The requested version includes its rows. */
export async function listScheduleVersions(
  { tx }: Work,
  loanId: string,
  version: number | undefined,
) {
  const found = await installments.listVersions(tx, loanId, version ?? null);
  if (found.length > 0) return found;
  if (version !== undefined || !(await rowExists(tx, loans, loanId))) throw new NotFound();
  return [];
}
