import { afterAll } from 'vitest';
import type { ExternalServices } from '../../jobs/external-systems.ts';
import { deliverWebhook } from '../../jobs/webhooks/deliver.job.ts';
import { startOutboundWorker } from './outbound-worker.ts';
import type { Stage } from './world.ts';

/**
 * A worker of the outbound pool, as in production, that runs only deliveries. It stops with the test file.
 */
export async function startDeliveryWorker(
  stage: Pick<Stage, 'url' | 'installation'>,
  post: ExternalServices['post'],
) {
  const stop = await startOutboundWorker(stage, [deliverWebhook], { post });
  afterAll(stop);
  return { stop };
}
