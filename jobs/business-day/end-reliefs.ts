import * as morningWork from '../../sql/business-day/morning-work.ts';
import { ageLoansById } from '../../sql/business-day/chunk-steps.ts';
import type { CloseChunk } from '../../sql/business-day/close-chunks.ts';
import { quarantine } from '../../sql/business-day/quarantines.ts';
import { withSavepoint } from '../../sql/database/db.ts';
import { mapConcurrently } from '../../sql/database/batch-by-transaction.ts';
import { isTransient } from '../../sql/database/transient-errors.ts';
import {
  isAnyEnded,
  lockLoansWithEndedRelief,
  type Ended,
} from '../../sql/loans/workouts/reliefs.ts';
import { addDays } from '../dates.ts';
import { billAfterRelief } from '../documents/statements.job.ts';
import { startAndEndDeferments } from '../loans/workouts/deferments.ts';
import { startAndEndForbearances } from '../loans/workouts/forbearances.ts';
import { advancePromotion } from '../loans/workouts/promotions.ts';
import { unfreeze, Unfreeze } from '../loans/servicing-actions/freeze.ts';
import type { ExternalServices } from '../external-systems.ts';
import { summarizeError } from '../monitoring/serialize-error.ts';
import { emitAll } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';

/**
 * Reliefs ended in the transaction that moves the business date, while the tenant's payments wait. The
 * chunks end the rest.
 */
const RELIEFS_IN_CLOSE_MAX = 500;
/** Reliefs ended per transaction of a chunk. */
const BATCH_SIZE = 50;
const STEP = 'relief_end';

/**
 * Locks loans whose reliefs end with a day. Loans are locked before the tenant, in the same order as
 * requests.
 */
export const lockEndedReliefs = ({ tx }: Work, day: string) =>
  lockLoansWithEndedRelief(tx, addDays(day, 1), { limit: RELIEFS_IN_CLOSE_MAX });

/**
 * Ends reliefs in the transaction that moves the business date, before any bill or payment of the new date.
 * Returns whether the chunks must end more: those beyond the limit, or all if this failed.
 */
export async function endReliefs(work: Work, ended: readonly Ended[]): Promise<boolean> {
  if (ended.length === 0) return false;
  const outcome = await withSavepoint(work.tx, () => endReliefsOfLoans(work, ended));
  if ('error' in outcome && isTransient(outcome.error)) throw outcome.error;
  return isAnyEnded(work.tx, work.today);
}

type Payload = { tenant_id: string; run_id: string; chunk: number };

/**
 * Ends the chunk's remaining reliefs, and bills those loans if a month or a cycle ended. Until then,
 * requests that change these loans fail with `ReliefEnding`. A loan for which this fails is quarantined.
 */
export async function endReliefsOfChunk(
  outside: ExternalServices,
  payload: Payload,
  chunk: CloseChunk,
) {
  const { within } = outside;
  const { tenant_id, run_id } = payload;
  let after: string | null | undefined;
  let singlesLeft = 0;
  while (after !== null) {
    const page: PageRange = { after, limit: singlesLeft > 0 ? 1 : BATCH_SIZE };
    try {
      after = await within(tenant_id, (work) => endReliefPage(work, run_id, chunk, page));
      singlesLeft -= 1;
    } catch (error) {
      if (singlesLeft > 0 || isTransient(error)) throw error;
      singlesLeft = BATCH_SIZE;
    }
  }
  await within(tenant_id, ({ tx }) => morningWork.markReliefsEnded(tx, run_id, payload.chunk));
}

type PageRange = { after: string | undefined; limit: number };

/** Returns the id of the last loan processed, or null if there was none. */
async function endReliefPage(
  work: Work,
  runId: string,
  chunk: CloseChunk,
  { after, limit }: PageRange,
): Promise<string | null> {
  const ended = await lockLoansWithEndedRelief(work.tx, work.today, { of: chunk, after, limit });
  const ids = ended.map(({ loan_id }) => loan_id);
  const last = ids.at(-1);
  if (last === undefined) return null;
  const outcome = await withSavepoint(work.tx, async () => {
    await endReliefsOfLoans(work, ended);
    await billAfterRelief(work, ids, chunk.unbilled_month);
  });
  if ('error' in outcome) {
    if (limit > 1 || isTransient(outcome.error)) throw outcome.error;
    await quarantine(work.tx, runId, last, STEP, summarizeError(outcome.error));
  }
  return last;
}

/** Ends the reliefs, then updates the loans' delinquency for the morning, which the close left to this. */
async function endReliefsOfLoans(work: Work, ended: readonly Ended[]) {
  await mapConcurrently(ended, (relief) =>
    endLoanReliefs({ ...work, isEndingReliefs: true }, relief),
  );
  const ids = ended.map(({ loan_id }) => loan_id);
  await emitAll(work, 'delinquency.changed', await ageLoansById(work.tx, ids, work.today));
}

async function endLoanReliefs(work: Work, { loan_id, is_frozen, promotions }: Ended) {
  if (is_frozen) await unfreeze(work, loan_id, Unfreeze.parse({}));
  for (const id of promotions) await advancePromotion(work, id, loan_id, false);
  await startAndEndForbearances(work, loan_id);
  await startAndEndDeferments(work, loan_id);
}
