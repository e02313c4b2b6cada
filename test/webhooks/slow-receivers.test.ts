import { expect, test } from 'vitest';
import type { PostResponse, PostRequest } from '../../jobs/external-systems.ts';
import { startDeliveryWorker } from '../setup/delivery-worker.ts';
import { emitPaymentReceived, subscribeAll } from '../setup/outbound-worker.ts';
import { newStage } from '../setup/world.ts';
import { eventually } from '../workers/stage.ts';

const HEALTHY = 'https://healthy.example.com/';
const HANGING = Array.from({ length: 50 }, (_, index) => `https://hanging-${index}.example.com/`);
const ROUNDS = 6;

const stage = await newStage();

test('fifty silent receivers do not delay a delivery to one that is known to answer', async () => {
  const tenant = await stage.tenant();
  const release = Promise.withResolvers<PostResponse>();
  let delivered = 0;
  let hanging = 0;
  const worker = await startDeliveryWorker(stage, async ({ url }: PostRequest) => {
    if (url !== HEALTHY) {
      hanging += 1;
      return release.promise;
    }
    delivered += 1;
    return { ok: true, status: 204, body: '', ms: 1 };
  });
  await subscribeAll(tenant, [HEALTHY]);
  await emitPaymentReceived(tenant);
  await eventually(() => delivered, 1);
  await subscribeAll(tenant, HANGING);

  // The hanging requests end only after the loop, so a delivery that waited for one would never finish.
  for (let round = 1; round <= ROUNDS; round += 1) {
    await emitPaymentReceived(tenant);
    await eventually(() => delivered, 1 + round);
  }
  release.resolve({ ok: false, error: 'No answer within 10 seconds.', ms: 10_000 });
  await worker.stop();

  expect(delivered).toBe(1 + ROUNDS);
  expect(hanging).toBeGreaterThanOrEqual(24);
});
