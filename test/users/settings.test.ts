import { expect, test } from 'vitest';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('settings are read whole and changed in part', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const admin = await tenant.signedIn('admin');

  const before = await admin.get('/tenant/settings');
  const changed = await superadmin.put('/tenant/settings', {
    auth: { idle_minutes: 15 },
    compliance: { checks: { usury_rate_cap: 'hard' } },
    branding: { primary_color: '#aa0000' },
  });
  const whole = await superadmin.put('/tenant/settings', {
    ...changed.body,
    name: 'Another name',
    payoff: { tolerance: '2.5' },
  });
  const config = await tenant.anonymous().get('/portal/config');
  const stored = await stage.owner.query('select settings from tenants where id = $1', [tenant.id]);
  const history = await stage.owner.query(
    `select changes from audit_log where entity_id = $1 order by created_at`,
    [tenant.id],
  );

  expect(before.body).toMatchObject({
    slug: tenant.slug,
    domains: [tenant.host],
    business_date: '2026-01-15',
    auth: { idle_minutes: 60, absolute_hours: 12 },
    throttle: { login: 10 },
  });
  expect(changed.body.auth).toMatchObject({ idle_minutes: 15, absolute_hours: 12 });
  expect(whole.body).toMatchObject({
    name: `Tenant ${tenant.slug}`,
    auth: { idle_minutes: 15 },
    payoff: { tolerance: '2.50', quote_valid_days: 10 },
  });
  expect(stored.rows[0].settings).toEqual({
    auth: { idle_minutes: 15 },
    branding: { primary_color: '#aa0000' },
    compliance: { checks: { usury_rate_cap: 'hard' } },
    payoff: { tolerance: '2.50' },
  });
  expect(history.rows[0].changes).toMatchObject({ 'auth.idle_minutes': { old: 60, new: 15 } });
  expect(config).toMatchObject({
    status: 200,
    body: { tenant_name: `Tenant ${tenant.slug}`, primary_color: '#aa0000', logo_url: '' },
  });
});

test('unknown settings and bad values are refused, and nothing of them is kept', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const admin = await tenant.signedIn('admin');
  const refusal = async (body: object) =>
    (await superadmin.put('/tenant/settings', body)).body.errors;

  expect(await refusal({ colour: 'red' })).toEqual({ colour: 'Is not a setting.' });
  expect(await refusal({ auth: { idle: 3, absolute_hours: 2 } })).toEqual({
    'auth.idle': 'Is not a setting.',
  });
  expect(await refusal({ auth: { idle_minutes: 0 } })).toHaveProperty(['auth.idle_minutes']);
  expect(await refusal({ auth: 'none' })).toHaveProperty('auth');
  expect(await refusal({ compliance: { checks: { mla: 'maybe' } } })).toHaveProperty([
    'compliance.checks.mla',
  ]);
  expect(await refusal({ nacha: { company_name: 'Crédit 🙂' } })).toHaveProperty([
    'nacha.company_name',
  ]);
  const raw = '{"__proto__":{"polluted":true},"auth":{"constructor":{"prototype":{}}}}';
  const hostile = await superadmin.send('PUT', '/tenant/settings', undefined, { raw });
  const read = await admin.get('/tenant/settings');

  expect(hostile.status).toBe(400);
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect(read.body.auth.absolute_hours).toBe(12);
  expect((await admin.put('/tenant/settings', {})).status).toBe(403);
  expect((await tenant.officer.get('/tenant/settings')).status).toBe(403);
});
