import { expect, test } from 'vitest';
import { newAuthenticator } from '../setup/authenticator.ts';
import type { Client } from '../setup/client.ts';
import { signInHalfway } from '../setup/second-factors.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage, PASSWORD, type Tenant } from '../setup/world.ts';

const stage = await newStage();
const role = 'loan_officer';
const originOf = ({ host }: Pick<Tenant, 'host'>) => `http://${host}`;

async function enrolled(tenant: Tenant, client: Client, again: object) {
  const authenticator = newAuthenticator();
  const { body: options } = await client.post('/auth/second-factors/passkeys/options', again);
  const credential = authenticator.create({ options, origin: originOf(tenant) });
  const reply = await client.post('/auth/second-factors/passkeys', { name: 'Laptop', credential });
  return { authenticator, reply, credential, options };
}

test('a passkey is created and signs its user in; a signature works only once', async () => {
  const tenant = await stage.tenant();
  const { authenticator, reply, options } = await enrolled(tenant, tenant.officer, {
    current_password: PASSWORD,
  });
  const { client, reply: login, prove } = await signInHalfway(tenant, role);
  const asked = await client.post('/auth/second-factor/options');
  const passkey = authenticator.get({ options: asked.body, origin: originOf(tenant) });

  const proved = await prove({ passkey });
  const again = await (await signInHalfway(tenant, role)).prove({ passkey });
  const { factors } = (await client.get('/auth/second-factors')).body;
  const [session] = (await client.get('/auth/sessions')).body;

  expect(options).toMatchObject({ rp: { id: tenant.host }, user: { name: expect.any(String) } });
  expect(reply.body.recovery_codes).toHaveLength(10);
  expect(login.body.second_factor.methods).toEqual(['passkey', 'recovery_code']);
  expect(asked.body.allowCredentials).toMatchObject([{ transports: ['internal'] }]);
  expect([proved.status, again.status]).toEqual([200, 401]);
  expect(factors).toMatchObject([{ kind: 'passkey', name: 'Laptop' }]);
  expect(session).toMatchObject({ second_factor: 'passkey', is_current: true });
});

test('a signature for another site, by another key or by a clone is refused', async () => {
  const tenant = await stage.tenant();
  await saveSettings(tenant, { throttle: { login: 60, second_factor: 60 } });
  const { authenticator } = await enrolled(tenant, tenant.officer, { current_password: PASSWORD });
  const origin = originOf(tenant);
  const attempt = async (sign: (options: { challenge: string }) => object) => {
    const { client, prove } = await signInHalfway(tenant, role);
    const { body: options } = await client.post('/auth/second-factor/options');
    return prove({ passkey: sign(options) });
  };

  const right = await attempt((options) => authenticator.get({ options, origin }));
  const wrong = [
    await attempt((options) => authenticator.get({ options, origin: `${origin}.evil.example` })),
    await attempt((options) => authenticator.get({ options, origin }, { host: 'evil.example' })),
    await attempt(({ challenge }) =>
      authenticator.get({ options: { challenge: `${challenge}A`, rpId: tenant.host }, origin }),
    ),
    await attempt((options) => newAuthenticator().get({ options, origin })),
    await attempt((options) => authenticator.get({ options, origin }, { at: 1 })),
    await attempt((options) => ({
      ...authenticator.get({ options, origin }),
      response: authenticator.create({ options, origin }).response,
    })),
  ];

  expect(right.status).toBe(200);
  expect(wrong.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401, 422]);
});

test('a passkey is enrolled once, for the user and host that asked, and at most ten per user', async () => {
  const tenant = await stage.tenant();
  const other = await stage.tenant();
  const { officer } = tenant;
  const origin = originOf(tenant);
  const again = { current_password: PASSWORD };
  const begin = async (client: Client) =>
    (await client.post('/auth/second-factors/passkeys/options', again)).body;
  const keep = (client: Client, credential: object) =>
    client.post('/auth/second-factors/passkeys', { credential });
  const options = await begin(officer);
  const key = newAuthenticator();
  const made = key.create({ options, origin });
  const refused = [
    await officer.post('/auth/second-factors/passkeys/options', {}),
    await keep(officer, newAuthenticator().create({ options: { challenge: 'AAAA' }, origin })),
    await keep(other.officer, made),
    await keep(officer, key.create({ options, origin: 'https://evil.example' })),
    await keep(officer, key.create({ options, origin }, 'evil.example')),
    await keep(officer, { ...made, response: { ...made.response, attestationObject: 'AAAA' } }),
  ];
  const kept = await keep(officer, made);
  const twice = await keep(officer, made);
  await stage.owner.query(
    `insert into second_factors (tenant_id, user_id, kind, name, credential_id, public_key,
                                 sign_count, host, confirmed_at)
     select $1, $2, 'passkey', 'Key', 'k' || count, '', 0, 'x', now()
     from generate_series(1, 9) as count`,
    [tenant.id, tenant.userIds[role]],
  );
  const eleventh = await officer.post('/auth/second-factors/passkeys/options', again);

  expect(refused.map(({ status }) => status)).toEqual([422, 422, 422, 422, 422, 422]);
  expect([kept.status, twice.status]).toEqual([200, 422]);
  expect(eleventh).toMatchObject({ status: 409, body: { code: 'too_many' } });
});

test('a user who must enroll may use a passkey, and must prove it before removing it', async () => {
  const tenant = await stage.tenant();
  await saveSettings(tenant, { auth: { second_factor: { borrowers: true } } });
  const { client } = await signInHalfway(tenant, 'borrower');
  const { authenticator, reply } = await enrolled(tenant, client, {});
  const me = await client.get('/users/me');
  await saveSettings(tenant, { auth: {} });
  const { factors } = (await client.get('/auth/second-factors')).body;
  const { body: options } = await client.post('/auth/second-factor/options');
  const passkey = authenticator.get({ options, origin: originOf(tenant) });

  const removed = await client.post(`/auth/second-factors/${factors[0].id}/remove`, { passkey });

  expect([reply.status, me.status, removed.status]).toEqual([200, 200, 200]);
  expect((await client.get('/auth/second-factors')).body.factors).toEqual([]);
});
