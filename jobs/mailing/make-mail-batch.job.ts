import { z } from 'zod';
import * as batches from '../../sql/mailing/batches.ts';
import { date, uuid } from '../../sql/types.ts';
import { enqueue, job } from '../job.ts';
import type { Settings } from '../users/settings/settings.ts';
import type { Work } from '../work.ts';
import { createBatch } from './batch.ts';

/** Makes the batch of a closed day if there are letters. A second run does nothing. */
export const makeMailBatch = job({
  name: 'make-mail-batch',
  pool: 'documents',
  payload: z.object({ tenant_id: uuid, day: date }),
  attempts: 5,
  key: ({ tenant_id, day }) => `make-mail-batch:${tenant_id}:${day}`,

  run: ({ tenant_id, day }, { within }) =>
    within(tenant_id, async (work) => {
      await batches.lockBatchCreation(work.tx);
      if (!(await batches.hasScheduledBatch(work.tx, day))) await createBatch(work, day);
    }),
});

/** Enqueues the batch of a closed day if the tenant uses daily batches. */
export async function enqueueDailyBatch({ tx, tenant_id }: Work, day: string, settings: Settings) {
  const { batch_at_close } = settings.communications.mail_house;
  if (batch_at_close) await enqueue(tx, makeMailBatch, { tenant_id, day });
}
