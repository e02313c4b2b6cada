import { afterAll } from 'vitest';
import { openLog } from '../../jobs/log.ts';
import type { Outside } from '../../jobs/outside.ts';
import { deliverWebhook } from '../../jobs/webhooks/deliver.job.ts';
import { emit } from '../../jobs/webhooks/emit.ts';
import { subscribe } from '../../jobs/webhooks/subscription.ts';
import { SYSTEM, workOf } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { POOL_SETTINGS } from '../../workers/queue/pools.ts';
import { relay } from '../../workers/queue/relay.ts';
import { startWorker } from '../../workers/queue/run.ts';
import { nothingOutside } from '../faults/nothing-outside.ts';
import { PAYMENT_RECEIVED } from './events.ts';
import type { Stage, Tenant } from './world.ts';

const SILENT = openLog('silent', {});

/** A worker of the outbound pool as in production, for deliveries alone; stopped with the test file. */
export async function startDeliveries(
  stage: Pick<Stage, 'url' | 'installation'>,
  post: Outside['post'],
) {
  const app = await openPool(stage.url, { size: 8 });
  const { keys } = stage.installation;
  const within = workOf(app, SYSTEM, stage.installation);
  const worker = await startWorker(
    {
      name: 'outbound',
      url: stage.url,
      jobs: [deliverWebhook],
      clock: [],
      log: SILENT,
      settings: POOL_SETTINGS.outbound,
      outside: { ...nothingOutside, within, keys, post },
      beside: (owner) => [relay(owner, SILENT)],
      onFatal: (reason) => {
        throw reason;
      },
    },
    new AbortController().signal,
  );
  let isStopped = false;
  const stop = async () => {
    if (isStopped) return;
    isStopped = true;
    worker.abort();
    await worker.stop();
    await app.end();
  };
  afterAll(stop);
  return { stop };
}

/** Subscribes these addresses to everything. */
export const subscribeAll = (tenant: Pick<Tenant, 'within'>, urls: readonly string[]) =>
  tenant.within(async (work) => {
    for (const url of urls)
      await subscribe(work, { url, events: ['*'], is_active: true }, 'a secret of the receiver');
  });

/** Something happens, of which every subscriber is told. */
export const happened = (tenant: Pick<Tenant, 'within'>) =>
  tenant.within((work) => emit(work, 'payment.received', PAYMENT_RECEIVED));
