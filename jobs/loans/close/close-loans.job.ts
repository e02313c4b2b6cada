import { randomUUIDv7 } from 'node:crypto';
import { z } from 'zod';
import * as close from '../../../sql/loans/close.ts';
import * as steps from '../../../sql/loans/close-steps.ts';
import { uuid } from '../../../sql/types.ts';
import { addDays } from '../../dates.ts';
import { enqueueAll, job } from '../../job.ts';
import { post } from '../../ledger/post.ts';
import type { Outside } from '../../outside.ts';
import { emit } from '../../webhooks/emit.ts';
import type { Work } from '../../work.ts';
import { finishDay } from './finish-day.ts';
import { planClose } from './plan-close.ts';
import {
  autopay,
  duePayments,
  foldAgain,
  freezesEnd,
  lateFees,
  lossesFollow,
  promotionsMove,
} from './few.ts';
import { judgeAgreements, turnRecords } from './records.ts';

const Payload = z.object({ tenant_id: uuid, run_id: uuid, chunk: z.int().min(1) });
type Payload = z.output<typeof Payload>;

/**
 * Closes a day for a range of loans: first the few that have something due, each under its own lock;
 * then all of them by one statement a step. Each step is guarded by a row or a key, so a repeat after
 * a crash ends in the same state.
 */
export const closeLoans = job({
  name: 'close-loans',
  pool: 'ledger',
  payload: Payload,
  attempts: 10,
  key: ({ run_id, chunk }) => `close-loans:${run_id}:${chunk}`,

  async run(payload, outside) {
    const { tenant_id, run_id, chunk: number } = payload;
    const chunk = await outside.within(tenant_id, ({ tx }) =>
      close.chunk(tx, run_id, number, false),
    );
    if (chunk === null) return;
    if (chunk.done_at === null) {
      await freezesEnd(outside, payload, chunk);
      await promotionsMove(outside, payload, chunk);
      await turnRecords(outside, payload, chunk);
      await duePayments(outside, payload, chunk);
      await autopay(outside, payload, chunk);
      await foldAgain(outside, payload, chunk);
      await lateFees(outside, payload, chunk);
      await lossesFollow(outside, payload, chunk);
      await judgeAgreements(outside, payload, chunk);
      await accrue(outside, payload);
      await snapshotAndAge(outside, payload);
    }
    // Whoever finds the day complete ends it; a repeat after a crash ends it just the same.
    const through = await finishDay(outside, tenant_id, run_id);
    if (through !== null) await outside.within(tenant_id, (work) => startClose(work, through));
  },
});

/** Plans the close of the tenant's days up to `through` and enqueues the first one's chunks. */
export async function startClose(work: Work, through: string): Promise<close.Run | null> {
  const run = await planClose(work, through);
  if (run === null) return null;
  const chunks = Array.from({ length: run.chunks_total }, (_, index) => index + 1);
  const { tenant_id } = work;
  await enqueueAll(
    work.tx,
    closeLoans,
    chunks.map((chunk) => ({ tenant_id, run_id: run.id, chunk })),
  );
  return run;
}

/** No writer of these loans passes while the chunk's row is held, and each sees which side it is on. */
const accrue = (outside: Outside, { tenant_id, run_id, chunk: number }: Payload) =>
  outside.within(tenant_id, async (work) => {
    const chunk = await close.chunk(work.tx, run_id, number, true);
    if (chunk === null || chunk.is_accrued) return;
    const id = randomUUIDv7();
    const accrued = await steps.accrue(work.tx, chunk, chunk.cob_date, id);
    await post(work, {
      id,
      entry_date: chunk.cob_date,
      reference_type: 'interest_accrual',
      reference_id: run_id,
      purpose: String(number),
      description: `Interest of ${chunk.cob_date}, ${accrued.loans} loans`,
      debit: { interest_receivable: accrued.interest },
      credit: { interest_income: accrued.interest },
    });
    await close.markAccrued(work.tx, run_id, number, accrued);
  });

const snapshotAndAge = (outside: Outside, { tenant_id, run_id, chunk: number }: Payload) =>
  outside.within(tenant_id, async (work) => {
    const chunk = await close.chunk(work.tx, run_id, number, false);
    if (chunk === null || chunk.done_at !== null) return;
    await steps.snapshot(work.tx, chunk, chunk.cob_date);
    for (const moved of await steps.age(work.tx, chunk, addDays(chunk.cob_date, 1))) {
      await emit(work, 'delinquency.changed', moved);
    }
    await close.markDone(work.tx, run_id, number);
  });
