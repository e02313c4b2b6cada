import pg from 'pg';
import { afterAll, expect, test } from 'vitest';
import { openSecurityLog, REFUSALS_PER_MINUTE } from '../../api/http/security-log.ts';
import { routes } from '../../api/routes.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import { newCanaryLog } from '../setup/canaries.ts';
import { newClient } from '../setup/client.ts';
import { newStage, PASSWORD } from '../setup/world.ts';

const ear = newCanaryLog();
const stage = await newStage({ log: openLog('info', { service: 'api' }, ear.destination) });
const app = new pg.Pool({
  connectionString: stage.url,
  max: 1,
  options: '-c role=servicing_app',
});
afterAll(() => app.end());

type Seen = { event: string; outcome: string; user_id: string | null; [field: string]: unknown };
type Tenant = Awaited<ReturnType<typeof stage.tenant>>;

/** Oldest first, without the test's own sign-ins. */
async function rowsOf(tenant: Tenant): Promise<Seen[]> {
  const { rows } = await stage.owner.query<Seen>(
    'select * from security_log where tenant_id = $1 order by id',
    [tenant.id],
  );
  return rows;
}

test('sign-ins, changes of access and settings, exports and downloads are logged', () => {
  const watched = routes
    .filter(({ security_event }) => security_event !== undefined)
    .map(({ method, path, security_event }) => `${security_event}: ${method} ${path}`);

  expect(watched.toSorted()).toEqual([
    'document_download: GET /documents/{id}',
    'document_download: GET /portal/documents/{id}/download',
    'export: GET /book-exports/{id}',
    'export: GET /borrower-exports/{id}',
    'export: GET /credit-corrections/{id}/form',
    'export: GET /credit-dispute-answer-files/{id}/download',
    'export: GET /credit-reporting-files/{id}/download',
    'export: GET /loan-tapes/{id}',
    'export: GET /nacha-files/{id}/download',
    'export: GET /reconciliations/{id}/download',
    'export: POST /book-exports',
    'export: POST /borrowers/{id}/export',
    'export: POST /credit-dispute-answer-files',
    'export: POST /credit-reporting-files',
    'export: POST /loan-tape-configs/{id}/generate',
    'export: POST /mail-batches/{id}/download',
    'export: POST /mail-batches/{id}/hand-over',
    'export: POST /nacha-files',
    'identity_provider: DELETE /identity-providers/{id}',
    'identity_provider: POST /identity-providers',
    'identity_provider: PUT /identity-providers/{id}',
    'identity_search: POST /borrower-identities/search',
    'legal_hold: POST /borrowers/{id}/legal-hold',
    'password_change: POST /auth/password/change',
    'password_request: POST /auth/password/request',
    'password_reset: POST /auth/password/reset',
    'permission_change: DELETE /object-grants/{id}',
    'permission_change: DELETE /permission-groups/{id}',
    'permission_change: DELETE /user-permissions/{id}',
    'permission_change: POST /permission-groups',
    'permission_change: POST /users/{id}/object-grants',
    'permission_change: POST /users/{id}/permissions',
    'permission_change: PUT /permission-groups/{id}',
    'proof: POST /auth/prove',
    'provider_link: POST /auth/provider-links',
    'provider_link_remove: DELETE /auth/provider-links/{id}',
    'recovery_codes: POST /auth/second-factors/recovery-codes',
    'redaction: POST /borrowers/{id}/redact',
    'role_change: POST /users/assign-role',
    'role_change: POST /users/remove-role',
    'sandbox_reset: POST /sandbox/reset',
    'second_factor_add: POST /auth/second-factors/passkeys',
    'second_factor_add: POST /auth/second-factors/totp/confirm',
    'second_factor_remove: POST /auth/second-factors/{id}/remove',
    'second_factor_reset: POST /users/{id}/reset-second-factors',
    'session_end: DELETE /auth/sessions/{id}',
    'session_end: DELETE /sessions/{id}',
    'settings_change: PUT /tenant/settings',
    'sign_in: POST /auth/login',
    'sign_in: POST /auth/provider-sign-in',
    'sign_in: POST /auth/second-factor',
    'sign_out: POST /auth/logout',
    'user_change: PUT /users/{id}',
    'user_deactivate: POST /users/{id}/deactivate',
    'user_invite: POST /borrowers/{id}/invite-portal-user',
    'user_invite: POST /users/invite',
    'user_invite: POST /users/{id}/invite-again',
  ]);
});

test('sign-ins, failures and sign-outs are logged with the account', async () => {
  const tenant = await stage.tenant();
  const client = newClient(stage.port, tenant.host);
  await client.login(`viewer@${tenant.slug}.test`, 'not the password');
  await client.login('stranger@nowhere.example', 'not the password');
  await client.login('Stranger@nowhere.example', 'nor this one');
  await client.login(`viewer@${tenant.slug}.test`, PASSWORD);
  await client.post('/auth/logout');
  await client.post('/auth/logout');

  const [officer, wrong, ...rest] = await rowsOf(tenant);
  const [stranger, again, signIn, signOut, ...more] = rest;
  const viewer = tenant.userIds['viewer'];

  expect(officer).toMatchObject({ event: 'sign_in', outcome: 'done' });
  expect(wrong).toMatchObject({ event: 'sign_in', outcome: 'refused', user_id: viewer });
  expect(wrong).toMatchObject({ reason: 'invalid_credentials', attempted_identifier: null });
  expect(stranger).toMatchObject({
    user_id: null,
    attempted_identifier: expect.stringMatching(/^\w{64}$/),
  });
  expect(again?.['attempted_identifier']).toBe(stranger?.['attempted_identifier']);
  expect(signIn).toMatchObject({ event: 'sign_in', outcome: 'done', user_id: viewer });
  expect(signIn).toMatchObject({ ip_address: '127.0.0.1', request_id: expect.any(String) });
  expect(signOut).toMatchObject({ event: 'sign_out', outcome: 'done', user_id: viewer });
  expect(more).toEqual([]);
});

test('rate-limited sign-ins and password requests are logged', async () => {
  const tenant = await stage.tenant();
  const client = newClient(stage.port, tenant.host);
  await client.get('/auth/csrf');
  for (let attempt = 0; attempt < 12; attempt += 1) {
    await client.login(`viewer@${tenant.slug}.test`, 'not the password');
  }
  await client.post('/auth/password/request', { email: `viewer@${tenant.slug}.test` });

  const rows = await rowsOf(tenant);

  expect(rows.filter(({ reason }) => reason === 'throttled').length).toBeGreaterThan(0);
  expect(rows.at(-1)).toMatchObject({ event: 'password_request', outcome: 'done' });
  expect(rows.at(-1)?.user_id).toBe(tenant.userIds['viewer']);
});

test('access changes are logged with their content, refused ones too', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const viewer = tenant.userIds['viewer'];
  const person = { first_name: 'New', last_name: 'Person', tenant_role: 'viewer' };
  await superadmin.post('/users/assign-role', { user_id: viewer, tenant_role: 'collector' });
  await superadmin.post('/users/invite', { ...person, email: 'new@person.example' });
  await superadmin.put('/tenant/settings', { auth: { idle_minutes: 30 } });
  await superadmin.post(`/users/${viewer}/deactivate`);
  await superadmin.post('/users/remove-role', { user_id: tenant.userIds['superadmin'] });
  await superadmin.post('/auth/password/change', {
    current_password: PASSWORD,
    new_password: 'a wholly different horse',
  });
  await tenant.officer.post('/users/invite', { ...person, email: 'another@person.example' });
  await tenant.officer.get('/users');

  const rows = await rowsOf(tenant);
  const told = rows.map(({ event, outcome, reason }) => [event, outcome, reason].join(' ').trim());

  expect(told.filter((line) => !line.startsWith('sign_in'))).toEqual([
    'role_change done',
    'user_invite done',
    'settings_change done',
    'user_deactivate done',
    'role_change refused last_superadmin',
    'password_change done',
    'user_invite refused permission_denied',
    'access refused permission_denied',
  ]);
  expect(rows.find(({ event }) => event === 'role_change')).toMatchObject({
    subject_id: viewer,
    user_id: tenant.userIds['superadmin'],
  });
  expect(rows.at(-1)).toMatchObject({
    route: 'GET /users',
    user_id: tenant.userIds['loan_officer'],
  });
  const lines = ear.of('security').filter((line) => line['tenant'] === tenant.id);
  expect(lines.map(({ event, outcome }) => `${event} ${outcome}`)).toEqual(
    rows.map(({ event, outcome }) => `${event} ${outcome}`),
  );
  expect(lines.every(({ security, level }) => security === true && level === 30)).toBe(true);
});

test('only superadmins read their tenant’s log as a list', async () => {
  const tenant = await stage.tenant();
  const other = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');

  const filter = encodeURIComponent('{"event":"sign_in"}');
  const { body, headers } = await superadmin.get(`/security-log?filter=${filter}&range=[0,1]`);
  const { status } = await (await other.signedIn('admin')).get('/security-log');

  expect(headers['content-range']).toBe('security-log 0-1/2');
  expect(body[0]).toMatchObject({ event: 'sign_in', user_id: tenant.userIds['superadmin'] });
  expect(status).toBe(403);
});

test.each([
  'update security_log set reason = null',
  'delete from security_log',
  'truncate security_log',
])('the application cannot %s, nor can its owner', async (statement) => {
  await stage.tenant();

  await expect(app.query(statement)).rejects.toThrow('permission denied');
  await expect(stage.owner.query(statement)).rejects.toThrow('append-only');
});

test('a flood of refusals is logged as twenty rows a minute and one that counts the rest', async () => {
  const tenant = await stage.tenant();
  const log = openSecurityLog(stage.pool, stage.installation, openLog('silent', {}));
  const actor = { type: 'user', id: tenant.userIds['viewer'] ?? '', ip: '10.0.0.1' } as const;
  const refusal = {
    tenantId: tenant.id,
    actor: { ...actor, email: null, role: 'viewer', request_id: 'one-of-many' },
    event: {
      event: 'access',
      outcome: 'refused' as const,
      reason: 'permission_denied',
      route: 'GET /users',
    },
  };
  const before = (await rowsOf(tenant)).length;

  for (let knock = 0; knock < 500; knock += 1) await log.refused(refusal);
  const during = (await rowsOf(tenant)).slice(before);
  await log.flush();
  const after = (await rowsOf(tenant)).slice(before);

  expect(during).toHaveLength(REFUSALS_PER_MINUTE);
  expect(after).toHaveLength(REFUSALS_PER_MINUTE + 1);
  expect(after.at(-1)).toMatchObject({ occurrences: 480, user_id: actor.id });
});
