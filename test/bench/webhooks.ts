import { Agent, createServer, request } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { deliverWebhook } from '../../jobs/webhooks/deliver.job.ts';
import { emitAll } from '../../jobs/webhooks/emit.ts';
import { signBody } from '../../jobs/webhooks/signature.ts';
import { SYSTEM, createWithin, type Work } from '../../jobs/work.ts';
import { makeCertificate } from '../../workers/outside/certificate.ts';
import { openHttp } from '../../workers/outside/http.ts';
import { POOL_SETTINGS } from '../../workers/queue/pools.ts';
import { PAYMENT_RECEIVED } from '../setup/events.ts';
import { subscribeAll } from '../setup/outbound-worker.ts';
import { startOutboundWorker } from '../setup/outbound-worker.ts';
import { saveSettings } from '../setup/settings.ts';
import { perSecond, alternate, parseSize, type Bench } from './figures.ts';
import { listen, stopServer } from './over-http.ts';
import { openWorld } from './world.ts';

const ROUNDS = 3;
const CONCURRENCY = POOL_SETTINGS.outbound.concurrency;

/** A receiver that reads everything and answers without delay. */
async function startReceiver() {
  const [from, until] = [new Date(Date.now() - 1e7), new Date(Date.now() + 1e7)];
  const { cert, key } = await makeCertificate(['localhost'], from, until);
  const server = createServer({ cert, key }, (incoming, response) => {
    incoming.on('end', () => response.writeHead(204).end()).resume();
  });
  const url = `https://localhost:${await listen(server)}/`;
  return { url, ca: cert, close: () => stopServer(server) };
}

/**
 * Events delivered by a worker of the outbound pool, which records each attempt before and after it. The
 * floor is a loop that signs and posts the same bytes on as many kept-alive connections and records
 * nothing.
 */
export const benchWebhooks: Bench = async (words) => {
  const count = parseSize(words, { usual: 1_000, least: 100 });
  const world = await openWorld();
  const receiver = await startReceiver();
  const keys = deriveKeys('the secret of an installation of benches');
  const installation = { ...DEFAULT_INSTALLATION, keys, networks: parseNetworks([]) };
  const work = createWithin(world.pool, SYSTEM, installation);
  const tenant = {
    within: <Result>(steps: (given: Work) => Promise<Result>) => work(world.tenant_id, steps),
  };
  await saveSettings(tenant, { webhooks: { allow_private_hosts: true } });
  await subscribeAll(tenant, [receiver.url]);
  const http = openHttp({ ca: receiver.ca, networks: parseNetworks([]) });
  const stopWorker = await startOutboundWorker({ url: world.url, installation }, [deliverWebhook], {
    post: (asked) => http.post(asked),
  });
  let events = 0;
  const delivered = async () => {
    const started = performance.now();
    events += count;
    await tenant.within((given) =>
      emitAll(
        given,
        'payment.received',
        Array.from({ length: count }, () => PAYMENT_RECEIVED),
      ),
    );
    const found = `select count(*)::integer as found from webhook_deliveries where status = 'delivered'`;
    for (;;) {
      const { rows } = await world.admin.query<{ found: number }>(found);
      if (rows[0]?.found === events) break;
      await pause(10);
    }
    return (count * 1_000) / (performance.now() - started);
  };
  await delivered();
  const rates = await alternate(ROUNDS, {
    ours: delivered,
    floor: () => measurePosts(receiver, count),
  });
  await stopWorker();
  await http.close();
  receiver.close();
  await world.close();
  return [
    {
      what: `${count} events delivered in ${CONCURRENCY} slots, each attempt recorded; a loop that signs and posts them`,
      ours: perSecond(rates.ours),
      floor: perSecond(rates.floor),
      ratio: rates.ours / rates.floor,
      target: { least: 0.5 },
    },
  ];
};

async function measurePosts({ url, ca }: { url: string; ca: string }, count: number) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONCURRENCY, ca });
  const body = Buffer.from(
    JSON.stringify({ event_type: 'payment.received', data: PAYMENT_RECEIVED }),
  );
  const post = () =>
    new Promise<void>((resolve, reject) => {
      const headers = {
        'Content-Type': 'application/json',
        'Content-Length': body.length,
        'X-Signature': signBody('a secret of the receiver', body),
      };
      request(url, { method: 'POST', agent, headers }, (incoming) => {
        incoming.on('end', resolve).resume();
      })
        .on('error', reject)
        .end(body);
    });
  let left = count;
  const started = performance.now();
  const loop = async () => {
    while (left > 0) {
      left -= 1;
      await post();
    }
  };
  await Promise.all(Array.from({ length: CONCURRENCY }, loop));
  agent.destroy();
  return (count * 1_000) / (performance.now() - started);
}
