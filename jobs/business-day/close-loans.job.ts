import { Big } from 'big.js';
import { z } from 'zod';
import * as steps from '../../sql/business-day/chunk-steps.ts';
import * as chunks from '../../sql/business-day/close-chunks.ts';
import * as runs from '../../sql/business-day/close-runs.ts';
import { newId } from '../../sql/new-id.ts';
import { uuid } from '../../sql/types.ts';
import { addDays } from '../dates.ts';
import { enqueueAll, job } from '../job.ts';
import { ACCRUAL_ROLES } from '../ledger/chart.ts';
import { postNewEntryParts } from '../ledger/post.ts';
import { money, sum } from '../money.ts';
import type { ExternalServices } from '../external-systems.ts';
import { settingsOf } from '../users/settings/settings.ts';
import { emitAll } from '../webhooks/emit.ts';
import type { Work } from '../work.ts';
import { billChunk } from './bill-chunk.ts';
import { endReliefsOfChunk } from './end-reliefs.ts';
import { finishDay } from './finish-day.ts';
import { loanSteps } from './loan-steps.ts';
import { planClose } from './plan-close.ts';
import {
  runSteps,
  queryByHalves,
  retryByHalves,
  findDueTasks,
  type ChunkQueryRunner,
} from './run-steps.ts';

const Payload = z.object({
  tenant_id: uuid,
  run_id: uuid,
  chunk: z.int().min(1),
  /**
   * Set when the chunk runs again on the next morning, for statements and ended reliefs. It makes the job
   * key different, so the second run does not replace the first.
   */
  morning: z.literal(true).optional(),
});
type Payload = z.output<typeof Payload>;

/**
 * Closes a day for a range of loans. First come the few loans that have something due, each under its own
 * lock; then all loans, with one statement per step. A loan that makes a step fail is quarantined. A row or
 * key guards each step, so the job is safe to repeat after a crash.
 */
export const closeLoans = job({
  name: 'close-loans',
  pool: 'ledger',
  payload: Payload,
  attempts: 10,
  key: ({ run_id, chunk, morning }) => `close-loans:${run_id}:${chunk}${morning ? ':morning' : ''}`,

  async run(payload, outside) {
    const { tenant_id, run_id } = payload;
    const started = await startChunk(outside, payload);
    if (started === null) return;
    const { chunk, due } = started;
    if (due !== null && due.found.tasks.length > 0) {
      await runSteps(outside, payload, chunk, due);
      await accrueChunk(outside, payload);
    }
    if (due !== null) await snapshotAndAge(outside, payload);
    if (chunk.has_ended_reliefs) await endReliefsOfChunk(outside, payload, chunk);
    if (chunk.unbilled_month !== null)
      await billChunk(outside, payload, { ...chunk, unbilled_month: chunk.unbilled_month });
    // The job that completes the last chunk ends the day. Safe to repeat after a crash.
    await outside.within(tenant_id, async (work) => {
      const ended = await finishDay(work, run_id);
      if (ended === null) return;
      await enqueueChunks(work, run_id, ended.morning_chunks, { morning: true });
      if (ended.next !== null) await enqueueRun(work, ended.next);
    });
  },
});

/** Plans the close of the tenant's days up to `through` and enqueues the first one's chunks. */
export async function startClose(work: Work, through: string): Promise<runs.Run | null> {
  const run = await planClose(work, through);
  if (run !== null) await enqueueRun(work, run);
  return run;
}

const enqueueRun = (work: Work, { id, chunks_total }: runs.Run) =>
  enqueueChunks(
    work,
    id,
    Array.from({ length: chunks_total }, (_, index) => index + 1),
  );

async function enqueueChunks(
  { tx, tenant_id }: Work,
  run_id: string,
  numbers: readonly number[],
  phase: Pick<Payload, 'morning'> = {},
) {
  if (numbers.length === 0) return;
  const payloads = numbers.map((chunk) => ({ tenant_id, run_id, chunk, ...phase }));
  await enqueueAll(tx, closeLoans, payloads);
}

/**
 * These transactions take the date from their run. A transaction that assumed the process's cached date
 * would fail and restart in every process that did not close the previous day.
 */
const UNDATED = { isUndated: true };

/** Finds the loans that have something due. If there are none, accrues interest in the same transaction. */
const startChunk = (outside: ExternalServices, payload: Payload) =>
  retryByHalves((runQuery) =>
    outside.within(
      payload.tenant_id,
      async (work) => {
        const chunk = await chunks.findChunk(work.tx, payload.run_id, payload.chunk);
        if (chunk === null) return null;
        if (chunk.done_at !== null) return { chunk, due: null };
        const ordered = loanSteps(await settingsOf(work.tx));
        const found = await findDueTasks(work.tx, payload, chunk, {
          steps: ordered,
          asking: runQuery,
        });
        if (found.tasks.length === 0) await accrueAndPost(work, payload, runQuery);
        return { chunk, due: { steps: ordered, found } };
      },
      UNDATED,
    ),
  );

export const accrueChunk = (outside: ExternalServices, payload: Payload) =>
  retryByHalves((runQuery) =>
    outside.within(payload.tenant_id, (work) => accrueAndPost(work, payload, runQuery), UNDATED),
  );

/**
 * Locks the chunk's row, so that writers of its loans wait and then know whether the day's interest is
 * posted.
 */
async function accrueAndPost(work: Work, payload: Payload, runQuery: ChunkQueryRunner) {
  const { run_id, chunk: number } = payload;
  const chunk = await chunks.lockChunkToAccrue(work.tx, run_id, number);
  if (chunk === null) return;
  const id = newId();
  const parts = await runQuery(work.tx, payload, 'accrual', chunk, (tx, part) =>
    steps.accrueInterest(tx, part, chunk.cob_date, id),
  );
  const loans = parts.reduce((total, part) => total + part.loans, 0);
  const interest = money(sum(parts.map((part) => new Big(part.interest))));
  const heading = {
    id,
    entry_date: chunk.cob_date,
    reference_type: 'interest_accrual',
    reference_id: run_id,
    purpose: String(number),
    description: `Interest of ${chunk.cob_date}, ${loans} loans`,
  };
  // The chunk's lock proves that the entry is new.
  await postNewEntryParts(work, heading, parts.map(accrualPosting));
  await chunks.markAccrued(work.tx, run_id, number, { loans, interest });
}

/** The interest of loans whose products map it to the same accounts. */
const accrualPosting = (part: steps.AccruedSum) => ({
  debit: { [ACCRUAL_ROLES.debit]: part.interest },
  credit: { [ACCRUAL_ROLES.credit]: part.interest },
  accounts: {
    interest_receivable: part.interest_receivable,
    interest_income: part.interest_income,
  },
});

const snapshotAndAge = (outside: ExternalServices, payload: Payload) =>
  retryByHalves((runQuery) =>
    outside.within(
      payload.tenant_id,
      async (work) => {
        const { run_id, chunk: number } = payload;
        const chunk = await chunks.findChunk(work.tx, run_id, number);
        if (chunk === null || chunk.done_at !== null) return;
        await runQuery(work.tx, payload, 'snapshot', chunk, (tx, part) =>
          // The snapshot and `done_at` commit together. If a second worker does the same, this insert
          // fails, and the retry finds the chunk done.
          steps.snapshotLoans(tx, part, chunk.cob_date, runQuery === queryByHalves),
        );
        const morning = addDays(chunk.cob_date, 1);
        const moved = await runQuery(work.tx, payload, 'ageing', chunk, (tx, part) =>
          steps.ageLoans(tx, part, morning),
        );
        await emitAll(work, 'delinquency.changed', moved);
        await chunks.markChunkDone(work.tx, run_id, number);
      },
      UNDATED,
    ),
  );
