import type { Chunk } from '../../sql/business-day/closes.ts';
import * as billing from '../../sql/business-day/billing.ts';
import * as statements from '../../sql/documents/statements.ts';
import { issue, senderFor } from '../documents/statements.job.ts';
import type { Outside } from '../outside.ts';

type Payload = { tenant_id: string; run_id: string; chunk: number };

/**
 * Bills the loans of a chunk for the month that ended with its day, some at a time, while others pay: who
 * changes one of them has it billed first (`billFirst`). A repeat after a crash goes through all of them
 * and adds what is missing. The month's statements get their documents once all chunks are billed.
 */
export async function billChunk(
  { within }: Outside,
  { tenant_id, run_id, chunk: number }: Payload,
  chunk: Chunk & { unbilled_month: string },
) {
  const month = chunk.unbilled_month;
  const sender = await within(tenant_id, senderFor, { readOnly: true });
  await statements.bill(
    (steps) => within(tenant_id, ({ tx }) => steps(tx)),
    ...([month, sender, 'month' as const, statements.ofChunk(chunk)] as const),
  );
  await within(tenant_id, ({ tx }) => billing.markBilled(tx, run_id, number));
  await within(tenant_id, async (work) => {
    if ((await billing.chunksUnbilled(work.tx, run_id)) === 0) await issue(work, month);
  });
}
