import { expect, test } from 'vitest';
import { keysFrom } from '../../jobs/sealing/secrets.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

const url = 'https://receiver.example.com/hook';

test('the secret is shown once, when the subscription is made', async () => {
  const admin = await (await stage.tenant()).signedIn('admin');

  const made = await admin.post('/webhooks', { url, events: ['loan.created'] });
  const read = await admin.get(`/webhooks/${made.body.id}`);
  const changed = await admin.put(`/webhooks/${made.body.id}`, { ...made.body, events: ['*'] });
  const { rows } = await stage.owner.query('select * from webhook_subscriptions where id = $1', [
    made.body.id,
  ]);

  expect(made).toMatchObject({ status: 201, body: { is_active: true } });
  expect(made.body.secret).toMatch(/^[0-9a-f]{64}$/);
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

test('events must be known and secrets long', async () => {
  const admin = await (await stage.tenant()).signedIn('admin');

  const reply = await admin.post('/webhooks', { url, events: ['loan.eaten'], secret: 'short' });

  expect(reply).toMatchObject({
    status: 422,
    body: { errors: { events: expect.stringContaining('loan.eaten'), secret: expect.any(String) } },
  });
});

test('webhooks are for administrators', async () => {
  const { officer } = await stage.tenant();

  expect((await officer.get('/webhooks')).status).toBe(403);
});

test('a secret opens for its own tenant only', () => {
  const keys = keysFrom('a secret of more than thirty-two characters');
  const sealed = keys.seal('tenant-1', 'the secret');

  expect(keys.unseal('tenant-1', sealed)).toBe('the secret');
  expect(() => keys.unseal('tenant-2', sealed)).toThrow('SECRET does not hold the key');
});

test('a secret that is answered again under its key is in no table as it is', async () => {
  const admin = await (await stage.tenant()).signedIn('admin');
  const keyed = { headers: { 'Idempotency-Key': 'subscribed' } };

  const made = await admin.post('/webhooks', { url, events: ['*'] }, keyed);
  const again = await admin.post('/webhooks', { url, events: ['*'] }, keyed);
  const { rows } = await stage.owner.query('select * from idempotency_keys');

  expect(again.body).toEqual(made.body);
  expect(rows).not.toEqual([]);
  expect(JSON.stringify(rows)).not.toContain(made.body.secret);
});
