import { expect, test } from 'vitest';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { dumpAllRows } from '../setup/dump-rows.ts';
import { withIdentityProvider } from '../setup/provider-sign-in.ts';
import { clearProofs } from '../setup/proofs.ts';
import {
  totpCode,
  enrollApp,
  securityEvents,
  allowCodeReuse,
  signInHalfway,
} from '../setup/second-factors.ts';
import { saveSettings } from '../setup/settings.ts';
import { secondSuperadmin } from '../setup/team.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const stage = await newStage();
stage.installation.networks = parseNetworks(['127.0.0.0/8', '::1/128']);

test('where invitations need approval, one user alone cannot set up, change or remove an identity provider', async () => {
  const { tenant, superadmin, made, provider, signIn, work } = await withIdentityProvider(stage);
  const second = await secondSuperadmin(tenant, superadmin);
  await saveSettings(tenant, { approvals: { four_eyes: ['invitations'] } });
  const path = `/identity-providers/${made.body.id}`;
  const client_secret = 'a-secret-that-nobody-may-read';

  const asked = [
    await superadmin.post('/identity-providers', {
      name: 'My own',
      issuer_url: 'https://login.example.com',
      client_id: 'x',
      client_secret,
      redirect_url: 'https://admin.example.com/in',
      role_claim: 'r',
      roles: { boss: 'superadmin' },
      adds_users: true,
    }),
    await superadmin.put(path, { roles: { desk: 'superadmin' }, client_secret }),
    await superadmin.delete(path),
  ];
  const kept = await dumpAllRows(stage.owner);
  const listed = await superadmin.get('/identity-providers');
  const still = await signIn('nora');
  const ownApproval = await superadmin.post(`/approvals/${asked[1]?.body.approval_id}/approve`);
  const shown = await second.get(`/approvals/${asked[1]?.body.approval_id}`);
  const right = { roles: { desk: 'viewer' }, client_secret: provider.client.client_secret };
  const { approval_id } = (await superadmin.put(path, right)).body;
  const approved = await second.post(`/approvals/${approval_id}/approve`);
  await work();
  const after = await signIn('nora');

  expect(asked.map(({ status, body }) => [status, body.kind])).toEqual(
    asked.map(() => [202, 'invitations']),
  );
  expect(kept).not.toContain(client_secret);
  expect(listed.body).toHaveLength(1);
  expect(still.reply.body).toMatchObject({ tenant_role: 'collector' });
  expect(ownApproval).toMatchObject({ status: 409, body: { code: 'four_eyes' } });
  expect(shown.body.body).toEqual({ roles: { desk: 'superadmin' }, client_secret: '***' });
  expect(approved.status).toBe(200);
  expect(after.reply.body).toMatchObject({ tenant_role: 'viewer' });
});

test('a sign-in with the password counts as a proof, single sign-on does not, and a second factor does', async () => {
  const roles = { desk: 'superadmin' };
  const { tenant, signIn } = await withIdentityProvider(stage, { roles });
  const invite = (client: typeof tenant.officer, name: string) =>
    client.post('/users/invite', {
      email: `${name}@lender.example`,
      first_name: 'New',
      last_name: 'One',
      tenant_role: 'viewer',
    });
  const fresh = await tenant.signedIn('superadmin');
  const nora = (await signIn('nora')).client;

  const byPassword = await invite(fresh, 'one');
  const byProvider = await invite(nora, 'two');
  const { secret } = await enrollApp(fresh);
  await allowCodeReuse(stage, tenant);
  await clearProofs(stage, tenant);
  const late = await invite(fresh, 'three');
  const proved = await fresh.post('/auth/prove', { code: totpCode(secret, 1) });
  const again = await fresh.post('/auth/prove', { code: totpCode(secret, 1) });
  const done = await invite(fresh, 'three');
  const nobody = tenant.anonymous();
  await nobody.get('/auth/csrf');
  const stranger = await nobody.post('/auth/prove', { current_password: PASSWORD });

  expect(byPassword.status).toBe(201);
  expect(byProvider).toMatchObject({
    status: 403,
    body: { code: 'proof_required', details: { prove_at: '/api/v1/auth/prove' } },
  });
  expect([late.status, proved.status, again.status, done.status]).toEqual([403, 200, 422, 201]);
  expect(stranger.status).toBe(401);
  const events = await securityEvents(stage, tenant);
  expect(events.filter((line) => line.startsWith('proof '))).toEqual([
    `proof done ${tenant.userIds['superadmin']}`,
    `proof refused validation_error ${tenant.userIds['superadmin']}`,
  ]);
});

test('operators need a second factor set up here, even if a provider vouches for one', async () => {
  const { tenant, superadmin, signIn } = await withIdentityProvider(stage, {
    roles: { heads: 'superadmin' },
  });
  await stage.owner.query("select app.set_operator_tenant($1, 'tests', 'They need one.')", [
    tenant.slug,
  ]);
  const seen = async (client: typeof superadmin) =>
    (await client.get('/operations/me')).body.code ?? 'operator';
  const boss = (await signIn('boss')).client;

  const byPassword = await seen(superadmin);
  const byProvider = await seen(boss);
  const acting = await boss.post('/operations/pauses', { pool: 'documents', reason: 'Mine now.' });
  const { secret } = await enrollApp(superadmin);
  await allowCodeReuse(stage, tenant);
  const { client, prove } = await signInHalfway(tenant, 'superadmin');
  await prove({ code: totpCode(secret, 1) });

  expect([byPassword, byProvider]).toEqual(['second_factor_required', 'second_factor_required']);
  expect(acting).toMatchObject({ status: 403, body: { code: 'second_factor_required' } });
  expect(await seen(client)).toBe('operator');
});
