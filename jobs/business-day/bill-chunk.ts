import * as billing from '../../sql/business-day/billing.ts';
import { isDone, type Chunk } from '../../sql/business-day/closes.ts';
import { asideIn, setAside, takeUp } from '../../sql/business-day/loan-errors.ts';
import { isPassing } from '../../sql/database/passing.ts';
import * as statements from '../../sql/documents/statements.ts';
import { billMonth, issue, senderFor } from '../documents/statements.job.ts';
import { foldAnew } from '../loans/history/happen.ts';
import type { Outside } from '../outside.ts';
import { sentenceOf } from '../say-error.ts';
import { ofAll } from './set-aside.ts';

type Payload = { tenant_id: string; run_id: string; chunk: number };
type Unbilled = Chunk & { unbilled_month: string };

const STEP = 'billing';

/**
 * Bills the loans of a chunk for the month that ended with its day, some at a time, while others pay: who
 * changes one of them has it billed first (`billFirst`). A repeat after a crash goes through all of them
 * and adds what is missing. Whoever bills the last chunk orders the documents of the month's statements.
 */
export async function billChunk(outside: Outside, payload: Payload, chunk: Unbilled) {
  const { tenant_id, run_id, chunk: number } = payload;
  const month = chunk.unbilled_month;
  const sender = await outside.within(tenant_id, senderFor, { readOnly: true });
  await statements
    .bill(
      (steps) => outside.within(tenant_id, ({ tx }) => steps(tx)),
      ...([month, sender, 'month' as const, statements.ofChunk(chunk)] as const),
    )
    .catch((error: unknown) => {
      if (isPassing(error)) throw error;
      return billByHalves(outside, payload, chunk);
    });
  await outside.within(tenant_id, async (work) => {
    await billing.takeTurns(work.tx, run_id);
    await billing.markBilled(work.tx, run_id, number);
    if (await isDone(work.tx, run_id)) await issue(work, month);
  });
}

/** Loans that the statement fails for are folded anew, which mends what it stumbled over, or are set aside. */
async function billByHalves({ within }: Outside, payload: Payload, chunk: Unbilled) {
  const { tenant_id, run_id } = payload;
  const month = chunk.unbilled_month;
  const failed = await within(tenant_id, async (work) => {
    await ofAll(work.tx, payload, STEP, chunk, async (_tx, part) => {
      await billMonth(work, month, statements.ofChunk(part));
      return [];
    });
    return asideIn(work.tx, run_id, STEP, chunk);
  });
  for (const id of failed) {
    try {
      await within(tenant_id, async (work) => {
        await foldAnew(work, id);
        await billMonth(work, month, statements.ofIds([id]));
        await takeUp(work.tx, run_id, STEP, id);
      });
    } catch (error) {
      if (isPassing(error)) throw error;
      await within(tenant_id, ({ tx }) => setAside(tx, run_id, id, STEP, sentenceOf(error)));
    }
  }
}
