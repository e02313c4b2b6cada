import { expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import { CONTROLS } from '../../jobs/users/settings/weakened-controls.ts';
import { setActive } from '../../sql/users/accounts.ts';
import { insert } from '../../sql/write.ts';
import type { Client, Reply } from '../setup/client.ts';
import { ageProofs, clearProofs } from '../setup/proofs.ts';
import { saveSettings } from '../setup/settings.ts';
import { DENIED_SSN_RULE, newTeam } from '../setup/team.ts';
import { newStage, PASSWORD, type Tenant } from '../setup/world.ts';
import { filled, nameOf } from './callers.ts';
import { document } from './openapi-document.ts';

const stage = await newStage();

type Documented = Record<string, Record<string, Operation>>;
type Operation = {
  description: string;
  requestBody?: { content: Record<string, { example: object }> };
};
const documented = document['paths'] as unknown as Documented;
const operationOf = ({ method, path }: { method: string; path: string }) =>
  documented[`/api/v1${path}`]?.[method.toLowerCase()];
const exampleOf = (route: { method: string; path: string }) =>
  Object.values(operationOf(route)?.requestBody?.content ?? {})[0]?.example;

const isMissingProof = ({ status, body }: Reply) =>
  status === 403 && body.code === 'proof_required';

const always = routes.filter((route) => route.needs_proof === true);
const sometimes = routes.filter((route) => typeof route.needs_proof === 'function');

test('each endpoint that grants power needs a recent proof, and one proof opens all of them', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const call = ({ method, path }: (typeof always)[number]) =>
    superadmin.send(method, filled(path), exampleOf({ method, path }));
  const refusedBy = async () => {
    const refused: string[] = [];
    for (const route of always) if (isMissingProof(await call(route))) refused.push(nameOf(route));
    return refused;
  };

  await clearProofs(stage, tenant);
  const without = await refusedBy();
  await ageProofs(stage, tenant, 16);
  const tooOld = await refusedBy();
  const wrong = await superadmin.post('/auth/prove', { current_password: 'wrong' });
  const proved = await superadmin.post('/auth/prove', { current_password: PASSWORD });
  const after = await refusedBy();

  expect(always.length).toBeGreaterThan(10);
  expect(without).toEqual(always.map(nameOf));
  expect(tooOld).toEqual(always.map(nameOf));
  expect(wrong.status).toBe(422);
  expect(proved).toMatchObject({ status: 200, body: { valid_until: expect.any(String) } });
  expect(after).toEqual([]);
});

/** Calls that need a recent proof of identity, and calls of the same endpoint that do not. */
type Case = (tenant: Tenant, superadmin: Client) => Promise<{ needs: Reply[]; needsNot: Reply[] }>;

const destination =
  (method: 'POST' | 'PUT', path: string, body?: object): Case =>
  async (tenant, superadmin) => {
    const call = () => superadmin.send(method, filled(path), body ?? exampleOf({ method, path }));
    const before = await call();
    await settleDenial(tenant);
    return { needsNot: [before], needs: [await call()] };
  };

const settleDenial = ({ within, userIds }: Tenant) =>
  within(async ({ tx }) => {
    await insert(tx, 'user_permissions', { user_id: userIds['viewer'], ...DENIED_SSN_RULE });
  });

const FORWARD = {
  name: 'Desk',
  channel: 'email',
  match_type: 'any',
  action: 'forward',
  forward_to: 'desk@lender.example',
};

const cases: Record<string, Case> = {
  'PUT /users/{id}': async ({ userIds, within }, superadmin) => {
    const path = `/users/${userIds['viewer']}`;
    const names = { first_name: 'Vera', is_active: true };
    const needsNot = [await superadmin.put(path, names)];
    await within(async ({ tx }) => {
      await setActive(tx, userIds['viewer'] ?? '', false);
    });
    return { needsNot, needs: [await superadmin.put(path, names)] };
  },
  'PUT /tenant/settings': async (tenant, superadmin) => {
    await saveSettings(tenant, { approvals: { four_eyes: ['refunds'] } });
    const put = (body: object) => superadmin.put('/tenant/settings', body);
    return {
      needsNot: [
        await put({ auth: { idle_minutes: 30 } }),
        await put({ approvals: { four_eyes: ['refunds', 'reversals'] } }),
        await put({ payoff: { quote_valid_days: 5 } }),
      ],
      needs: [
        await put({ auth: { idle_minutes: 45 } }),
        await put({ auth: { trusted_origins: ['https://elsewhere.example.com'] } }),
        await put({ approvals: { four_eyes: [] } }),
        await put({ throttle: { login: 60 } }),
      ],
    };
  },
  'POST /webhooks': destination('POST', '/webhooks'),
  'PUT /webhooks/{id}': destination('PUT', '/webhooks/{id}'),
  'POST /loan-tape-configs': destination('POST', '/loan-tape-configs'),
  'PUT /loan-tape-configs/{id}': destination('PUT', '/loan-tape-configs/{id}'),
  'POST /auto-responses': destination('POST', '/auto-responses', FORWARD),
  'PUT /auto-responses/{id}': destination('PUT', '/auto-responses/{id}', FORWARD),
  'POST /sftp-servers': destination('POST', '/sftp-servers'),
  'PUT /sftp-servers/{id}': destination('PUT', '/sftp-servers/{id}'),
  'POST /approvals/{id}/approve': async (tenant, superadmin) => {
    const request = (endpoint: string, params: object, body: object | null) =>
      tenant.within(async ({ tx }) => {
        return insert(tx, 'approvals', {
          kind: 'invitations',
          endpoint,
          params,
          body,
          requested_by: tenant.userIds['admin'],
          requested_by_email: `admin@${tenant.slug}.test`,
          expires_at: new Date(Date.now() + 864e5).toISOString(),
        });
      });
    const approve = async (id: string) => superadmin.post(`/approvals/${id}/approve`);
    const user_id = tenant.userIds['viewer'];
    const role = await request('POST /users/assign-role', {}, { user_id, tenant_role: 'admin' });
    const payment = await request('DELETE /payments/{id}', { id: user_id }, null);
    return { needsNot: [await approve(payment)], needs: [await approve(role)] };
  },
};

test.each(sometimes.map((route) => [nameOf(route)] as const))(
  '%s needs a recent proof only for calls that grant power',
  async (name) => {
    const { tenant, superadmin } = await newTeam(stage);
    await clearProofs(stage, tenant);

    const { needs, needsNot } = (await cases[name]?.(tenant, superadmin)) ?? {};

    expect(needs?.map(isMissingProof)).toEqual(needs?.map(() => true));
    expect(needsNot?.map(isMissingProof)).toEqual(needsNot?.map(() => false));
    expect(needs?.length).toBeGreaterThan(0);
  },
);

/** Changes that only superadmins make and that grant no additional power. */
const GRANT_NOTHING = [
  'POST /borrowers/{id}/export',
  'POST /borrowers/{id}/redact',
  'POST /users/{id}/deactivate',
  'POST /users/remove-role',
  'POST /tenant/logo',
  'DELETE /sessions/{id}',
  'POST /jobs/close-of-business',
  'POST /operations/jobs/change',
  'POST /operations/pauses',
  'POST /operations/pauses/end',
  'POST /operations/slots',
];

test('replaying a request needs the same proof, because its answer may contain a secret', async () => {
  const { tenant, superadmin, give } = await newTeam(stage);
  await give('viewer', DENIED_SSN_RULE);
  const options = { headers: { 'Idempotency-Key': 'a-receiver' } };
  const body = { url: 'https://receiver.example/', events: ['loan.created'] };
  const subscribe = () => superadmin.post('/webhooks', body, options);
  const made = await subscribe();

  await clearProofs(stage, tenant);
  const unproved = await subscribe();
  await superadmin.post('/auth/prove', { current_password: PASSWORD });
  const proved = await subscribe();

  expect(made.status, JSON.stringify(made.body)).toBe(201);
  expect(isMissingProof(unproved)).toBe(true);
  expect(unproved.body).not.toHaveProperty('secret');
  expect(proved).toMatchObject({
    status: 201,
    body: { id: made.body.id, secret: made.body.secret },
  });
});

test('every change reserved for superadmins needs a recent proof or grants no power', () => {
  const unjudged = routes.filter(
    ({ method, allow, needs_proof }) =>
      method !== 'GET' && allow === 'superadmin' && needs_proof === undefined,
  );
  const invitations = routes.filter(
    ({ four_eyes, allow, needs_proof }) =>
      four_eyes === 'invitations' && allow === 'superadmin' && needs_proof === undefined,
  );

  expect(unjudged.map(nameOf).toSorted()).toEqual(GRANT_NOTHING.toSorted());
  expect(invitations.map(nameOf)).toEqual([]);
});

test('every access setting is a control, and every control is a setting', async () => {
  const tenant = await stage.tenant();
  const { body } = await (await tenant.signedIn('superadmin')).get('/tenant/settings');
  const leaves = (tree: object, prefix: string): string[] =>
    Object.entries(tree).flatMap(([key, value]) =>
      typeof value === 'object' && value !== null && !Array.isArray(value)
        ? leaves(value as object, `${prefix}${key}.`)
        : [prefix + key],
    );
  const all = leaves(body, '');
  const rates = ['anon', 'user', 'portal', 'upload', 'communication'].map(
    (name) => `throttle.${name}`,
  );
  const access = all.filter((path) => /^(auth|approvals|throttle)\./.test(path));

  expect(access.filter((path) => !(path in CONTROLS) && !rates.includes(path))).toEqual([]);
  expect(Object.keys(CONTROLS).filter((path) => !all.includes(path))).toEqual([]);
});

test('the documentation says which endpoints need a recent proof', () => {
  const says = (route: (typeof routes)[number]) =>
    /recent proof/.test(operationOf(route)?.description ?? '');

  expect(routes.filter(says).map(nameOf).toSorted()).toEqual(
    [...always, ...sometimes].map(nameOf).toSorted(),
  );
});
