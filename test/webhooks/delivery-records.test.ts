import { afterAll, expect, test } from 'vitest';
import { cleanUp } from '../../jobs/operations/clean-up.job.ts';
import { sendAccountMessage } from '../../jobs/users/send-account-message.job.ts';
import { openPool } from '../../sql/database/db.ts';
import { checkInvariants } from '../../sql/invariants/invariants.ts';
import { newLoan } from '../setup/loans.ts';
import { runJobs } from '../setup/queue.ts';
import { saveSettings } from '../setup/settings.ts';
import {
  attemptDelivery,
  latestDelivery,
  newSubscriber,
  REFUSED_POST,
  SUBSCRIBER_SECRET,
} from '../setup/subscriber.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const auditor = await openPool(stage.url, { role: 'servicing_auditor', size: 1 });
afterAll(() => auditor.end());
const attemptsOf = (id: string) => `/webhook-deliveries/${id}/attempts`;

test('each attempt records its status, duration, answer and meaning', async () => {
  const { tenant, admin, id, outside, emitPayment, relayed } = await newSubscriber(stage);
  await emitPayment();
  const { id: delivery } = await relayed();
  const echo = `key=${SUBSCRIBER_SECRET}; SSN 123-45-6789\u0000\u202e\n`;
  outside.answers.post.push(
    { ...REFUSED_POST, body: echo },
    { ok: false, error: 'No answer within 10 seconds.', ms: 10_004 },
    { ok: true, status: 200, body: 'k'.repeat(5_000), ms: 12 },
  );

  for (const number of [1, 2, 3]) await attemptDelivery(tenant, outside, delivery, number);
  const attempts = await admin.get(`${attemptsOf(delivery)}?ordering=attempt`);
  const read = await admin.get(`/webhook-deliveries/${delivery}`);
  const listed = await admin.get(`/webhooks/${id}/deliveries`);

  expect(attempts.body).toMatchObject([
    {
      attempt: 1,
      response_status: 500,
      error: 'The receiver answered 500.',
      ms: 3,
      response_body: 'key=[secret]; SSN ***-**-6789��\n',
    },
    {
      response_status: null,
      response_body: null,
      error: 'No answer within 10 seconds.',
      ms: 10_004,
    },
    { attempt: 3, response_status: 200, response_body: 'k'.repeat(1_000), error: null },
  ]);
  expect(read.body).toMatchObject({
    webhook_id: delivery,
    status: 'delivered',
    attempt: 3,
    round: 0,
    response_status: 200,
    event_type: 'payment.received',
    payload: { data: { amount: '1.00' } },
    ms: 12,
  });
  expect(listed.body).toEqual([read.body]);
});

test('another tenant sees no delivery and no answer to it', async () => {
  const theirs = await newSubscriber(stage);
  await theirs.emitPayment();
  const { id } = await theirs.relayed();
  await attemptDelivery(theirs.tenant, theirs.outside, id);
  const { admin } = await newSubscriber(stage);

  const replies = [
    await admin.get(`/webhook-deliveries/${id}`),
    await admin.get(attemptsOf(id)),
    await admin.get(`/webhooks/${theirs.id}/deliveries`),
  ];

  expect(replies.map(({ status }) => status)).toEqual([404, 404, 404]);
});

test('deliveries are filtered by status, event and time', async () => {
  const given = await newSubscriber(stage);
  const { tenant, admin, id, outside, emitPayment, relayed } = given;
  await given.failForGood();
  await emitPayment();
  await attemptDelivery(tenant, outside, (await relayed()).id);
  const total = async (query: string) =>
    (await admin.get(`/webhooks/${id}/deliveries?${query}`)).headers['content-range'];
  const [newest] = (await admin.get(`/webhooks/${id}/deliveries`)).body;

  const found = [];
  for (const query of [
    'status=dead',
    'status=delivered',
    'event_type=payment.received',
    'event_type=loan.created',
    `created_at__gte=${newest.created_at}`,
    'range=[0,0]',
  ])
    found.push(await total(query));
  const unknown = await admin.get(`/webhooks/${id}/deliveries?url=x`);

  expect(found).toEqual([
    'deliveries 0-0/1',
    'deliveries 0-0/1',
    'deliveries 0-1/2',
    'deliveries */0',
    'deliveries 0-0/1',
    'deliveries 0-0/2',
  ]);
  expect(unknown.status).toBe(422);
});

test('a failing receiver is shown from its first failure until it succeeds', async () => {
  const { tenant, admin, id, outside, emitPayment, relayed } = await newSubscriber(stage);
  await emitPayment();
  const { id: delivery } = await relayed();
  outside.answers.post.push(REFUSED_POST, {
    ok: false,
    error: 'No answer within 10 seconds.',
    ms: 10_000,
  });

  await attemptDelivery(tenant, outside, delivery, 1);
  const first = (await admin.get('/webhooks?failing_since__isnull=false')).body;
  await attemptDelivery(tenant, outside, delivery, 2);
  const second = (await admin.get(`/webhooks/${id}`)).body;
  await attemptDelivery(tenant, outside, delivery, 3);
  const third = (await admin.get(`/webhooks/${id}`)).body;

  expect(first).toMatchObject([
    { id, is_slow: false, last_failure: 'The receiver answered 500.', consecutive_failures: 0 },
  ]);
  expect(second).toMatchObject({
    failing_since: first[0].failing_since,
    is_slow: true,
    is_active: true,
    last_failure: 'No answer within 10 seconds.',
  });
  expect(third).toMatchObject({ failing_since: null, last_failure: null, is_slow: false });
});

test('administrators are emailed once when a receiver is disabled', async () => {
  const given = await newSubscriber(stage, 'https://hooks.example.com/T0/secret-path');
  const { tenant, admin, id, outside } = given;
  for (let count = 1; count <= 6; count += 1) await given.failForGood().catch(() => {});

  await runJobs(stage, outside, [sendAccountMessage.name]);
  await admin.post(`/webhooks/${id}/re-enable`);
  await admin.put(`/webhooks/${id}`, { is_active: false });
  await runJobs(stage, outside, [sendAccountMessage.name]);

  expect(outside.mailbox.map(({ to }) => to.address).toSorted()).toEqual([
    `admin@${tenant.slug}.test`,
    `superadmin@${tenant.slug}.test`,
  ]);
  const [letter] = outside.mailbox;
  expect(letter?.subject).toContain('was turned off');
  expect(letter?.html).toContain('hooks.example.com');
  expect(letter?.html).toContain('5 consecutive deliveries failed. The receiver answered 500.');
  expect(letter?.html).toContain(`/webhooks/${id}/replay`);
  expect(letter?.html).not.toContain('secret-path');
});

test('no email is sent if a receiver was disabled manually, or re-enabled before the email', async () => {
  const given = await newSubscriber(stage);
  const { admin, id, outside } = given;
  for (let count = 1; count <= 5; count += 1) await given.failForGood();

  await admin.post(`/webhooks/${id}/re-enable`);
  await runJobs(stage, outside, [sendAccountMessage.name]);

  expect(outside.mailbox).toEqual([]);
});

test('answers are deleted after the tenant’s retention, deliveries are not', async () => {
  const given = await newSubscriber(stage);
  const { tenant, admin, outside, emitPayment, relayed } = given;
  await saveSettings(tenant, { webhooks: { keep_attempts_days: 7 } });
  await given.failForGood();
  const dead = await latestDelivery(stage, tenant);
  await emitPayment();
  const waiting = await relayed();
  outside.answers.post.push(REFUSED_POST);
  await attemptDelivery(tenant, outside, waiting.id);
  await stage.owner.query(
    `update webhook_attempts set started_at = now() - interval '8 days'
     where tenant_id = $1 and (attempt <= 2 or delivery_id = $2)`,
    [tenant.id, waiting.id],
  );
  const letter = async () => (await admin.get(`/webhooks/${given.id}/dead-letters`)).body[0];
  const young = await letter();
  await cleanUp.run({}, outside);
  const kept = await letter();
  await stage.owner.query(
    `update dead_letters set attempted_at = now() - interval '8 days' where tenant_id = $1`,
    [tenant.id],
  );

  await cleanUp.run({}, outside);
  await cleanUp.run({}, outside);

  const left = async (id: string) =>
    ((await admin.get(`${attemptsOf(id)}?ordering=attempt`)).body as { attempt: number }[]).map(
      (kept) => kept.attempt,
    );
  expect(await left(dead.id)).toEqual([3, 4]);
  // A delivery that will be sent again keeps all of its attempts.
  expect(await left(waiting.id)).toEqual([1]);
  expect((await admin.get(`/webhook-deliveries/${dead.id}`)).body.status).toBe('dead');
  expect([young.response_body, kept.response_body]).toEqual(['no', 'no']);
  expect(await letter()).toMatchObject({
    response_status: 500,
    response_body: null,
    status: 'dead',
    payload: young.payload,
  });
});

test('an event that is never relayed is reported unless its tenant is closed or inactive', async () => {
  const [open, closed, inactive] = [
    await stage.tenant(),
    await stage.tenant(),
    await stage.tenant(),
  ] as const;
  const ids = [open.id, closed.id, inactive.id];
  await stage.owner.query(
    `insert into events (tenant_id, event_type, body, created_at)
     select id, 'loan.created', '{}', now() - interval '2 minutes' from tenants where id = any($1)`,
    [ids],
  );
  const access = `update tenants set is_active = $2, access = $3 where id = $1`;
  await stage.owner.query(access, [closed.id, false, 'closed']);
  await stage.owner.query(access, [inactive.id, false, 'open']);
  await stage.owner.query(
    `insert into app.worker_pools (pool_id, name, host, pid, started_at)
     values ('w', 'outbound', 'here', 1, now() - interval '2 minutes')`,
  );

  const violations = (await checkInvariants(auditor)).filter(({ rule }) =>
    rule.startsWith('events are relayed'),
  );
  await stage.owner.query('delete from app.worker_pools');
  await stage.owner.query(access, [closed.id, true, 'open']);
  await stage.owner.query(access, [inactive.id, true, 'open']);
  await stage.owner.query('delete from events where tenant_id = any($1)', [ids]);

  expect(violations.map(({ tenant_id }) => tenant_id)).toEqual([open.id]);
});

test('a delivery names the request that caused it', async () => {
  const { tenant, admin, relayed } = await newSubscriber(stage);
  const { id: loan } = await newLoan(tenant);
  const headers = { 'X-Request-Id': 'request-of-a-payment' };

  const paid = await tenant.officer.post(
    `/loans/${loan}/payments`,
    { amount: '5.00' },
    { headers },
  );
  const { id } = await relayed();
  const delivery = await admin.get(`/webhook-deliveries/${id}`);

  expect(paid.headers['x-request-id']).toBe('request-of-a-payment');
  expect(delivery.body).toMatchObject({
    event_type: 'payment.received',
    request_id: 'request-of-a-payment',
  });
});
