import { expect, onTestFinished, test } from 'vitest';
import { parseNetworks } from '../../jobs/networks/networks.ts';
import { sendAccountMessage } from '../../jobs/users/send-account-message.job.ts';
import { newOutside } from '../setup/outside.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const tenant = await stage.tenant();
const superadmin = await tenant.signedIn('superadmin');

const put = (body: object) => superadmin.put('/tenant/settings', body);

test.each([
  ['throttle.login', [0, 2, 61, 10_000, null]],
  ['throttle.request', [0, 2, 61, null]],
  ['throttle.reset', [0, 2, 61, null]],
  ['throttle.second_factor', [0, 2, 61, null]],
  ['throttle.anon', [0, 1, 29]],
  ['throttle.user', [0, 1, 29]],
  ['throttle.portal', [0, 1, 29]],
  ['auth.idle_minutes', [0, 1, 4, 481]],
  ['auth.portal_idle_minutes', [1, 481]],
  ['auth.absolute_hours', [0, 337]],
  ['auth.password_min', [7, 33]],
])('%s can neither disable protection nor lock out everyone', async (key, values) => {
  const [group = '', name = ''] = key.split('.');

  for (const value of values) {
    const reply = await put({ [group]: { [name]: value } });
    expect(reply, `${key}=${value}`).toMatchObject({
      status: 422,
      body: { errors: { [key]: expect.any(String) } },
    });
  }
});

test('links in emails lead only to the tenant’s own domains', async () => {
  const site = (site_origin: string) => put({ auth: { site_origin } });

  const refused = [
    await site('https://evil.example'),
    await site(`https://${tenant.host}.evil.example`),
    await site(`http://${tenant.host}`),
    await site(`https://user@${tenant.host}`),
    await site('https://localhost'),
    await site(`https://${tenant.host}/path`),
  ];
  const kept = await site(`https://${tenant.host}:8443`);

  expect(refused.map(({ status }) => status)).toEqual(refused.map(() => 422));
  expect(refused[0]?.body.errors).toEqual({
    'auth.site_origin': `Must be on one of your domains: ${tenant.host}.`,
  });
  expect(kept).toMatchObject({ status: 200, body: { auth: { site_origin: expect.any(String) } } });
});

test('a link leads to the tenant’s domain even if another origin was stored earlier', async () => {
  const other = await stage.tenant();
  await saveSettings(other, { auth: { site_origin: 'https://evil.example' } });
  const outside = newOutside(stage.pool);
  const payload = { tenant_id: other.id, user_id: other.userIds['viewer'] ?? '', attempt: 1 };

  await sendAccountMessage.run({ ...payload, message: 'password_reset' }, outside);

  expect(outside.mailbox[0]?.html).toContain(`https://${other.host}/staff/choose-password`);
  expect(outside.mailbox[0]?.html).not.toContain('evil.example');
});

test.each([
  'http://cdn.example.com/logo.png',
  'https://localhost/logo.png',
  'https://10.0.0.1/logo.png',
  'https://169.254.169.254/',
  'https://wiki.internal/logo.png',
  'javascript:alert(1)',
  'data:image/svg+xml;base64,AAAA',
  '//cdn.example.com/logo.png',
])('the logo cannot be %s', async (logo_url) => {
  const reply = await put({ branding: { logo_url } });

  expect(reply).toMatchObject({
    status: 422,
    body: { errors: { 'branding.logo_url': expect.any(String) } },
  });
});

test('the logo must be an image on a public host', async () => {
  const logo_url = 'https://cdn.example.com/logo.png';

  const reply = await put({ branding: { logo_url } });

  expect(reply).toMatchObject({ status: 200, body: { branding: { logo_url } } });
});

test('in production no tenant can open private hosts, not even with an old setting', async () => {
  const url = 'https://localhost:8443/hook';
  const other = await stage.tenant();
  const admin = await other.signedIn('admin');
  await saveSettings(other, { webhooks: { allow_private_hosts: true } });
  const subscribe = () => admin.post('/webhooks', { url, events: ['*'] });

  const { networks } = stage.installation;
  onTestFinished(() => void (stage.installation.networks = networks));
  const openInProduction = (...named: string[]) =>
    (stage.installation.networks = parseNetworks(named, { isProduction: true }));

  const development = await subscribe();
  openInProduction();
  const production = await subscribe();
  const changed = await admin.put(`/webhooks/${development.body.id}`, { url });
  const opened = await put({ webhooks: { allow_private_hosts: true } });
  openInProduction('127.0.0.0/8');
  const named = await subscribe();

  expect(development.status).toBe(201);
  expect(production).toMatchObject({ status: 422, body: { errors: { url: expect.any(String) } } });
  expect(changed.status).toBe(422);
  expect(opened).toMatchObject({
    status: 422,
    body: {
      errors: { 'webhooks.allow_private_hosts': expect.stringContaining('PRIVATE_NETWORKS') },
    },
  });
  expect(named.status).toBe(201);
});

test('a receiver at the metadata address is refused on every route', async () => {
  await put({ webhooks: { allow_private_hosts: true } });
  const admin = await tenant.signedIn('admin');

  const reply = await admin.post('/webhooks', { url: 'https://169.254.169.254/', events: ['*'] });

  expect(reply).toMatchObject({ status: 422, body: { errors: { url: expect.any(String) } } });
});

test('stored settings outside today’s limits count as unset, and the rest stays', async () => {
  const other = await stage.tenant();
  const admin = await other.signedIn('admin');
  await saveSettings(other, {
    throttle: { login: 10_000, upload: 7 },
    auth: { idle_minutes: 1440, absolute_hours: 8 },
    branding: { logo_url: 'http://10.0.0.1/logo.png', support_phone: '+1 202 555 0100' },
  });

  const { status, body } = await admin.get('/tenant/settings');

  expect(status).toBe(200);
  expect(body).toMatchObject({
    throttle: { login: 10, upload: 7 },
    auth: { idle_minutes: 60, absolute_hours: 8 },
    branding: { logo_url: '', support_phone: '+1 202 555 0100' },
  });
});
