import { expect, test } from 'vitest';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import type { Client } from '../setup/client.ts';
import { withIdentityProvider } from '../setup/provider-sign-in.ts';
import { totpCode, enrollApp, allowCodeReuse } from '../setup/second-factors.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
stage.installation.networks = parseNetworks(['127.0.0.0/8', '::1/128']);

const withProvider = (more: object = {}) => withIdentityProvider(stage, more);

const meOf = async (client: Client) => (await client.get('/users/me')).body;
const roleOf = async (client: Client) => (await meOf(client)).tenant_role;
const isIn = async (client: Client) => (await client.get('/users/me')).status === 200;

test('only a provider trusted for two factors replaces the second factor set up here', async () => {
  const { tenant, superadmin, people, made, signIn, consent } = await withProvider();
  const { secret } = await enrollApp(tenant.officer);
  await allowCodeReuse(stage, tenant);
  people['officer'] = { ...people['officer'], amr: ['mfa'] };
  await consent('officer', 'loan_officer', (client) =>
    client.post('/auth/second-factor', { code: totpCode(secret, 1) }),
  );
  const trust = (trusts_amr: boolean) =>
    superadmin.put(`/identity-providers/${made.body.id}`, { trusts_amr });

  const asked = await signIn('officer');
  await trust(true);
  const believed = await signIn('officer');
  const sessions = await believed.client.get('/auth/sessions');
  await trust(false);

  expect(asked.reply.body).toHaveProperty('second_factor');
  expect(believed.reply.body).toMatchObject({ tenant_role: 'loan_officer' });
  expect(sessions.body).toMatchObject([{ second_factor: 'provider' }]);
  expect(await isIn(believed.client)).toBe(false);
});

test('claims lower and restore a role, and never exceed what staff decided', async () => {
  const { superadmin, people, signIn, consent } = await withProvider();
  await consent('officer', 'loan_officer');
  const claims = (person: string, group: string) => {
    people[person] = { ...people[person], groups: [group] };
    return signIn(person);
  };
  const roles: unknown[] = [];
  for (const [person, group] of [
    ['officer', 'desk'],
    ['officer', 'officers'],
    ['officer', 'heads'],
    ['nora', 'desk'],
    ['nora', 'heads'],
  ] as const)
    roles.push(await roleOf((await claims(person, group)).client));
  const nora = await meOf((await signIn('nora')).client);

  await superadmin.post('/users/assign-role', { user_id: nora.id, tenant_role: 'loan_officer' });
  const kept = await roleOf((await claims('nora', 'heads')).client);
  const lowered = await roleOf((await claims('nora', 'desk')).client);
  await superadmin.post('/users/remove-role', { user_id: nora.id });
  const removed = await claims('nora', 'desk');

  expect(roles).toEqual(['collector', 'loan_officer', 'loan_officer', 'collector', 'admin']);
  expect([kept, lowered]).toEqual(['loan_officer', 'collector']);
  expect(removed.reply).toMatchObject({ status: 401, body: { code: 'provider_refused' } });
});

test('a provider’s sessions end when its sign-in rules change or it is removed', async () => {
  const { superadmin, made, signIn, begin, tenant, provider, finish } = await withProvider();
  const path = `/identity-providers/${made.body.id}`;
  const left: Record<string, boolean> = {};
  for (const [change, body] of Object.entries({
    name: {
      name: 'Central office',
      roles: { heads: 'admin', officers: 'loan_officer', desk: 'collector' },
    },
    roles: { roles: { desk: 'viewer' } },
    'switching off': { is_active: false },
  })) {
    const { client } = await signIn('nora');
    const waiting = tenant.anonymous();
    const back = await provider.visit(await begin(waiting), 'nora');
    await superadmin.put(path, body);
    left[change] = await isIn(client);
    const late = await finish(waiting, Object.fromEntries(back.searchParams));
    left[`${change}, begun before`] = late.status === 200;
    await superadmin.put(path, { is_active: true });
  }
  const { client } = await signIn('nora');
  const removed = await superadmin.delete(path);

  expect(left).toEqual({
    name: true,
    'name, begun before': true,
    roles: false,
    'roles, begun before': false,
    'switching off': false,
    'switching off, begun before': false,
  });
  expect(removed.status).toBe(200);
  expect([await isIn(client), await isIn(superadmin)]).toEqual([false, true]);
});

test('a link belongs to one issuer and ends when the issuer changes, even during a sign-in', async () => {
  const { tenant, superadmin, made, outside, provider, begin, finish, signIn } =
    await withProvider();
  const path = `/identity-providers/${made.body.id}`;
  const links = async () =>
    (
      await stage.owner.query('select subject from user_identities where tenant_id = $1', [
        tenant.id,
      ])
    ).rows;
  outside.identity = {
    ...provider.identity,
    claims: async (exchange) => {
      const answer = await provider.identity.claims(exchange);
      await stage.owner.query('update identity_providers set issuer_url = $2 where id = $1', [
        made.body.id,
        'https://other.example.com',
      ]);
      return answer;
    },
  };

  const client = tenant.anonymous();
  const back = await provider.visit(await begin(client), 'nora');
  const meanwhile = await finish(client, Object.fromEntries(back.searchParams));
  const none = await links();
  outside.identity = provider.identity;
  await superadmin.put(path, { issuer_url: provider.issuer });
  const twice = await superadmin.post('/identity-providers', {
    name: 'The same',
    issuer_url: provider.issuer,
    client_id: 'other',
    client_secret: 's',
    redirect_url: 'https://admin.example.com/in',
  });
  expect(none).toEqual([]);
  expect(meanwhile).toMatchObject({ status: 401, body: { code: 'provider_refused' } });
  expect(twice).toMatchObject({
    status: 422,
    body: { errors: { issuer_url: 'Is already taken.' } },
  });

  await stage.owner.query('update identity_providers set authorization_url = $2 where id = $1', [
    made.body.id,
    `${provider.issuer}/auth`,
  ]);
  await signIn('nora');
  const linked = await links();
  await superadmin.put(path, { issuer_url: 'https://other.example.com' });
  expect([linked.length, (await links()).length]).toEqual([1, 0]);
});

test('a user who may sign in only through a provider cannot set a password by email', async () => {
  const { tenant, superadmin, made, signIn } = await withProvider();
  const nora = await signIn('nora');
  const ask = () =>
    tenant
      .anonymous()
      .get('/auth/csrf')
      .then(() => nora.client.post('/auth/password/request', { email: 'nora@lender.example' }));
  const links = async () =>
    (
      await stage.owner.query(
        `select count(*)::int as count from graphile_worker._private_jobs
     where payload->>'message' = 'password_reset' and payload->>'user_id' = $1`,
        [nora.reply.body.id],
      )
    ).rows[0].count;

  const answer = await ask();
  const without = await links();
  await stage.owner.query(
    "update sessions set created_at = now() - interval '16 minutes' where user_id = $1",
    [nora.reply.body.id],
  );
  const tooLate = await nora.client.post('/auth/second-factors/totp');
  await enrollApp((await signIn('nora')).client, {});
  await superadmin.delete(`/identity-providers/${made.body.id}`);
  await ask();

  expect(answer.status).toBe(200);
  expect(without).toBe(0);
  expect(tooLate.status).toBe(422);
  expect(await links()).toBe(1);
});
