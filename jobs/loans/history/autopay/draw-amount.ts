import type { Big } from 'big.js';
import type { AutopayPlan } from '../../../../sql/loans/open-autopay-plan.ts';
import { payoffAmount, repaymentAmount } from '../../engine/projection/payoff-amounts.ts';
import type { LoanState } from '../../engine/state.ts';
import { nextAutopayDateAfter } from './autopay-dates.ts';
import { min, parseMoney, sum, ZERO } from '../../../money.ts';

/**
 * The amount to draw for a due date: the open part, at most the amount that repays the loan. Zero skips the
 * date. The last due date and any later draw ask for the whole debt on the day of the draw. An accelerated
 * debt is not drawn, except by a `payoff` plan.
 *
 * - payoff: the payoff amount, including the prepayment penalty.
 * - minimum_due: the rest of that date's installment. With the plan's own frequency: of the oldest
 *   installment due before the plan's next date.
 * - minimum_due_plus: the same plus the extra amount.
 * - past_due_and_current: all installments due by then, and open fees.
 * - statement_balance: the same; for a line billed by cycle, the rest of its last statement.
 * - fixed: that amount, also on the last due date.
 */
export function drawAmount(
  plan: AutopayPlan,
  state: LoanState,
  dueDate: string,
  penalty = ZERO,
): Big {
  if (plan.amount_type === 'payoff') return payoffAmount(state, penalty);
  return state.is_accelerated
    ? ZERO
    : min(requestedAmount(plan, state, dueDate), repaymentAmount(state));
}

function requestedAmount(plan: AutopayPlan, state: LoanState, dueDate: string): Big {
  switch (plan.amount_type) {
    case 'fixed':
      return parseMoney(plan.fixed_amount ?? '0.00');
    case 'minimum_due_plus':
      return minimumDue(plan, state, dueDate).plus(plan.extra_amount ?? '0.00');
    case 'past_due_and_current':
      return dueBy(state, dueDate);
    case 'statement_balance':
      return state.cycle ? parseMoney(state.cycle.statement_remainder) : dueBy(state, dueDate);
    default:
      return minimumDue(plan, state, dueDate);
  }
}

function minimumDue(plan: AutopayPlan, state: LoanState, dueDate: string): Big {
  const { installments } = state;
  if (plan.frequency === 'on_due_date') {
    const rows = installments.filter(({ due_date }) => due_date === dueDate);
    return isLast(state, dueDate) ? repaymentAmount(state) : sum(rows.map(restOf));
  }
  const following = nextAutopayDateAfter(plan, dueDate);
  const isBefore = ({ due_date }: { due_date: string }) =>
    following === null || due_date < following;
  const open = installments.find((row) => isBefore(row) && restOf(row).gt(0));
  if (open === undefined) return ZERO;
  return isLast(state, open.due_date) ? repaymentAmount(state) : restOf(open);
}

/** The installments due by a date, and the fees due. */
function dueBy(state: LoanState, date: string): Big {
  if (isLast(state, date)) return repaymentAmount(state);
  const rows = state.installments.filter(({ due_date }) => due_date <= date);
  return sum(rows.map(restOf)).plus(state.bill.fees_due);
}

const isLast = ({ maturity_date }: LoanState, date: string): boolean =>
  maturity_date !== null && date >= maturity_date;

const restOf = ({ open_amount }: LoanState['installments'][number]): Big => parseMoney(open_amount);
