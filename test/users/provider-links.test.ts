import { expect, test } from 'vitest';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { readPerson } from '../../jobs/users/providers/claims.ts';
import { userEmail } from '../setup/browsers.ts';
import type { Client } from '../setup/client.ts';
import { OUR_PAGE } from '../setup/identity-provider.ts';
import { hiddenValue, pageClient } from '../setup/pages.ts';
import { withIdentityProvider } from '../setup/provider-sign-in.ts';
import {
  totpCode,
  enrollApp,
  securityEvents,
  allowCodeReuse,
  accountNotices,
} from '../setup/second-factors.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();
stage.installation.networks = parseNetworks(['127.0.0.0/8', '::1/128']);

const withProvider = (more: object = {}) => withIdentityProvider(stage, more);
const HIGH = { roles: { desk: 'collector', officers: 'superadmin', heads: 'admin' } };

const isIn = async (client: Client) => (await client.get('/users/me')).status === 200;

test('a provider with a matching address signs a user in only after the user consents', async () => {
  const { tenant, people, signIn } = await withProvider(HIGH);
  const { secret } = await enrollApp(tenant.officer);
  await allowCodeReuse(stage, tenant);
  people['officer'] = { ...people['officer'], amr: ['mfa'] };
  const confirm = (client: Client) => client.post('/auth/provider-links');

  const { client, reply } = await signIn('officer');
  const nobody = await isIn(client);
  const elsewhere = await confirm(tenant.officer);
  await client.login(userEmail(tenant, 'collector'), PASSWORD);
  const ofAnother = await confirm(client);
  const asked = await accountNotices(stage, tenant);
  await client.post('/auth/logout');
  const login = await client.login(userEmail(tenant, 'loan_officer'), PASSWORD);
  const half = await confirm(client);
  await client.post('/auth/second-factor', { code: totpCode(secret, 1) });
  const confirmed = await confirm(client);
  const again = await confirm(client);
  const next = await signIn('officer');
  await allowCodeReuse(stage, tenant);
  const proved = await next.client.post('/auth/second-factor', { code: totpCode(secret) });

  expect(reply).toMatchObject({ status: 200, body: { link: { provider: 'Head office' } } });
  expect(nobody).toBe(false);
  expect([elsewhere, ofAnother].map(({ status, body }) => [status, body.code])).toEqual([
    [409, 'no_link_to_confirm'],
    [409, 'no_link_to_confirm'],
  ]);
  expect(asked.filter((message) => message.startsWith('provider'))).toEqual([
    'provider_link_asked',
  ]);
  expect(login.body).toHaveProperty('second_factor');
  expect(half.status).toBe(401);
  expect([confirmed.status, again.status]).toEqual([200, 409]);
  expect((await accountNotices(stage, tenant)).at(-1)).toBe('provider_linked');
  expect(next.reply.body.second_factor).toMatchObject({ methods: ['totp', 'recovery_code'] });
  expect(proved.body).toMatchObject({
    id: tenant.userIds['loan_officer'],
    tenant_role: 'loan_officer',
  });
  const events = await securityEvents(stage, tenant);
  expect(events).toContain(`provider_link done ${tenant.userIds['loan_officer']}`);
});

test('a user can remove a link, but not the only way to sign in', async () => {
  const { tenant, made, signIn, consent } = await withProvider();
  await consent('officer', 'loan_officer');
  const { officer } = tenant;
  const nora = (await signIn('nora')).client;
  const path = `/auth/provider-links/${made.body.id}`;
  const there = (await signIn('officer')).client;

  const listed = await officer.get('/auth/provider-links');
  const onlyWay = await nora.delete(path);
  const removed = await officer.delete(path);
  const again = await officer.delete(path);
  const next = await signIn('officer');

  expect(listed.body).toMatchObject({
    links: [{ provider_id: made.body.id, name: 'Head office' }],
  });
  expect(onlyWay).toMatchObject({ status: 409, body: { code: 'only_way_in' } });
  expect([removed.status, again.status]).toEqual([200, 404]);
  expect([await isIn(officer), await isIn(there)]).toEqual([true, false]);
  expect(next.reply.body).toHaveProperty('link');
});

test('a deactivated user cannot sign in through a provider, linked or not', async () => {
  const { tenant, superadmin, people, signIn, consent } = await withProvider();
  people['admin'] = { email: userEmail(tenant, 'admin'), email_verified: true, groups: ['desk'] };
  await consent('officer', 'loan_officer');
  for (const role of ['loan_officer', 'admin'])
    await superadmin.post(`/users/${tenant.userIds[role]}/deactivate`);
  const before = (await accountNotices(stage, tenant)).length;

  const linked = await signIn('officer');
  const unlinked = await signIn('admin');

  expect([linked, unlinked].map(({ reply }) => reply.body.message)).toEqual([
    'The account is not active.',
    'The account is not active.',
  ]);
  expect((await accountNotices(stage, tenant)).length).toBe(before);
});

test('an address with look-alike letters matches no user', () => {
  const verified = { sub: 'a', email_verified: true };

  expect(readPerson({ ...verified, email: '\u212Aate@lender.example' })?.email).toBeNull();
  expect(readPerson({ ...verified, email: 'K\u0430te@lender.example' })?.email).toBeNull();
  expect(readPerson({ ...verified, email: 'Kate@Lender.example' })?.email).toBe(
    'kate@lender.example',
  );
});

test('on our page a user signs in with the password once and confirms the link', async () => {
  const { tenant, provider, begin, meanwhile, signIn } = await withProvider({
    redirect_url: OUR_PAGE,
  });
  const client = tenant.anonymous();
  const pages = pageClient(client, '/api/v1/auth/signed-in');
  const { search } = await provider.visit(await begin(client), 'officer');
  const page = await pages.get(search);
  const names = ['state', 'code', 'iss'] as const;
  const form = Object.fromEntries(names.map((name) => [name, hiddenValue(page.body, name)]));

  const came = await meanwhile(pages.send('', form));
  const location = String(came.headers['location']).replace('/api/v1/auth/signed-in', '');
  const asking = await pages.get(location);
  const early = await pages.get('/link');
  const back = hiddenValue(asking.body, 'back');
  const wrong = await pages.send('/sign-in', {
    email: userEmail(tenant, 'loan_officer'),
    password: 'x',
    back,
  });
  const signedIn = await pages.send('/sign-in', {
    email: userEmail(tenant, 'loan_officer'),
    password: PASSWORD,
    back,
  });
  const confirming = await pages.get('/link');
  const confirmed = await pages.send('/link');
  const again = await pages.send('/link');

  expect(came.status).toBe(303);
  expect(asking.body).toContain('Sign in with your password once');
  expect(early.headers['location']).toContain('/sign-in');
  expect(wrong.status).toBe(401);
  expect(signedIn.headers['location']).toBe('/api/v1/auth/signed-in/link');
  expect(confirming.body).toContain('Link my account');
  expect(confirmed.headers['location']).toBe('/api/v1/auth/signed-in?done=linked');
  expect(again).toMatchObject({ status: 409 });
  expect((await signIn('officer')).reply.body).toMatchObject({ tenant_role: 'loan_officer' });
});
