import { ACTIONS_BY_STATUS } from '../../../sql/loans/actions.ts';
import type { RawLoan } from '../../../sql/loans/loans.ts';
import { Conflict } from '../../errors.ts';
import { isBilledByCycle } from '../arithmetic/terms.ts';
import { readTerms } from './loan-terms.ts';

/** The inputs of the loan's `allowed_actions`. */
export type ActionInputs = Pick<RawLoan, 'status' | 'blockers'>;

/** The actions that a loan's status allows. */
export const actionsOfStatus = (status: string): readonly string[] =>
  ACTIONS_BY_STATUS[status as keyof typeof ACTIONS_BY_STATUS] ?? [];

/** Details of a refusal. They show the caller which actions are possible. */
export const refusalDetails = ({ status, blockers }: ActionInputs) => ({
  current_status: status,
  allowed_actions: actionsOfStatus(status).filter((action) => blockers[action] === undefined),
});

export const BILLED_BY_CYCLE =
  'The line is billed by cycle. Its minimum payments cannot be rescheduled.';

/** Throws `Conflict` for a line billed by cycle, which has no schedule to change. */
export function assertHasSchedule(loan: RawLoan) {
  if (!isBilledByCycle(readTerms(loan))) return;
  throw new Conflict(BILLED_BY_CYCLE, 'billed_by_cycle', refusalDetails(loan));
}
