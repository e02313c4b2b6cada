import { expect, test } from 'vitest';
import { cleanUp } from '../../jobs/operations/clean-up.job.ts';
import type { PostRequest } from '../../jobs/external-systems.ts';
import { deriveKeys } from '../../jobs/sealing/secrets.ts';
import { signStandard, verifySignature } from '../../jobs/webhooks/signature.ts';
import { FORGED_HOSTS, FORGED_URLS } from '../setup/forged-hosts.ts';
import { attemptDelivery, newSubscriber, SUBSCRIBER_SECRET } from '../setup/subscriber.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const url = 'https://receiver.example.com/hook';
const NOTHING: Pick<PostRequest, 'body' | 'headers'> = { body: Buffer.of(), headers: {} };

test('the secret is shown once, at creation', async () => {
  const admin = await (await stage.tenant()).signedIn('admin');

  const made = await admin.post('/webhooks', { url, events: ['loan.created'] });
  const read = await admin.get(`/webhooks/${made.body.id}`);
  const changed = await admin.put(`/webhooks/${made.body.id}`, { ...made.body, events: ['*'] });
  const { rows } = await stage.owner.query('select * from webhook_subscriptions where id = $1', [
    made.body.id,
  ]);

  expect(made).toMatchObject({ status: 201, body: { is_active: true } });
  expect(made.body.secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(read.body).toMatchObject({ secret: null, secret_last_four: made.body.secret.slice(-4) });
  expect(changed).toMatchObject({ status: 200, body: { events: ['*'], secret: null } });
  expect(JSON.stringify(rows)).not.toContain(made.body.secret);
});

test.each([
  ['http://receiver.example.com', 'url'],
  ['https://10.0.0.1/hook', 'url'],
  ['https://localhost/hook', 'url'],
])('%s is refused', async (bad, field) => {
  const admin = await (await stage.tenant()).signedIn('admin');

  const reply = await admin.post('/webhooks', { url: bad, events: ['*'] });

  expect(reply).toMatchObject({ status: 422, body: { errors: { [field]: expect.any(String) } } });
});

test('no spelling of a forbidden host is accepted, when subscribing or later', async () => {
  const { admin, id } = await newSubscriber(stage);
  const before = await admin.get('/webhooks');
  const kinds = Object.values(FORGED_HOSTS).map((hosts) => hosts.map((host) => `https://${host}/`));

  const made = await Promise.all(
    [...kinds.flat(), ...FORGED_URLS].map((bad) =>
      admin.post('/webhooks', { url: bad, events: ['*'] }),
    ),
  );
  const changed = await Promise.all(
    kinds.map(([bad]) => admin.put(`/webhooks/${id}`, { url: bad })),
  );

  const taken = [...made, ...changed].filter(
    ({ status, body }) => status !== 422 || !body.errors.url,
  );
  expect(taken.map(({ body }) => body)).toEqual([]);
  expect((await admin.get('/webhooks')).body).toEqual(before.body);
});

test('events must be known, and secrets long enough', async () => {
  const admin = await (await stage.tenant()).signedIn('admin');

  const reply = await admin.post('/webhooks', { url, events: ['loan.eaten'], secret: 'short' });

  expect(reply).toMatchObject({
    status: 422,
    body: { errors: { events: expect.stringContaining('loan.eaten'), secret: expect.any(String) } },
  });
});

test('only administrators manage webhooks', async () => {
  const { officer } = await stage.tenant();

  expect((await officer.get('/webhooks')).status).toBe(403);
});

test('a secret can be opened only for its own tenant', () => {
  const keys = deriveKeys('a secret of more than thirty-two characters');
  const sealed = keys.seal('tenant-1', 'the secret');

  expect(keys.unseal('tenant-1', sealed)).toBe('the secret');
  expect(() => keys.unseal('tenant-2', sealed)).toThrow('SECRET does not hold the key');
});

test('a secret in a replayed answer is not stored in plain text', async () => {
  const admin = await (await stage.tenant()).signedIn('admin');
  const keyed = { headers: { 'Idempotency-Key': 'subscribed' } };

  const made = await admin.post('/webhooks', { url, events: ['*'] }, keyed);
  const again = await admin.post('/webhooks', { url, events: ['*'] }, keyed);
  const { rows } = await stage.owner.query('select * from idempotency_keys');

  expect(again.body).toEqual(made.body);
  expect(rows).not.toEqual([]);
  expect(JSON.stringify(rows)).not.toContain(made.body.secret);
});

test('during a rotation both secrets sign, until the hours end or the old one is retired', async () => {
  const { tenant, admin, id, outside, emitPayment, relayed } = await newSubscriber(stage);
  const path = `/webhooks/${id}/rotate-secret`;
  const sent = async () => {
    await emitPayment();
    await attemptDelivery(tenant, outside, (await relayed()).id);
    const [{ body, headers } = NOTHING] = outside.posts.slice(-1);
    const signs = (secret: string) => ({
      first: verifySignature(secret, body, headers['X-Webhook-Signature'] ?? ''),
      next: verifySignature(secret, body, headers['X-Webhook-Signature-Next'] ?? ''),
      standard: (headers['webhook-signature'] ?? '')
        .split(' ')
        .indexOf(
          signStandard(
            secret,
            headers['webhook-id'] ?? '',
            Number(headers['webhook-timestamp']),
            body,
          ),
        ),
    });
    return { signs, count: headers['webhook-signature']?.split(' ').length };
  };
  const end = () =>
    stage.owner.query(
      `update webhook_subscriptions set previous_secret_until = now() where id = $1`,
      [id],
    );

  const rotated = await admin.post(path, { overlap_hours: 2 });
  const { secret } = rotated.body;
  const during = await sent();
  const refused = await admin.post(path, {});
  await end();
  const after = await sent();
  await cleanUp.run({}, outside);
  const { rows } = await stage.owner.query<Record<string, unknown>>(
    'select secret_sealed, previous_secret_sealed from webhook_subscriptions where id = $1',
    [id],
  );
  const again = await admin.post(path, { secret: 'a secret of my own choice' });
  const retired = await admin.post(`/webhooks/${id}/retire-previous-secret`);
  const own = await sent();

  expect(rotated).toMatchObject({
    status: 200,
    body: {
      id,
      secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
    },
  });
  expect(rotated.body.secret_last_four).toBe(secret.slice(-4));
  expect(Date.parse(rotated.body.rotation_ends_at) - Date.now()).toBeGreaterThan(7_000_000);
  expect(during.signs(secret)).toEqual({ first: false, next: true, standard: 0 });
  expect(during.signs(SUBSCRIBER_SECRET)).toEqual({ first: true, next: false, standard: 1 });
  expect(refused).toMatchObject({ status: 409, body: { code: 'rotation_under_way' } });
  expect(after.signs(secret)).toEqual({ first: true, next: false, standard: 0 });
  expect(after.signs(SUBSCRIBER_SECRET)).toEqual({ first: false, next: false, standard: -1 });
  expect(rows[0]?.['previous_secret_sealed']).toBeNull();
  expect(again.body).toMatchObject({ secret: 'a secret of my own choice' });
  expect(retired.body).toMatchObject({ secret: null, rotation_ends_at: null });
  expect(own.signs('a secret of my own choice')).toEqual({ first: true, next: false, standard: 0 });
  expect(own.count).toBe(1);
});

test('a leaked secret can be ended immediately, also during another rotation', async () => {
  const { admin, id } = await newSubscriber(stage);
  const path = `/webhooks/${id}/rotate-secret`;
  await admin.post(path);

  const replies = [
    await admin.post(path, { overlap_hours: 0 }),
    await admin.post(path, { overlap_hours: 169 }),
    await admin.post(path, { secret: 'short' }),
  ];
  const trail = await stage.owner.query<{ changes: object }>(
    `select changes from audit_log where entity_id = $1 and action = 'rotate-secret'`,
    [id],
  );

  expect(replies.map(({ status }) => status)).toEqual([200, 422, 422]);
  expect(replies[0]?.body.rotation_ends_at).toBeNull();
  expect(trail.rows).toHaveLength(2);
  expect(JSON.stringify(trail.rows)).not.toContain(replies[0]?.body.secret);
});
