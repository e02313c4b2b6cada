import { afterAll } from 'vitest';
import type { Outside } from '../../jobs/outside.ts';
import { deliverWebhook } from '../../jobs/webhooks/deliver.job.ts';
import { startOutbound } from './outbound.ts';
import type { Stage } from './world.ts';

/** A worker of the outbound pool as in production, for deliveries alone; stopped with the test file. */
export async function startDeliveries(
  stage: Pick<Stage, 'url' | 'installation'>,
  post: Outside['post'],
) {
  const stop = await startOutbound(stage, [deliverWebhook], { post });
  afterAll(stop);
  return { stop };
}
