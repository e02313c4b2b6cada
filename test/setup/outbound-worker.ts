import { openLog } from '../../jobs/monitoring/log.ts';
import type { ExternalServices } from '../../jobs/external-systems.ts';
import { emit } from '../../jobs/webhooks/emit.ts';
import { subscribe } from '../../jobs/webhooks/subscription.ts';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import type { Installation } from '../../jobs/installation.ts';
import { openPool } from '../../sql/database/db.ts';
import { POOL_SETTINGS } from '../../workers/queue/pools.ts';
import { startEventRelay } from '../../workers/queue/relay.ts';
import { startWorker } from '../../workers/queue/worker.ts';
import { nothingOutside } from '../faults/nothing-outside.ts';
import { PAYMENT_RECEIVED } from './events.ts';
import type { Tenant } from './world.ts';

const SILENT = openLog('silent', {});

/** A worker of the outbound pool, as in production, that runs these jobs with these external services. */
export async function startOutboundWorker(
  { url, installation }: { url: string; installation: Installation },
  jobs: Parameters<typeof startWorker>[0]['jobs'],
  reached: Partial<ExternalServices>,
) {
  const app = await openPool(url, { size: 8 });
  const { keys } = installation;
  const within = createWithin(app, SYSTEM, installation);
  const worker = await startWorker(
    {
      name: 'outbound',
      url,
      jobs,
      log: SILENT,
      settings: POOL_SETTINGS.outbound,
      outside: { ...nothingOutside, within, keys, ...reached },
      background: (owner) => [startEventRelay(owner, SILENT)],
      onFatal: (reason) => {
        throw reason;
      },
    },
    new AbortController().signal,
  );
  let isStopped = false;
  return async () => {
    if (isStopped) return;
    isStopped = true;
    worker.abort();
    await worker.stop();
    await app.end();
  };
}

/** Subscribes these addresses to every event type. */
export const subscribeAll = (tenant: Pick<Tenant, 'within'>, urls: readonly string[]) =>
  tenant.within(async (work) => {
    for (const url of urls)
      await subscribe(work, { url, events: ['*'], is_active: true }, 'a secret of the receiver');
  });

/** Emits an event that goes to every subscriber. */
export const emitPaymentReceived = (tenant: Pick<Tenant, 'within'>) =>
  tenant.within((work) => emit(work, 'payment.received', PAYMENT_RECEIVED));
