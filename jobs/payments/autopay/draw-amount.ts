import type { Big } from 'big.js';
import type { Plan } from '../../../sql/borrowers/autopay-plans.ts';
import { payoffAmount } from '../../loans/engine/payoff-amounts.ts';
import type { LoanState } from '../../loans/engine/state.ts';
import { min, parseMoney, sum, ZERO } from '../../money.ts';
import { occurrenceAfter } from './autopay-dates.ts';

/**
 * What a plan asks for on account of a due date: what is still open of it, never more than pays off
 * the loan. Nothing means that the date is passed over.
 *
 * - payoff: the whole figure, with the penalty for early repayment.
 * - minimum_due: the rest of the instalment of that date; with a rhythm of the plan's own, of the
 *   oldest instalment that falls due before its next turn.
 * - minimum_due_plus: that and the extra amount.
 * - past_due_and_current, statement_balance: all instalments due by then, and open fees; of a line that
 *   is billed by cycle, the rest of what its last statement said it owes.
 */
export function drawAmount(plan: Plan, state: LoanState, dueDate: string, penalty = ZERO): Big {
  if (plan.amount_type === 'payoff') return payoffAmount(state, penalty);
  return min(wanted(plan, state, dueDate), payoffAmount(state));
}

function wanted(plan: Plan, state: LoanState, dueDate: string): Big {
  switch (plan.amount_type) {
    case 'fixed':
      return parseMoney(plan.fixed_amount ?? '0.00');
    case 'minimum_due_plus':
      return minimumDue(plan, state, dueDate).plus(plan.extra_amount ?? '0.00');
    case 'statement_balance':
      if (state.cycle !== null) return parseMoney(state.cycle.statement_rest);
      return allDue(state, dueDate);
    case 'past_due_and_current':
      return allDue(state, dueDate);
    default:
      return minimumDue(plan, state, dueDate);
  }
}

const allDue = (state: LoanState, dueDate: string): Big =>
  sum(state.installments.filter(({ due_date }) => due_date <= dueDate).map(restOf)).plus(
    feesBesides(state),
  );

function minimumDue(plan: Plan, state: LoanState, dueDate: string): Big {
  const { installments } = state;
  if (plan.frequency === 'on_due_date')
    return sum(installments.filter(({ due_date }) => due_date === dueDate).map(restOf));
  const following = occurrenceAfter(plan, dueDate);
  const open = installments.find((row) => row.due_date < following && restOf(row).gt(0));
  return open ? restOf(open) : ZERO;
}

/** Open fees that the instalments do not ask for already, as the minimum payments of a line do. */
const feesBesides = ({ fees, cycle }: LoanState): Big =>
  cycle !== null
    ? ZERO
    : sum(
        fees
          .filter(({ is_spread }) => !is_spread)
          .map(({ outstanding_amount }) => parseMoney(outstanding_amount)),
      );

const restOf = ({ open_amount }: LoanState['installments'][number]): Big => parseMoney(open_amount);
