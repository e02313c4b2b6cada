import { expect, test } from 'vitest';
import type { PostRequest } from '../../jobs/external-systems.ts';
import { attemptDelivery, newSubscriber, REFUSED_POST } from '../setup/subscriber.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const AT_ONCE = 12;
const OK = { ok: true, status: 200, body: 'ok', ms: 3 };

/** A tenant with one subscription and a full batch of deliveries to it. */
async function newDeliveries() {
  const subscriber = await newSubscriber(stage);
  const { tenant, emitPayment, relayed } = subscriber;
  for (let made = 0; made < AT_ONCE; made += 1) await emitPayment();
  await relayed();
  const { rows } = await stage.owner.query<{ id: string }>(
    'select id from webhook_deliveries where tenant_id = $1 order by id',
    [tenant.id],
  );
  return { ...subscriber, ids: rows.map(({ id }) => id) };
}

/** Each delivery with its attempts and the transaction that wrote each attempt last. */
const attemptsOf = async (tenantId: string) => {
  const { rows } = await stage.owner.query<{
    id: string;
    status: string;
    response_status: number | null;
    response_body: string | null;
    written_by: string;
  }>(
    `select delivery.id, delivery.status, made.response_status, made.response_body,
            made.xmin::text as written_by
     from webhook_deliveries as delivery
     join webhook_attempts as made on made.delivery_id = delivery.id
     where delivery.tenant_id = $1 order by delivery.id, made.id`,
    [tenantId],
  );
  return rows;
};

const webhookOf = ({ headers }: PostRequest) => headers['X-Webhook-Id'] ?? '';

test('a tenant’s simultaneous deliveries share transactions, and each is recorded before it is sent', async () => {
  const { tenant, outside, ids } = await newDeliveries();
  const begunBefore: string[] = [];
  const post = async (request: PostRequest) => {
    const { rows } = await stage.owner.query<{ written_by: string }>(
      'select xmin::text as written_by from webhook_attempts where delivery_id = $1',
      [webhookOf(request)],
    );
    begunBefore.push(...rows.map(({ written_by }) => written_by));
    return OK;
  };

  await Promise.all(ids.map((id) => attemptDelivery(tenant, { ...outside, post }, id)));

  expect(begunBefore).toHaveLength(AT_ONCE);
  expect(new Set(begunBefore).size).toBeLessThan(AT_ONCE);
  const made = await attemptsOf(tenant.id);
  expect(made.map(({ id }) => id)).toEqual(ids);
  expect(made.every(({ status }) => status === 'delivered')).toBe(true);
  expect(new Set(made.map(({ written_by }) => written_by)).size).toBeLessThan(AT_ONCE);
});

test('an answer that fails or cannot be recorded does not undo others in its batch', async () => {
  const { tenant, outside, ids } = await newDeliveries();
  const [refused, unrecorded] = ids;
  const post = (request: PostRequest) => {
    const id = webhookOf(request);
    if (id === refused) return Promise.resolve(REFUSED_POST);
    // More milliseconds than the column can hold.
    return Promise.resolve(id === unrecorded ? { ...OK, ms: 2 ** 31 } : OK);
  };

  const ended = await Promise.allSettled(
    ids.map((id) => attemptDelivery(tenant, { ...outside, post }, id)),
  );

  expect(ended.map(({ status }) => status === 'fulfilled')).toEqual(
    ids.map((id) => id !== unrecorded),
  );
  const made = await attemptsOf(tenant.id);
  expect(made.map(({ id, status, response_status }) => ({ id, status, response_status }))).toEqual(
    ids.map((id) => {
      if (id === refused) return { id, status: 'scheduled', response_status: 500 };
      if (id === unrecorded) return { id, status: 'scheduled', response_status: null };
      return { id, status: 'delivered', response_status: 200 };
    }),
  );
});

test('a job that may no longer write does not hold back the others in its batch', async () => {
  const { tenant, outside, ids } = await newDeliveries();
  const [first] = ids;
  const over = { ...outside, within: () => Promise.reject(new Error('The job has ended.')) };

  const ended = await Promise.allSettled(
    ids.map((id) => attemptDelivery(tenant, id === first ? over : outside, id)),
  );

  expect(ended.filter(({ status }) => status === 'rejected')).toHaveLength(1);
  const made = await attemptsOf(tenant.id);
  expect(made.map(({ id }) => id)).toEqual(ids.filter((id) => id !== first));
  expect(made.every(({ status }) => status === 'delivered')).toBe(true);
});

test('an answer that is cut within a character is stored', async () => {
  const { tenant, outside, emitPayment, relayed } = await newSubscriber(stage);
  await emitPayment();
  const { id } = await relayed();
  outside.answers.post.push({ ...OK, body: `${'a'.repeat(999)}\u{1f600}` });

  await attemptDelivery(tenant, outside, id);

  const [made] = await attemptsOf(tenant.id);
  expect(made).toMatchObject({
    status: 'delivered',
    response_body: `${'a'.repeat(999)}\ufffd`,
  });
});

test('the last answer decides whether a receiver is slow, and any success resets its failure count', async () => {
  const { tenant, admin, outside, ids, id, failForGood } = await newDeliveries();
  await failForGood();
  const slow = new Set(ids.slice(0, 3));
  const post = (request: PostRequest) =>
    Promise.resolve(slow.has(webhookOf(request)) ? { ...OK, ms: 9_000 } : OK);

  await Promise.all(ids.map((one) => attemptDelivery(tenant, { ...outside, post }, one)));

  expect((await admin.get(`/webhooks/${id}`)).body).toMatchObject({
    is_slow: false,
    consecutive_failures: 0,
    failing_since: null,
    last_failure: null,
  });
});
