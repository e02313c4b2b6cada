import { expect, test } from 'vitest';
import { COMPLIANCE_RULES } from '../../jobs/loans/origination/compliance-rules.ts';
import { DOCUMENT_TYPES } from '../../jobs/documents/types.ts';
import { COMPLIANCE_CHECKS } from '../../jobs/users/settings/compliance-checks.ts';
import { DocumentYears } from '../../jobs/users/settings/document-years.ts';
import { settingsOf } from '../../jobs/users/settings/settings.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

test('settings are read completely and changed partially', async () => {
  const tenant = await stage.tenant();
  await saveSettings(tenant, { nacha: {}, branding: {}, adverse_action: {}, tax: {} });
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

test('unknown settings and invalid values are refused, and nothing is stored', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const admin = await tenant.signedIn('admin');
  const refusal = async (body: object) =>
    (await superadmin.put('/tenant/settings', body)).body.errors;

  expect(await refusal({ colour: 'red' })).toEqual({
    colour: expect.stringMatching(/^Is not a setting/),
  });
  expect(await refusal({ auth: { idle: 3, absolute_hours: 2 } })).toEqual({
    'auth.idle': expect.stringMatching(/^Is not a setting\. Did you mean "auth\.idle_minutes"\?$/),
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

const BAD: Record<string, unknown[]> = {
  'communications.from_email': [
    'not an address',
    'a@b.example\r\nBcc: c@d.example',
    'x'.repeat(300),
  ],
  'branding.support_email': ['not an address', 'a@b.example\r\nBcc: c@d.example'],
  'payoff.tolerance': ['9999999999999.99', '100.01', 'abc'],
  'delinquency.satisfied_tolerance': ['9999999999999.99', '100.01', 'abc'],
  'compliance.checks': [{ astrology: 'hard' }, { constructor: 'off' }],
  'auth.trusted_origins': [['https://*'], ['https://*.example.com'], ['https://a,b']],
};
const CASES = Object.entries(BAD).flatMap(([name, values]) =>
  values.map((value) => [name, value] as const),
);

test.each(CASES)('%s cannot be %j', async (name, value) => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const [group = '', key = ''] = name.split('.');

  const reply = await superadmin.put('/tenant/settings', { [group]: { [key]: value } });

  expect(reply.status).toBe(422);
  expect(Object.keys(reply.body.errors)).toEqual([expect.stringContaining(name)]);
});

test('an address can be cleared, and tolerances may be up to a hundred', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const wanted = {
    branding: { support_email: 'help@harborpine.example' },
    communications: { from_email: 'Service@Harborpine.example' },
    payoff: { tolerance: '100' },
    delinquency: { satisfied_tolerance: '100.00' },
    auth: { trusted_origins: ['https://admin.example.com:8443', 'http://localhost:5173'] },
  };

  const set = await superadmin.put('/tenant/settings', wanted);
  const back = await superadmin.put('/tenant/settings', {
    branding: { support_email: '' },
    communications: { from_email: '' },
  });

  expect(set).toMatchObject({ status: 200, body: { payoff: { tolerance: '100.00' } } });
  expect(set.body.communications.from_email).toBe('service@harborpine.example');
  expect([back.body.branding.support_email, back.body.communications.from_email]).toEqual(['', '']);
});

test('an invalid stored value counts as unset, and other values stay', async () => {
  const tenant = await stage.tenant();
  await saveSettings(tenant, {
    branding: { support_email: 'not an address', support_phone: '555 0100' },
    communications: { from_email: 'a@b.example\r\nBcc: c@d.example', weekly_cap: 3 },
    payoff: { tolerance: '9999999999999.99', quote_valid_days: 4 },
    compliance: { checks: { astrology: 'hard', usury_rate_cap: 'hard' } },
  });

  const read = await tenant.within(({ tx }) => settingsOf(tx));

  expect(read).toMatchObject({
    branding: { support_email: '', support_phone: '555 0100' },
    communications: { from_email: '', weekly_cap: 3 },
    payoff: { tolerance: '1.00', quote_valid_days: 4 },
  });
  expect(read.compliance.checks).toEqual({ usury_rate_cap: 'hard' });
});

test.each(['constructor', 'toString', 'hasOwnProperty'])(
  'a setting named %s is unknown',
  async (name) => {
    const superadmin = await (await stage.tenant()).signedIn('superadmin');

    const reply = await superadmin.put('/tenant/settings', { [name]: 'red' });

    expect(reply).toMatchObject({
      status: 422,
      body: { errors: { [name]: expect.stringMatching(/^Is not a setting/) } },
    });
  },
);

test('of very many unknown settings the first hundred are named, and a few get a suggestion', async () => {
  const superadmin = await (await stage.tenant()).signedIn('superadmin');
  const unknown = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, at) => [`eod_cutoff_time_${at}`, 'x']));

  const many = await superadmin.put('/tenant/settings', unknown(5_000));
  const long = await superadmin.put('/tenant/settings', { ['a'.repeat(100_000)]: 1 });

  expect(many.status).toBe(422);
  const sentences = Object.values(many.body.errors as Record<string, string>);
  expect(sentences).toHaveLength(100);
  expect(sentences.filter((said) => said.includes('Did you mean'))).toHaveLength(5);
  expect(Object.values(long.body.errors)).toEqual(['Is not a setting.']);
});

test('the data that every request reads stays small: a tenant has at most a hundred program ids', async () => {
  const superadmin = await (await stage.tenant()).signedIn('superadmin');
  const program_ids = Object.fromEntries(
    Array.from({ length: 101 }, (_, at) => [`program-${at}`, 'x']),
  );

  const reply = await superadmin.put('/tenant/settings', { credit_reporting: { program_ids } });

  expect(reply).toMatchObject({
    status: 422,
    body: { errors: { 'credit_reporting.program_ids': 'Must be at most 100.' } },
  });
});

test('a tenant can configure exactly the checks that exist', () => {
  expect(COMPLIANCE_RULES.map(({ code }) => code)).toEqual(COMPLIANCE_CHECKS);
});

test('no tenant keeps a document for less than the law requires', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const put = (document_years: object) =>
    superadmin.put('/tenant/settings', { retention: { document_years } });

  const short = await put({ adverse_action_notice: 2 });
  const unknown = await put({ diaries: 2 });
  const set = await put({ adverse_action_notice: 3, title: 10 });
  const unset = await put({ title: null });

  expect(short).toMatchObject({
    status: 422,
    body: {
      errors: {
        'retention.document_years.adverse_action_notice': expect.stringContaining('1002.12(b)'),
      },
    },
  });
  expect(unknown.status).toBe(422);
  expect(set.body.retention.document_years).toMatchObject({ title: 10 });
  expect(unset.body.retention.document_years).toMatchObject({
    adverse_action_notice: 3,
    title: null,
  });
  expect(Object.keys(DocumentYears.shape).toSorted()).toEqual(
    [...DOCUMENT_TYPES, 'loan_tape'].toSorted(),
  );
});
