import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterAll, expect, test } from 'vitest';
import { DEFAULT_INSTALLATION } from '../../jobs/installation.ts';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { addTenant } from '../../jobs/users/add-tenant.ts';
import { SYSTEM, createWithin, type Work } from '../../jobs/work.ts';
import { openPool } from '../../sql/database/db.ts';
import { startEmbeddedPostgres } from '../../sql/database/embedded.ts';
import { migrate } from '../../sql/database/migrate.ts';
import { makeCertificate } from '../../workers/outside/certificate.ts';
import { openHttp } from '../../workers/outside/http.ts';
import { startDeliveryWorker } from '../setup/delivery-worker.ts';
import { emitPaymentReceived, subscribeAll } from '../setup/outbound-worker.ts';
import { saveSettings } from '../setup/settings.ts';

const EVENTS = 60;
const EVERY_MS = 500;
const HANGING = 50;

const ends: (() => unknown)[] = [];
afterAll(async () => {
  for (const end of ends.toReversed()) await end();
});

/** A receiver that answers /healthy immediately and never answers on other paths. */
async function startReceiver() {
  const [from, until] = [new Date(Date.now() - 1e7), new Date(Date.now() + 1e7)];
  const { cert, key } = await makeCertificate(['localhost'], from, until);
  const arrivals: number[] = [];
  const silent = new Set<string>();
  const server = createServer({ cert, key }, (request, response) => {
    request.resume();
    if (request.url !== '/healthy') return void silent.add(request.url ?? '');
    arrivals.push(performance.now());
    response.writeHead(204).end();
  });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const http = openHttp({ ca: cert, networks: parseNetworks([]) });
  ends.push(async () => {
    server.closeAllConnections();
    server.close();
    await http.close();
  });
  const base = `https://localhost:${(server.address() as AddressInfo).port}`;
  return { base, http, arrivals, silent };
}

async function newTenant() {
  const folder = mkdtempSync(path.join(tmpdir(), 'slow-receivers-'));
  const postgres = await startEmbeddedPostgres(folder, { throwAway: true });
  ends.push(async () => {
    await postgres.stop('immediate');
    rmSync(folder, { recursive: true, force: true });
  });
  await migrate(postgres.url);
  const owner = await openPool(postgres.url, { role: 'servicing_owner', size: 1 });
  const pool = await openPool(postgres.url, { size: 4 });
  ends.push(() => Promise.all([owner.end(), pool.end()]));
  const keys = deriveKeys('the secret of an installation of tests');
  const installation = { ...DEFAULT_INSTALLATION, keys, networks: parseNetworks([]) };
  const work = createWithin(pool, SYSTEM, installation);
  const facts = { slug: 'hooks', name: 'Hooks', business_date: '2026-01-15', domains: [] };
  const id = await addTenant(owner, work, facts);
  const within = <Result>(steps: (work: Work) => Promise<Result>) => work(id, steps);
  return { url: postgres.url, installation, within };
}

/** Milliseconds from each event to its arrival at the healthy receiver, in ascending order. */
async function measure(tenant: Awaited<ReturnType<typeof newTenant>>, arrivals: number[]) {
  const told: number[] = [];
  const before = arrivals.length;
  for (let count = 0; count < EVENTS; count += 1) {
    await emitPaymentReceived(tenant);
    told.push(performance.now());
    await wait(EVERY_MS);
  }
  for (let waited = 0; arrivals.length < before + EVENTS && waited < 600; waited += 1)
    await wait(100);
  const took = told.map((at, index) => (arrivals[before + index] ?? Infinity) - at);
  return took.toSorted((one, other) => one - other);
}

const at = (took: readonly number[], share: number) =>
  Math.round(took[Math.ceil(took.length * share) - 1] ?? Infinity);

test('next to fifty silent receivers, a healthy one waits less than twice as long as usual', async () => {
  const { base, http, arrivals, silent } = await startReceiver();
  const tenant = await newTenant();
  await saveSettings(tenant, { webhooks: { allow_private_hosts: true } });
  const worker = await startDeliveryWorker(tenant, (request) => http.post(request));
  await subscribeAll(tenant, [`${base}/healthy`]);

  const usual = await measure(tenant, arrivals);
  await subscribeAll(
    tenant,
    Array.from({ length: HANGING }, (_, index) => `${base}/hanging-${index}`),
  );
  // The first ten seconds are measured separately, because the silent receivers have not timed out until
  // then.
  const onset = await measure(tenant, arrivals);
  const beside = await measure(tenant, arrivals);
  await worker.stop();

  const figures = (took: readonly number[]) =>
    `median ${at(took, 0.5)} ms, 99th ${at(took, 0.99)} ms, longest ${at(took, 1)} ms`;
  console.info(
    `alone: ${figures(usual)}\nwhile ${silent.size} fall silent: ${figures(onset)}\n` +
      `beside them afterwards: ${figures(beside)}`,
  );
  expect(silent.size).toBe(HANGING);
  expect(at(beside, 0.99)).toBeLessThan(2 * at(usual, 0.99));
}, 300_000);
