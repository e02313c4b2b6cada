import * as morningWork from '../../sql/business-day/morning-work.ts';
import type { CloseChunk } from '../../sql/business-day/close-chunks.ts';
import { isRunDone } from '../../sql/business-day/close-runs.ts';
import {
  findQuarantinedInChunk,
  quarantine,
  resolveQuarantine,
} from '../../sql/business-day/quarantines.ts';
import { isTransient } from '../../sql/database/transient-errors.ts';
import * as statements from '../../sql/documents/statements.ts';
import { billMonth, enqueueStatements, loadStatementSender } from '../documents/statements.job.ts';
import { openUnbilledLoan } from '../loans/history/open-loan.ts';
import { recordEvents } from '../loans/history/record-events.ts';
import type { ExternalServices } from '../external-systems.ts';
import { summarizeError } from '../monitoring/serialize-error.ts';
import { queryByHalves, serializeChunkWork } from './run-steps.ts';

type Payload = { tenant_id: string; run_id: string; chunk: number };
type UnbilledChunk = CloseChunk & { unbilled_month: string };

const STEP = 'billing';

/**
 * Bills the loans of a chunk for the month that ended with its day, in small transactions while payments
 * continue. A change to a loan bills the loan first (`billBeforeEvent`). Safe to repeat after a crash. The
 * job that bills the last chunk enqueues the month's statement documents.
 */
export async function billChunk(outside: ExternalServices, payload: Payload, chunk: UnbilledChunk) {
  const { tenant_id, run_id, chunk: number } = payload;
  const month = chunk.unbilled_month;
  const sender = await outside.within(tenant_id, loadStatementSender, { readOnly: true });
  await statements
    .billStatements(
      (steps) => serializeChunkWork(() => outside.within(tenant_id, ({ tx }) => steps(tx))),
      ...([month, sender, 'month' as const, statements.loansInChunk(chunk)] as const),
    )
    .catch((error: unknown) => {
      if (isTransient(error)) throw error;
      return billByHalves(outside, payload, chunk);
    });
  await outside.within(tenant_id, async (work) => {
    await morningWork.lockRun(work.tx, run_id);
    await morningWork.markChunkBilled(work.tx, run_id, number);
    if (await isRunDone(work.tx, run_id)) await enqueueStatements(work, month);
  });
}

/**
 * Loans that make the billing statement fail are refolded, because a stale checkpoint may be the cause. If
 * billing still fails, the loan is quarantined.
 */
async function billByHalves({ within }: ExternalServices, payload: Payload, chunk: UnbilledChunk) {
  const { tenant_id, run_id } = payload;
  const month = chunk.unbilled_month;
  const failed = await within(tenant_id, async (work) => {
    await queryByHalves(work.tx, payload, STEP, chunk, async (_tx, part) => {
      await billMonth(work, month, statements.loansInChunk(part));
      return [];
    });
    return findQuarantinedInChunk(work.tx, run_id, STEP, chunk);
  });
  for (const id of failed) {
    try {
      await within(tenant_id, async (work) => {
        await recordEvents(work, await openUnbilledLoan(work, id), []);
        await billMonth(work, month, statements.loansWithIds([id]));
        await resolveQuarantine(work.tx, run_id, STEP, id);
      });
    } catch (error) {
      if (isTransient(error)) throw error;
      await within(tenant_id, ({ tx }) => quarantine(tx, run_id, id, STEP, summarizeError(error)));
    }
  }
}
