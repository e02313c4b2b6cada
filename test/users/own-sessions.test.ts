import { expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import { openLog } from '../../jobs/monitoring/log.ts';
import { newCanaryLog } from '../setup/canaries.ts';
import { dumpAllRows } from '../setup/dump-rows.ts';
import { totpCode, enrollApp, allowCodeReuse, signInHalfway } from '../setup/second-factors.ts';
import { newStage, type Tenant } from '../setup/world.ts';

const ear = newCanaryLog();
const stage = await newStage({ log: openLog('trace', { service: 'api' }, ear.destination) });
const role = 'loan_officer';
const isIn = async (client: Tenant['officer']) => (await client.get('/users/me')).status === 200;

test('a user sees their sessions and ends one of them', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const elsewhere = await tenant.signedIn(role);
  const viewer = await tenant.signedIn('viewer');
  const listed = await officer.get('/auth/sessions?sort=["created_at","ASC"]');
  const [here, there] = listed.body;
  const [theirs] = (await viewer.get('/auth/sessions')).body;
  const anothers = await officer.delete(`/auth/sessions/${theirs.id}`);
  const [foreign] = (await (await stage.tenant()).officer.get('/auth/sessions')).body;
  const unknown = await officer.delete(`/auth/sessions/${foreign.id}`);

  const ended = await officer.delete(`/auth/sessions/${there.id}`);
  const twice = await officer.delete(`/auth/sessions/${there.id}`);

  expect(listed.headers['content-range']).toBe('sessions 0-1/2');
  expect(here).toMatchObject({ is_current: true, ip_address: '127.0.0.1', second_factor: null });
  expect(there).toMatchObject({ is_current: false, user_id: tenant.userIds[role] });
  expect(Object.keys(here).toSorted()).toEqual(
    (
      'created_at email expires_at id ip_address is_current last_seen_at second_factor user_agent ' +
      'user_id'
    ).split(' '),
  );
  expect([ended.status, twice.status, anothers.status, unknown.status]).toEqual([
    200, 404, 404, 404,
  ]);
  expect([await isIn(officer), await isIn(elsewhere), await isIn(viewer)]).toEqual([
    true,
    false,
    true,
  ]);
});

test('a superadmin sees every session and ends one, and the security log records it', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const user_id = tenant.userIds[role];
  const mine = `/sessions?filter={"user_id":"${user_id}"}`;
  const { body } = await superadmin.get(mine);
  const forbidden = [
    await tenant.officer.get('/sessions'),
    await tenant.officer.delete(`/sessions/${body[0].id}`),
  ];

  const ended = await superadmin.delete(`/sessions/${body[0].id}`);
  const after = await superadmin.get(mine);
  const { rows } = await stage.owner.query(
    `select event, subject_id from security_log where tenant_id = $1 and event = 'session_end'
       and outcome = 'done'`,
    [tenant.id],
  );

  expect(forbidden.map(({ status }) => status)).toEqual([403, 403]);
  expect(ended).toMatchObject({ status: 200, body: { id: body[0].id, user_id } });
  expect(after.body).toEqual([]);
  expect(await isIn(tenant.officer)).toBe(false);
  expect(rows).toEqual([{ event: 'session_end', subject_id: body[0].id }]);
});

test('a credential is shown once and is in no log, job, event, history or table', async () => {
  const tenant = await stage.tenant();
  const { secret, recovery_codes } = await enrollApp(tenant.officer);
  const { client, prove } = await signInHalfway(tenant, role);
  const pending = client.cookies.get('pending_sign_in') ?? '';
  await prove({ code: '000000' });
  await prove({ recovery_code: recovery_codes[0] });
  await allowCodeReuse(stage, tenant);
  await client.post('/auth/second-factors/recovery-codes', { code: totpCode(secret) });
  const superadmin = await tenant.signedIn('superadmin');
  const shown: string[] = [];
  for (const { path, method, allow } of routes) {
    if (method !== 'GET' || path.includes('{')) continue;
    const asking = allow === 'any' ? client : superadmin;
    shown.push(JSON.stringify((await asking.get(path)).body));
  }
  const sessions = [client, superadmin].map(({ cookies }) => cookies.get('sessionid') ?? '');

  const secrets = [secret, pending, ...recovery_codes, ...sessions];
  const plain = recovery_codes.map((code) => code.replaceAll('-', ''));
  const places = {
    log: ear.lines.join('\n'),
    rows: await dumpAllRows(stage.owner),
    shown: shown.join('\n'),
  };
  const found = [...secrets, ...plain].flatMap((text) =>
    Object.entries(places)
      .filter(([, place]) => place.toLowerCase().includes(text.toLowerCase()))
      .map(([name]) => `${name}: ${text}`),
  );

  expect(secrets.every((text) => text.length > 15)).toBe(true);
  expect(places.rows).toContain('second_factor_added');
  expect(found).toEqual([]);
});
