import { lockLoan } from '../../sql/loans/loans.ts';
import { followLegalRateCaps } from '../loans/history/rate-caps/follow-rate-caps.ts';
import type { Work } from '../work.ts';

/**
 * Brings each loan in line with the conditions of those who owe it, after the conditions of a case changed. Locks the
 * loans in the order of their ids.
 */
export async function conditionsChanged(
  work: Work,
  _caseId: string,
  loanIds: readonly string[],
): Promise<void> {
  const ids = [...new Set(loanIds)].toSorted();
  for (const id of ids) await lockLoan(work.tx, id);
  for (const id of ids) await followLegalRateCaps(work, id);
}
