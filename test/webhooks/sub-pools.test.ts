import { setTimeout as pause } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { deliverWebhook } from '../../jobs/webhooks/deliver.job.ts';
import * as deadLetters from '../../sql/webhooks/dead-letters.ts';
import * as deliveries from '../../sql/webhooks/deliveries.ts';
import { newSubscriber } from '../setup/subscriber.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const HANGING = { ok: false, error: 'No answer within 10 seconds.', ms: 10_000 };

/** The jobs of these deliveries, in the order in which workers fetch them. */
const jobs = async () => {
  const { rows } = await stage.owner.query(`
    select job.id, task.identifier, job.payload, job.max_attempts, job.key, job.priority,
           line.queue_name as line
    from graphile_worker._private_jobs as job
    join graphile_worker._private_tasks as task on task.id = job.task_id
    left join graphile_worker._private_job_queues as line on line.id = job.job_queue_id
    where task.identifier like '%deliver%' or job.key like '%deliver%'
    order by job.priority, job.run_at, job.id`);
  return rows;
};
const forget = () => stage.owner.query('delete from graphile_worker._private_jobs');

test('the relay enqueues first attempts exactly as retries are enqueued', async () => {
  const { tenant, emitPayment, relayed } = await newSubscriber(stage);
  await emitPayment();

  await relayed();
  const enqueued = await jobs();
  const payload = deliverWebhook.payload.parse(enqueued[0]?.payload);
  // The same key identifies the same job.
  await tenant.within(({ tx }) => deliveries.enqueueDeliveries(tx, [payload.delivery_id]));

  expect(enqueued).toMatchObject([
    { identifier: deliverWebhook.name, max_attempts: deliverWebhook.attempts, line: null },
  ]);
  expect(payload).toMatchObject({ tenant_id: tenant.id, attempt: 1, is_throttled: false });
  expect(await jobs()).toEqual(enqueued);
});

test('deliveries to a throttled receiver wait in one of its four sub-pools, after all others', async () => {
  await forget();
  const slow = await newSubscriber(stage);
  const healthy = await newSubscriber(stage);
  await stage.owner.query('update webhook_subscriptions set is_slow = true where id = $1', [
    slow.id,
  ]);

  for (let count = 0; count < 30; count += 1) await slow.emitPayment();
  await healthy.emitPayment();
  await healthy.relayed();

  const [first, ...others] = await jobs();
  const lines = new Set(others.map(({ line }) => line as string));
  expect(first.payload).toMatchObject({ subscription_id: healthy.id, is_throttled: false });
  expect(first.line).toBeNull();
  expect(others).toHaveLength(30);
  expect(others.every(({ payload }) => payload.is_throttled)).toBe(true);
  expect([...lines].every((line) => /^slow-receivers-\d+$/.test(line))).toBe(true);
  expect(lines.size).toBeGreaterThan(1);
  expect(lines.size).toBeLessThanOrEqual(4);
});

test('a delivery whose receiver became slow meanwhile moves to a sub-pool, unsent and once', async () => {
  await forget();
  const { tenant, admin, id, outside, emitPayment, relayed } = await newSubscriber(stage);
  await emitPayment();
  const first = await relayed();
  await emitPayment();
  const second = await relayed();
  const [, fetched] = (await jobs()).map(({ payload }) => deliverWebhook.payload.parse(payload));
  outside.answers.post.push(HANGING);
  await deliverWebhook.run({ ...fetched!, delivery_id: first.id }, outside);

  await deliverWebhook.run(fetched!, outside);
  const asked = outside.posts.length;
  const waiting = (await jobs()).filter(({ payload }) => payload.delivery_id === second.id);
  // The worker died before it recorded the end of this job, which left nothing undone.
  await tenant.within(({ tx }) => deadLetters.createForUnsent(tx, fetched!, 'The worker died.'));
  const read = await admin.get(`/webhook-deliveries/${second.id}`);
  await deliverWebhook.run(deliverWebhook.payload.parse(waiting[0]?.payload), outside);

  expect(asked).toBe(1);
  expect(waiting).toMatchObject([
    {
      priority: 20,
      line: expect.stringMatching(/^slow-receivers-/),
      payload: { is_throttled: true },
    },
  ]);
  expect(read.body.status).toBe('scheduled');
  expect((await admin.get(`/webhook-deliveries/${second.id}/attempts`)).body).toHaveLength(1);
  expect((await admin.get(`/webhooks/${id}`)).body.is_slow).toBe(false);
});

test('a retry to a silent receiver waits in a sub-pool, and its success ends the throttling', async () => {
  await forget();
  const { admin, id, outside, emitPayment, relayed } = await newSubscriber(stage);
  await emitPayment();
  await relayed();
  outside.answers.post.push(HANGING);
  const payloadOf = async () => deliverWebhook.payload.parse((await jobs()).at(-1)?.payload);

  await deliverWebhook.run(await payloadOf(), outside);
  const slow = await admin.get('/webhooks?is_slow=true');
  const retry = await payloadOf();
  await deliverWebhook.run(retry, outside);
  await emitPayment();
  await relayed();

  expect(slow.body).toMatchObject([{ id }]);
  expect(retry).toMatchObject({ attempt: 2, is_throttled: true });
  expect(await payloadOf()).toMatchObject({ attempt: 2 });
  expect((await jobs())[0]?.payload).toMatchObject({ attempt: 1, is_throttled: false });
});

test('deliveries that waited for an unknown receiver are released by its first answer', async () => {
  await forget();
  const { tenant, outside, emitPayment, relayed } = await newSubscriber(stage);
  for (let count = 0; count < 20; count += 1) await emitPayment();
  await relayed();
  const fetched = (await jobs()).map(({ payload }) => deliverWebhook.payload.parse(payload));
  const answer = Promise.withResolvers<void>();
  const post: typeof outside.post = async (request) => {
    await answer.promise;
    return outside.post(request);
  };

  const running = fetched.map((payload) => deliverWebhook.run(payload, { ...outside, post }));
  const waiting = await vi.waitFor(async () => {
    const found = (await jobs()).filter(({ line }) => line !== null).map(({ id }) => id as string);
    expect(found).toHaveLength(4);
    return found;
  });
  // One of them is already running and is not changed.
  const {
    rows: [taken],
  } = await stage.owner.query<{ id: string }>(
    `update graphile_worker._private_jobs set locked_at = now(), locked_by = 'a worker'
     where id = (select min(id) from graphile_worker._private_jobs where job_queue_id is not null)
     returning id`,
  );
  answer.resolve();
  await Promise.all(running);

  const { rows: left } = await stage.owner.query(
    `select id from webhook_deliveries where tenant_id = $1 and status = 'scheduled' and is_throttled`,
    [tenant.id],
  );
  const inLine = (await jobs()).filter(({ line }) => line !== null);
  expect(inLine).toMatchObject([{ id: taken?.id, payload: { is_throttled: true } }]);
  expect(left).toEqual([{ id: inLine[0]?.payload.delivery_id }]);
  const letOut = (await jobs()).filter(({ id }) => waiting.includes(id) && id !== taken?.id);
  expect(letOut).toHaveLength(3);
  expect(letOut).toMatchObject(
    letOut.map(() => ({ line: null, priority: 0, payload: { is_throttled: false, attempt: 1 } })),
  );
});

test('deliveries that enter a sub-pool during their receiver’s first answer do not stay there', async () => {
  await forget();
  const { tenant, outside, emitPayment, relayed } = await newSubscriber(stage);
  for (let count = 0; count < 40; count += 1) await emitPayment();
  await relayed();
  const fetched = (await jobs()).map(({ payload }) => deliverWebhook.payload.parse(payload));
  const isAsked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  const post: typeof outside.post = async (request) => {
    isAsked.resolve();
    await answer.promise;
    return outside.post(request);
  };
  const key = `deliver-webhook:${fetched.at(-1)?.delivery_id}:1`;
  // Keeps the last job locked until all other deliveries know that the receiver answers.
  const holder = await stage.owner.connect();
  await holder.query('begin');
  await holder.query('select from graphile_worker._private_jobs where key = $1 for update', [key]);

  const running = fetched.map((payload) => deliverWebhook.run(payload, { ...outside, post }));
  await isAsked.promise;
  await pause(400);
  answer.resolve();
  await Promise.all(running.slice(0, 16));
  await holder.query('commit');
  holder.release();
  await Promise.all(running);

  const { rows } = await stage.owner.query(
    `select count(*)::integer as left from webhook_deliveries
     where tenant_id = $1 and status = 'scheduled' and is_throttled`,
    [tenant.id],
  );
  expect(rows).toEqual([{ left: 0 }]);
  expect((await jobs()).filter(({ line }) => line !== null)).toEqual([]);
});
