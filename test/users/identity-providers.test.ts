import { expect, test } from 'vitest';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import type { Client } from '../setup/client.ts';
import { dumpAllRows } from '../setup/dump-rows.ts';
import { OUR_PAGE, REDIRECT } from '../setup/identity-provider.ts';
import { hiddenValue, pageClient } from '../setup/pages.ts';
import { withIdentityProvider } from '../setup/provider-sign-in.ts';
import { totpCode, enrollApp } from '../setup/second-factors.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
stage.installation.networks = parseNetworks(['127.0.0.0/8', '::1/128']);

const withProvider = (more: object = {}) => withIdentityProvider(stage, more);

const roleOf = async (client: Client) => (await client.get('/users/me')).body.tenant_role;

test('staff sign in through their own provider, with the roles that it reports', async () => {
  const trusting = { trusts_amr: true };
  const { tenant, superadmin, provider, made, signIn, consent } = await withProvider(trusting);
  await consent('officer', 'loan_officer');
  const read = await superadmin.get(`/identity-providers/${made.body.id}`);
  const offered = await tenant.anonymous().get('/auth/providers');

  const officer = await signIn('officer');
  const nora = await signIn('nora');
  const again = await signIn('nora');
  const boss = await signIn('boss');
  const refused = [await signIn('guest'), await signIn('unsure'), await signIn('borrower')];

  expect(made.status).toBe(201);
  const kept = `${JSON.stringify([made.body, read.body])} ${await dumpAllRows(stage.owner)}`;
  expect(kept).toContain('nora@lender.example');
  expect(kept).not.toContain(provider.client.client_secret);
  expect(kept).not.toContain(nora.came['code']);
  expect(kept).not.toContain(nora.came['state']);
  expect(read.body).toMatchObject({ last_error: null, read_at: expect.any(String) });
  expect(offered.body).toEqual({ providers: [{ id: made.body.id, name: 'Head office' }] });
  expect(officer.reply).toMatchObject({
    status: 200,
    body: { id: tenant.userIds['loan_officer'] },
  });
  expect(nora.reply.body).toMatchObject({ email: 'nora@lender.example', first_name: 'Nora' });
  expect(again.reply.body.id).toBe(nora.reply.body.id);
  expect([await roleOf(again.client), await roleOf(boss.client)]).toEqual(['collector', 'admin']);
  expect(refused.map(({ reply }) => reply.status)).toEqual([401, 401, 401]);
  expect(refused.map(({ reply }) => reply.body.code)).toEqual([
    'provider_refused',
    'provider_refused',
    'provider_refused',
  ]);
  expect((await boss.client.get('/auth/sessions')).body).toMatchObject([
    { second_factor: 'provider' },
  ]);
});

test('a code works once, for the browser that asked and with its state', async () => {
  const { tenant, provider, begin, finish } = await withProvider();
  const client = tenant.anonymous();
  const back = await provider.visit(await begin(client), 'nora');
  const came = Object.fromEntries(back.searchParams);
  const stranger = tenant.anonymous();
  await begin(stranger);

  const stolen = await finish(stranger, came);
  const wrongState = await finish(client, { ...came, state: 'x'.repeat(43) });
  const right = await finish(client, came);
  const again = await finish(client, came);
  const injected = await finish(stranger, {
    ...came,
    state: new URL(await begin(stranger)).searchParams.get('state'),
  });

  expect([stolen.body.code, wrongState.body.code]).toEqual(['sign_in_expired', 'sign_in_expired']);
  expect(right.status).toBe(200);
  expect([again.status, injected.status]).toEqual([401, 401]);
  expect(injected.body.code).toBe('provider_refused');
});

test('state and nonce are new each time, and another issuer’s answer is refused', async () => {
  const { tenant, provider, begin, finish } = await withProvider();
  const client = tenant.anonymous();
  const [one, two] = [new URL(await begin(client)), new URL(await begin(client))];
  const differing = ['state', 'nonce', 'code_challenge'].filter(
    (name) => one.searchParams.get(name) !== two.searchParams.get(name),
  );
  const back = await provider.visit(two.href, 'nora');
  const came = { ...Object.fromEntries(back.searchParams), iss: 'https://evil.example' };

  const mixed = await finish(client, came);
  const turned = await finish(client, {
    state: new URL(await begin(client)).searchParams.get('state'),
    error: 'access_denied',
  });

  expect(differing).toEqual(['state', 'nonce', 'code_challenge']);
  expect(two.searchParams.get('redirect_uri')).toBe(REDIRECT);
  expect(two.searchParams.get('code_challenge_method')).toBe('S256');
  expect([mixed.body.code, turned.body.code]).toEqual(['provider_refused', 'provider_refused']);
});

test('if two factors are needed, a provider that checked one is not enough', async () => {
  const { tenant, made, signIn } = await withProvider();
  await saveSettings(tenant, { auth: { second_factor: { staff: true } } });

  const unbelieved = await signIn('boss');
  await stage.owner.query('update identity_providers set trusts_amr = true where id = $1', [
    made.body.id,
  ]);
  const nora = await signIn('nora');
  const boss = await signIn('boss');
  await enrollApp(nora.client, {});

  expect(unbelieved.reply.body.second_factor).toMatchObject({ must_enroll: true });
  expect(nora.reply.body.second_factor).toMatchObject({ must_enroll: true });
  expect(boss.reply.body).toMatchObject({ tenant_role: 'admin' });
  expect(await roleOf(nora.client)).toBe('collector');
});

test('no user is added unless the tenant allows it, and the last superadmin remains', async () => {
  const { tenant, signIn, consent } = await withProvider({ adds_users: false });
  await consent('top', 'superadmin');

  const nora = await signIn('nora');
  const top = await signIn('top');
  const { rows } = await stage.owner.query(
    'select count(*)::int as count from users where tenant_id = $1 and email like $2',
    [tenant.id, '%lender.example'],
  );

  expect(nora.reply.body).toMatchObject({ code: 'provider_refused' });
  expect(rows).toEqual([{ count: 0 }]);
  expect(top.reply.body).toMatchObject({ tenant_role: 'superadmin' });
});

test('a provider at a forbidden address is refused, by the API and by a worker', async () => {
  const { tenant, superadmin, made, work, begin } = await withProvider();
  const put = (body: object) => superadmin.put(`/identity-providers/${made.body.id}`, body);
  const refused = [
    await put({ issuer_url: 'http://login.example.com' }),
    await put({ issuer_url: 'https://169.254.169.254' }),
    await put({ issuer_url: 'https://metadata.google.internal' }),
    await put({ redirect_url: 'http://admin.example.com/in' }),
    await put({ redirect_url: 'https://admin.example.com/in#there' }),
    await put({ redirect_url: 'https://admin.example.com' }),
    await put({ redirect_url: 'https://admin.example.com/in?tab=1' }),
    await put({ roles: { desk: 'king' } }),
  ];
  await put({ issuer_url: 'https://localhost:1025' });
  await work();
  const neverTested = await superadmin.get(`/identity-providers/${made.body.id}`);
  const nobody = tenant.anonymous();
  await nobody.get('/auth/csrf');
  const early = await nobody.post(`/identity-providers/${made.body.id}/begin-sign-in`);

  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 422));
  expect(neverTested.body).toMatchObject({
    authorization_url: null,
    last_error: expect.any(String),
  });
  expect(early).toMatchObject({ status: 409, body: { code: 'provider_not_ready' } });
  expect(await begin(nobody)).toBeUndefined();
});

test('a user who returns to our own page signs in by its form and reaches the dashboard', async () => {
  const dashboard = 'https://admin.example.com';
  const { tenant, provider, begin, meanwhile } = await withProvider({ redirect_url: OUR_PAGE });
  await saveSettings(tenant, { auth: { trusted_origins: [dashboard] } });
  // Each process caches origins for five seconds. A new process has an empty cache.
  const fresh = await stage.listen();
  const comeBack = async (person: string) => {
    const client = tenant.anonymous().at(fresh);
    const pages = pageClient(client, '/api/v1/auth/signed-in');
    const back = await provider.visit(await begin(client), person);
    const page = await pages.get(back.search);
    const names = ['state', 'code', 'iss'] as const;
    const form = Object.fromEntries(names.map((name) => [name, hiddenValue(page.body, name)]));
    return { client, pages, page, form, finish: () => meanwhile(pages.send('', form)) };
  };

  const nora = await comeBack('nora');
  const nobody = await nora.client.get('/users/me');
  const done = await nora.finish();
  const again = await nora.pages.send('', nora.form);
  const guest = await (await comeBack('guest')).finish();
  const elsewhere = await comeBack('officer');
  const stolen = await pageClient(nora.client, '/api/v1/auth/signed-in').send('', elsewhere.form);
  const denied = await nora.pages.get('?state=a&error=access_denied', 'es');

  expect(nora.page.headers['content-security-policy']).toBe(
    "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'self' https://admin.example.com; frame-ancestors 'none'",
  );
  expect(nobody.status).toBe(401);
  expect(done).toMatchObject({ status: 303, headers: { location: dashboard } });
  expect(await roleOf(nora.client)).toBe('collector');
  expect(again.headers['location']).toBe('/api/v1/auth/signed-in?done=sign_in_over');
  expect(guest.status).toBe(401);
  expect(guest.body).toContain('The provider did not send a role that is configured here.');
  expect(stolen.headers['location']).toBe('/api/v1/auth/signed-in?done=sign_in_over');
  expect(denied.body).toContain('Su organización rechazó el inicio de sesión');
});

test('our page sets up or requests a second factor, and says so if there is no dashboard', async () => {
  const wanted = { auth: { second_factor: { staff: true } } };
  const { tenant, provider, begin, meanwhile } = await withProvider({ redirect_url: OUR_PAGE });
  await saveSettings(tenant, wanted);
  const client = tenant.anonymous();
  const pages = pageClient(client, '/api/v1/auth/signed-in');
  const { search } = await provider.visit(await begin(client), 'nora');
  const page = await pages.get(search);
  const came = { state: hiddenValue(page.body, 'state'), code: hiddenValue(page.body, 'code') };

  const half = await meanwhile(pages.send('', { ...came, iss: provider.issuer }));
  const begun = await pages.send('/enroll-factor', { step: 'begin' });
  const secret = /<code>([A-Z2-7]+)<\/code>/.exec(begun.body)?.[1] ?? '';
  const codes = await pages.send('/enroll-factor', { code: totpCode(secret) });
  const here = await pages.get('');

  expect(half.headers['location']).toBe('/api/v1/auth/signed-in/enroll-factor');
  expect(codes.body).toContain('href="/api/v1/auth/signed-in"');
  expect(here.body).toContain('You are signed in.');
});
