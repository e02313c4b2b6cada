import { cancelTasks, openTasksForLoans, isKnownTask } from '../../sql/borrowers/tasks.ts';
import * as conditions from '../../sql/loans/legal-conditions.ts';
import { lockLoan } from '../../sql/loans/loans.ts';
import { followForbiddenLateFees } from '../loans/fees/forbidden-late-fees.ts';
import { followLegalRateCaps } from '../loans/history/rate-caps/follow-rate-caps.ts';
import type { Work } from '../work.ts';
import { settingsOf } from '../users/settings/settings.ts';
import { allows } from './rules/loan-effects.ts';
import { CONDITION_KINDS, kindOf, restoresRights, type Condition } from './rules/conditions.ts';
import { effectsInForce } from './rules/effects.ts';

/**
 * Brings each loan in line with the conditions of those who owe it, after the conditions of a case changed. Locks the
 * loans in the order of their ids.
 */
export async function conditionsChanged(work: Work, loanIds: readonly string[]): Promise<void> {
  const ids = [...new Set(loanIds)].toSorted();
  for (const id of ids) await lockLoan(work.tx, id);
  for (const id of ids) {
    await followLegalRateCaps(work, id);
    await followForbiddenLateFees(work, id);
    await reviewAcceleration(work, id);
  }
  await updateLegalStanding(work, ids);
}

/**
 * Asks staff to review an acceleration on a day on which a condition, which became known later, forbids it. Withdraws the
 * task if no condition does any more.
 */
async function reviewAcceleration({ tx, today }: Work, loanId: string) {
  const accelerated = await conditions.findAcceleration(tx, loanId);
  if (accelerated === null) return;
  const { loan_number, day } = accelerated;
  const title = `Review the acceleration of ${loan_number} on ${day}`;
  if (allows(await conditions.readLegalConditions(tx, loanId), 'acceleration', day))
    return cancelTasks(tx, loanId, [title]);
  if (await isKnownTask(tx, loanId, title)) return;
  const description =
    'A legal condition that became known later does not allow the acceleration on that day. Reverse it, unless a lawyer says that it stands.';
  return openTasksForLoans(tx, [loanId], { title, description, due_date: today, priority: 'high' });
}

/** Brings a new loan, or one that other people owe from now on, in line with their conditions. */
export async function followConditions(work: Work, loanId: string) {
  if (!(await followLegalRateCaps(work, loanId))) return;
  await followForbiddenLateFees(work, loanId);
  await updateLegalStanding(work, [loanId]);
}

/** Brings a loan in line after a person was released. What was in force while they owed it stays. */
export async function followRelease(work: Work, loanId: string) {
  await followConditions(work, loanId);
  await updateLegalStanding(work, [loanId]);
}

/** What a loan shows as `sub_status` while one of these is in force, the weightiest first. */
const SUB_STATUSES = CONDITION_KINDS.filter((kind) => kind !== 'cease_and_desist');

/** Sets what loans show of the conditions in force today. */
export async function updateLegalStanding({ tx, today }: Work, loanIds: readonly string[]) {
  const inForce = await conditions.listConditionsInForce(tx, loanIds, today);
  const byLoan = Map.groupBy(inForce, ({ loan_id }) => loan_id);
  const settings = await settingsOf(tx);
  const standings = loanIds.map((id) => {
    const held = (byLoan.get(id) ?? []).map(({ condition }) => condition as Condition);
    const kinds = held.filter((condition) => !restoresRights(condition)).map(kindOf);
    return {
      id,
      sub_status: SUB_STATUSES.find((kind) => kinds.includes(kind)) ?? null,
      is_acceleration_forbidden: !effectsInForce(held, settings).acceleration,
    };
  });
  await conditions.saveLegalStandings(tx, standings);
}

/** The same for the loans whose conditions begin or end on the new business date. */
export async function turnLegalStandings(work: Work) {
  const ids = await conditions.loansWithTurningConditions(work.tx, work.today);
  if (ids.length > 0) await updateLegalStanding(work, ids);
}
