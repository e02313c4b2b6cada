import { expect, test } from 'vitest';
import { deliverWebhook } from '../../jobs/webhooks/deliver.job.ts';
import { verifySignature } from '../../jobs/webhooks/signature.ts';
import { runJobs } from '../setup/queue.ts';
import {
  attemptDelivery,
  latestDelivery,
  newSubscriber,
  REFUSED_POST,
  SUBSCRIBER_SECRET,
} from '../setup/subscriber.ts';
import { violationsIn } from '../setup/violations.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('everything that failed since a time is resent, and asking twice sends nothing twice', async () => {
  const given = await newSubscriber(stage);
  const { admin, id, outside } = given;
  const path = `/webhooks/${id}/replay`;
  for (let count = 1; count <= 3; count += 1) await given.failForGood();
  const [, second] = (await admin.get(`/webhooks/${id}/dead-letters?ordering=attempted_at`)).body;
  const since = second.attempted_at;

  const [first, again] = await Promise.all([
    admin.post(path, { since }),
    admin.post(path, { since }),
  ]);
  const posts = outside.posts.length;
  await runJobs(stage, outside, [deliverWebhook.name]);
  const letters = (await admin.get(`/webhooks/${id}/dead-letters?ordering=attempted_at`)).body;
  const late = await admin.post(path, { since });

  expect(first.body.queued + again.body.queued).toBe(2);
  expect(first.body.queued * again.body.queued).toBe(0);
  expect(outside.posts.length - posts).toBe(2);
  expect(letters.map(({ status }: { status: string }) => status)).toEqual([
    'dead',
    'resolved',
    'resolved',
  ]);
  expect(late).toMatchObject({ status: 200, body: { queued: 0, remaining: 0 } });
});

test('a delivered event can be resent with the same id and bytes', async () => {
  const { tenant, admin, id, outside, emitPayment, relayed } = await newSubscriber(stage);
  await emitPayment();
  const { id: delivery_id } = await relayed();
  const under = await admin.post(`/webhooks/${id}/replay`, { delivery_id });
  await attemptDelivery(tenant, outside, delivery_id);

  const sent = await admin.post(`/webhooks/${id}/replay`, { delivery_id });
  const twice = await admin.post(`/webhooks/${id}/replay`, { delivery_id });
  await runJobs(stage, outside, [deliverWebhook.name]);

  const [before, after] = outside.posts.map(({ body, headers }) => [body, headers['X-Webhook-Id']]);
  expect(under).toMatchObject({ status: 409, body: { code: 'delivery_under_way' } });
  expect(sent).toMatchObject({ status: 200, body: { queued: 1, remaining: 0 } });
  expect(twice).toMatchObject({ status: 409, body: { code: 'delivery_under_way' } });
  expect(after).toEqual(before);
  expect((await latestDelivery(stage, tenant)).status).toBe('delivered');
  expect((await admin.get(`/webhooks/${id}/deliveries?round=1`)).body).toMatchObject([
    { webhook_id: delivery_id, status: 'delivered' },
  ]);
});

test('a resend must select deliveries of this active subscription', async () => {
  const { admin, id } = await newSubscriber(stage);
  const other = await newSubscriber(stage);
  await other.emitPayment();
  const { id: foreign } = await other.relayed();
  const since = '2026-01-01T00:00:00Z';
  const path = `/webhooks/${id}/replay`;

  const replies = [
    await admin.post(path),
    await admin.post(path, { since, delivery_id: foreign }),
    await admin.post(path, { delivery_id: foreign }),
    await admin.post(path, { since: 'yesterday' }),
  ];
  await admin.put(`/webhooks/${id}`, { is_active: false });
  const off = await admin.post(path, { since });

  expect(replies.map(({ status, body }) => [status, Object.keys(body.errors)])).toEqual([
    [422, ['since']],
    [422, ['since']],
    [422, ['delivery_id']],
    [422, ['since']],
  ]);
  expect(off).toMatchObject({ status: 409, body: { code: 'subscription_disabled' } });
});

test('a test event goes to one receiver, signed, even if disabled, and does not count', async () => {
  const { tenant, admin, id, outside } = await newSubscriber(stage);
  await admin.post('/webhooks', { url: 'https://other.example.com/', events: ['*'] });
  await admin.put(`/webhooks/${id}`, { is_active: false });
  // Finishes the jobs of other tests.
  await runJobs(stage, outside, [deliverWebhook.name]);
  outside.answers.post.push(REFUSED_POST);

  const sent = await admin.post(`/webhooks/${id}/test`);
  const twice = await admin.post(`/webhooks/${id}/test`);
  await stage.owner.query('select app.create_deliveries(100)');
  await runJobs(stage, outside, [deliverWebhook.name]);
  const read = await admin.get(`/webhook-deliveries/${sent.body.id}`);
  const again = await admin.post(`/webhooks/${id}/test`);
  await attemptDelivery(tenant, outside, again.body.id);

  const [post, ...others] = outside.posts.filter(
    ({ headers }) => headers['X-Webhook-Event'] === 'webhook.test',
  );
  expect(sent).toMatchObject({ status: 200, body: { status: 'scheduled' } });
  expect(twice).toMatchObject({ status: 409, body: { code: 'test_under_way' } });
  expect(others).toHaveLength(1);
  expect(post?.headers['X-Webhook-Event']).toBe('webhook.test');
  expect(JSON.parse(Buffer.from(post?.body ?? []).toString())).toMatchObject({
    event_type: 'webhook.test',
    tenant_id: tenant.id,
    data: { subscription_id: id },
  });
  expect(
    verifySignature(
      SUBSCRIBER_SECRET,
      post?.body ?? Buffer.of(),
      post?.headers['X-Webhook-Signature'] ?? '',
    ),
  ).toBe(true);
  expect(read.body).toMatchObject({ status: 'dead', event_type: 'webhook.test' });
  expect((await admin.get(`/webhook-deliveries/${again.body.id}`)).body.status).toBe('delivered');
  expect((await admin.get(`/webhooks/${id}/dead-letters`)).body).toEqual([]);
  expect((await admin.get(`/webhooks/${id}`)).body).toMatchObject({
    is_active: false,
    consecutive_failures: 0,
    failing_since: null,
  });
  expect(await violationsIn(stage)).toEqual([]);
});
