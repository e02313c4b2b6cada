import { listConditionsInForce } from '../../sql/loans/legal-conditions.ts';
import type { Condition } from '../cases/rules/conditions.ts';
import { effectsInForce, type STATEMENTS } from '../cases/rules/effects.ts';
import { settingsOf } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';

export type StatementForm = (typeof STATEMENTS)[number];

/** The form in which the person sees the amounts of each loan today, as in its statements. */
export async function statementFormsOf(
  { tx, today }: Work,
  borrowerId: string,
  loanIds: readonly string[],
) {
  const inForce = await listConditionsInForce(tx, loanIds, today, borrowerId);
  const byLoan = Map.groupBy(inForce, ({ loan_id }) => loan_id);
  const settings = byLoan.size > 0 ? await settingsOf(tx) : null;
  return (loanId: string): StatementForm => {
    const conditions = (byLoan.get(loanId) ?? []).map(({ condition }) => condition as Condition);
    return settings === null ? 'regular' : effectsInForce(conditions, settings).statement;
  };
}
