import { afterAll, beforeAll, expect, test } from 'vitest';
import { sql } from '../../sql/database/db.ts';
import { createWebhookDeliveries } from '../../sql/queue/workers.ts';
import { relayPauseMs, startEventRelay } from '../../workers/queue/relay.ts';
import { eventually, newWorkerStage } from './stage.ts';

let stage: Awaited<ReturnType<typeof newWorkerStage>>;
beforeAll(async () => {
  stage = await newWorkerStage();
});
afterAll(() => stage.end());

const unrelayed = sql.fragment`select from events where relayed_at is null`;
const emit = (events: number) =>
  stage.owner.query(sql.typeAlias('void')`
    insert into events (tenant_id, event_type, body)
    select ${stage.tenantId}, 'payment.received', '{}' from generate_series(1, ${events}::int)
  `);

test('events become one delivery and one job each, within about a second', async () => {
  await stage.owner.query(sql.typeAlias('void')`
    insert into webhook_subscriptions (tenant_id, url, events, secret_sealed, secret_last_four)
    values (${stage.tenantId}, 'https://receiver.example/', '["payment.received"]', 'sealed', 'cret')
  `);
  const relaying = startEventRelay(stage.owner, stage.log);
  await emit(3);

  const started = performance.now();
  await eventually(() => stage.count(unrelayed), 0);
  const seconds = (performance.now() - started) / 1000;
  await relaying.stop();

  expect(seconds).toBeLessThan(2);
  expect(await stage.count(sql.fragment`select from webhook_deliveries`)).toBe(3);
  expect(await stage.count(sql.fragment`select from graphile_worker._private_jobs`)).toBe(3);
});

test('the relay polls immediately while events arrive, and rarely after a long quiet time', () => {
  const usual = { taken: 3, took: 2, silence: 0 };
  const pauses = {
    full: relayPauseMs({ ...usual, taken: 250 }),
    few: relayPauseMs(usual),
    ofManySubscribers: relayPauseMs({ ...usual, took: 40 }),
    slowDatabase: relayPauseMs({ ...usual, took: 4_000 }),
    silentForTwoSeconds: relayPauseMs({ taken: 0, took: 1, silence: 2_000 }),
    silentForAnHour: relayPauseMs({ taken: 0, took: 1, silence: 3_600_000 }),
  };

  expect(pauses).toEqual({
    full: 0,
    few: 25,
    ofManySubscribers: 200,
    slowDatabase: 500,
    silentForTwoSeconds: 100,
    silentForAnHour: 500,
  });
});

test('events of an inactive tenant wait, delay no others, and are delivered once it is active', async () => {
  const asleep = await stage.tenant('asleep');
  const before = await stage.count(sql.fragment`select from webhook_deliveries`);
  const activate = (is_active: boolean) =>
    stage.owner.query(sql.typeAlias('void')`
      update tenants set is_active = ${is_active} where id = ${asleep}
    `);
  await activate(false);
  await stage.owner.query(sql.typeAlias('void')`
    insert into webhook_subscriptions (tenant_id, url, events, secret_sealed, secret_last_four)
    values (${asleep}, 'https://asleep.example/', '["payment.received"]', 'sealed', 'cret')
  `);
  // The number of events that the relay takes per batch.
  await stage.owner.query(sql.typeAlias('void')`
    insert into events (tenant_id, event_type, body)
    select ${asleep}, 'payment.received', '{}' from generate_series(1, 1000)
  `);
  await emit(1);

  const told = await createWebhookDeliveries(stage.owner, 1_000);
  const meanwhile = await stage.count(unrelayed);
  await activate(true);
  const later = await createWebhookDeliveries(stage.owner, 1_000);

  expect({ told, meanwhile, later }).toEqual({ told: 1, meanwhile: 1_000, later: 1_000 });
  const deliveries = await stage.count(sql.fragment`select from webhook_deliveries`);
  expect(deliveries - before).toBe(1_001);
});

test('two concurrent relays take every event once', async () => {
  const before = await stage.count(sql.fragment`select from webhook_deliveries`);
  await emit(2_500);

  const relaying = [
    startEventRelay(stage.owner, stage.log),
    startEventRelay(stage.owner, stage.log),
  ];
  await eventually(() => stage.count(unrelayed), 0);
  await Promise.all(relaying.map((running) => running.stop()));

  const deliveries = await stage.count(sql.fragment`select from webhook_deliveries`);
  expect(deliveries - before).toBe(2_500);
});
