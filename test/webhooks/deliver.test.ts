import { expect, test } from 'vitest';
import { verifySignature } from '../../jobs/webhooks/signature.ts';
import { newReceiver } from '../setup/receiver.ts';
import {
  attemptDelivery,
  latestDelivery as latestOf,
  newSubscriber,
  REFUSED_POST,
  SUBSCRIBER_SECRET,
} from '../setup/subscriber.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const subscribed = () => newSubscriber(stage);
const latest = (tenant: Tenant) => latestOf(stage, tenant);

test('a receiver gets the event’s bytes, signed over exactly these bytes', async () => {
  const { url, http, seen } = await newReceiver();
  const { tenant, admin, outside, emitPayment, relayed } = await subscribed();
  await stage.owner.query('update tenants set settings = $2 where id = $1', [
    tenant.id,
    { webhooks: { allow_private_hosts: true } },
  ]);
  const made = await admin.post('/webhooks', { url, events: ['*'], secret: SUBSCRIBER_SECRET });
  await emitPayment();
  await relayed();
  const [delivery] = (await admin.get(`/webhooks/${made.body.id}/deliveries`)).body;
  const { id, event_id } = delivery;

  await attemptDelivery(tenant, { ...outside, post: (request) => http.post(request) }, id);

  const { body, headers } = seen[0] ?? { body: Buffer.of(), headers: {} };
  expect(JSON.parse(body.toString())).toMatchObject({ event_id, data: { amount: '1.00' } });
  expect(verifySignature(SUBSCRIBER_SECRET, body, String(headers['x-webhook-signature']))).toBe(
    true,
  );
  expect(headers).toMatchObject({
    'x-webhook-id': id,
    'x-webhook-event': 'payment.received',
    'x-webhook-attempt': '1',
    'x-hub-signature-256': headers['x-webhook-signature'],
  });
  expect((await admin.get(`/webhook-deliveries/${id}`)).body.status).toBe('delivered');
});

test('a delivered event is not sent again', async () => {
  const { tenant, outside, emitPayment, relayed } = await subscribed();
  await emitPayment();
  const { id } = await relayed();

  await attemptDelivery(tenant, outside, id);
  await attemptDelivery(tenant, outside, id);

  expect(outside.posts).toHaveLength(1);
});

test('an attempt that crashed before it was recorded is repeated with the same id and bytes', async () => {
  const { tenant, outside, emitPayment, relayed } = await subscribed();
  await emitPayment();
  const { id } = await relayed();
  let killed = false;
  const dying = {
    ...outside,
    post: async (request: Parameters<typeof outside.post>[0]) => {
      await outside.post(request);
      killed = true;
      throw new Error('The worker is killed.');
    },
  };

  await attemptDelivery(tenant, dying, id).catch(() => {});
  await attemptDelivery(tenant, outside, id);

  const [first, second] = outside.posts;
  expect(killed).toBe(true);
  expect(second?.body).toEqual(first?.body);
  expect(second?.headers['X-Webhook-Id']).toBe(first?.headers['X-Webhook-Id']);
  const { rows } = await stage.owner.query(
    'select response_status from webhook_attempts where delivery_id = $1 order by id',
    [id],
  );
  expect(rows).toEqual([{ response_status: null }, { response_status: 200 }]);
});

test('a refused attempt is retried after 10, 60 and 300 seconds, never early', async () => {
  const { tenant, outside, emitPayment, relayed } = await subscribed();
  await emitPayment();
  const { id } = await relayed();
  outside.answers.post.push(REFUSED_POST, REFUSED_POST, REFUSED_POST, REFUSED_POST);

  for (const number of [1, 2, 3, 4]) await attemptDelivery(tenant, outside, id, number);

  const { rows: jobs } = await stage.owner.query(
    `select split_part(job.key, ':', 3) as attempt,
            round(extract(epoch from job.run_at - made.answered_at))::int as seconds,
            extract(epoch from job.run_at - made.answered_at) >= delay.seconds as in_time
     from unnest(array[10, 60, 300]) with ordinality as delay (seconds, attempt)
     join webhook_attempts as made on made.attempt = delay.attempt and made.delivery_id = $1
     join graphile_worker.jobs as job
       on job.key = 'deliver-webhook:' || made.delivery_id || ':' || made.attempt + 1`,
    [id],
  );
  expect(jobs).toEqual([
    { attempt: '2', seconds: 10, in_time: true },
    { attempt: '3', seconds: 60, in_time: true },
    { attempt: '4', seconds: 300, in_time: true },
  ]);
  expect(await latest(tenant)).toMatchObject({ status: 'dead', next_attempt_at: null });
});

test('a delivery that failed for good becomes a dead letter that can be resent', async () => {
  const given = await subscribed();
  const { tenant, admin, id, outside } = given;
  await given.failForGood();

  const letters = await admin.get(`/webhooks/${id}/dead-letters`);
  const retried = await admin.post(`/webhooks/${id}/retry-delivery`);
  const { delivery_id } = letters.body[0];
  const twice = await admin.post(`/webhooks/${id}/retry-delivery`, { delivery_id });
  const again = await latest(tenant);
  await attemptDelivery(tenant, outside, again.id);
  const resolved = await admin.get(`/webhooks/${id}/dead-letters`);
  const nothing = await admin.post(`/webhooks/${id}/retry-delivery`);

  expect(letters.headers['content-range']).toBe('dead-letters 0-0/1');
  expect(letters.body[0]).toMatchObject({
    event_type: 'payment.received',
    payload: { data: { amount: '1.00' } },
    response_status: 500,
    response_body: 'no',
    retry_count: 3,
    status: 'dead',
  });
  expect(retried).toMatchObject({
    status: 200,
    body: { delivery_id: letters.body[0].delivery_id, status: 'queued' },
  });
  expect(twice).toMatchObject({ status: 409, body: { code: 'nothing_to_retry' } });
  expect(outside.posts.at(-1)?.headers['X-Webhook-Id']).toBe(letters.body[0].delivery_id);
  expect(resolved.body[0].status).toBe('resolved');
  expect(nothing).toMatchObject({ status: 409, body: { code: 'nothing_to_retry' } });
});

test('after five failed deliveries in a row the subscription is disabled and sends nothing more', async () => {
  const given = await subscribed();
  const { tenant, admin, id, outside, emitPayment, relayed } = given;
  for (let count = 1; count <= 4; count += 1) await given.failForGood();
  await emitPayment();
  const waiting = await relayed();
  const before = await admin.get(`/webhooks/${id}`);

  await given.failForGood();
  const posts = outside.posts.length;
  await attemptDelivery(tenant, outside, waiting.id);
  const after = await admin.get(`/webhooks/${id}`);
  const letters = await admin.get(`/webhooks/${id}/dead-letters`);
  const refused = await admin.post(`/webhooks/${id}/retry-delivery`);
  const enabled = await admin.post(`/webhooks/${id}/re-enable`);

  expect(before.body).toMatchObject({ is_active: true, last_error: null });
  expect(after.body).toMatchObject({
    is_active: false,
    last_error: '5 consecutive deliveries failed. The receiver answered 500.',
  });
  expect(outside.posts).toHaveLength(posts);
  expect(letters.body).toHaveLength(6);
  expect(refused).toMatchObject({ status: 409, body: { code: 'subscription_disabled' } });
  expect(enabled.body).toMatchObject({
    is_active: true,
    last_error: null,
    consecutive_failures: 0,
  });
});

test('any success resets the failure count', async () => {
  const given = await subscribed();
  const { tenant, admin, id, outside, emitPayment, relayed } = given;
  for (let count = 1; count <= 4; count += 1) await given.failForGood();

  await emitPayment();
  await attemptDelivery(tenant, outside, (await relayed()).id);
  for (let count = 1; count <= 4; count += 1) await given.failForGood();

  const { body } = await admin.get(`/webhooks/${id}`);
  expect(body).toMatchObject({ is_active: true, consecutive_failures: 4 });
});

test('a deleted subscription gets no more events', async () => {
  const { tenant, admin, id, outside, emitPayment, relayed } = await subscribed();
  await emitPayment();
  const waiting = await relayed();

  const deleted = await admin.delete(`/webhooks/${id}`);
  await attemptDelivery(tenant, outside, waiting.id);

  expect(deleted).toMatchObject({ status: 200, body: { id } });
  expect(outside.posts).toEqual([]);
  expect(await latest(tenant)).toMatchObject({ status: 'canceled' });
  expect((await admin.get(`/webhooks/${id}`)).status).toBe(404);
});
