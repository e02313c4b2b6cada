import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const reminder = {
  name: 'Reminder',
  template_type: 'payment_reminder',
  channel: 'email',
  subject: 'Reminder',
  body: 'From the tenant',
};

test('forbidden content in a template is refused with its position', async () => {
  const admin = await (await stage.tenant()).signedIn('admin');

  const reply = await admin.post('/communication-templates', {
    ...reminder,
    body: 'Hello\n  {{ constructor }}',
  });

  expect(reply).toMatchObject({
    status: 422,
    body: { errors: { body: expect.stringMatching(/^Line 2, column 3: /) } },
  });
});

test('a body that is not text is refused before it is parsed', async () => {
  const admin = await (await stage.tenant()).signedIn('admin');

  const reply = await admin.post('/communication-templates', {
    ...reminder,
    body: { type: 'Program', body: [] },
  });

  expect(reply).toMatchObject({ status: 422, body: { errors: { body: expect.any(String) } } });
});

test('changed text is a new version, and archiving a template frees its name', async () => {
  const admin = await (await stage.tenant()).signedIn('admin');

  const made = await admin.post('/communication-templates', reminder);
  const twice = await admin.post('/communication-templates', reminder);
  const renamed = await admin.put(`/communication-templates/${made.body.id}`, made.body);
  const changed = await admin.put(`/communication-templates/${made.body.id}`, { body: 'New' });
  await admin.delete(`/communication-templates/${made.body.id}`);
  const again = await admin.post('/communication-templates', reminder);

  expect(twice.status).toBe(409);
  expect(renamed.body.version).toBe(1);
  expect(changed.body).toMatchObject({ version: 2, body: 'New' });
  expect(again.status).toBe(201);
});

test('a type has one template per channel and language, and any number of custom ones', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const path = '/communication-templates';
  const add = (more: object) => admin.post(path, { ...reminder, ...more });
  const made = await add({});
  const spanish = await add({ name: 'Spanish', language: 'es' });

  const twice = await add({ name: 'Another', is_active: false });
  const moved = await admin.put(`${path}/${spanish.body.id}`, { language: 'en' });
  const others = [
    await add({ channel: 'letter' }),
    await add({ program_id: await tenant.first('/programs') }),
    await add({ template_type: 'custom' }),
    await add({ template_type: 'custom', name: 'Another' }),
  ];
  const sameName = await add({ template_type: 'custom' });
  await admin.delete(`${path}/${made.body.id}`);
  const simultaneous = await Promise.all([add({ name: 'One' }), add({ name: 'Two' })]);

  const taken = { code: 'already_exists', details: { field: 'template_type' } };
  expect(twice).toMatchObject({ status: 409, body: taken });
  expect(moved).toMatchObject({ status: 409, body: taken });
  expect(others.map(({ status }) => status)).toEqual([201, 201, 201, 201]);
  expect(sameName).toMatchObject({ status: 422, body: { errors: { name: 'Is already taken.' } } });
  expect(new Set(simultaneous.map(({ status }) => status))).toEqual(new Set([201, 409]));
});

test('a program’s template takes precedence over the tenant’s, and the default comes last', async () => {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const { id: loan_id, borrower_id } = await newLoan(tenant);
  const program_id = await tenant.first('/programs');
  const wish = { template_type: 'payment_reminder', borrower_id, loan_id };
  const preview = async () =>
    String((await tenant.officer.post('/communications/preview', wish)).body.body);

  const ours = await preview();
  await admin.post('/communication-templates', reminder);
  const tenants = await preview();
  await admin.post('/communication-templates', {
    ...reminder,
    body: 'From the program',
    program_id,
  });
  const programs = await preview();

  expect(ours).toContain('This is a reminder');
  expect(tenants).toContain('From the tenant');
  expect(programs).toContain('From the program');
});

test('with several loans none is chosen, and the error names the value that needs one', async () => {
  const tenant = await stage.tenant();
  const { officer } = tenant;
  const admin = await tenant.signedIn('admin');
  const { id: loan_id, borrower_id } = await newLoan(tenant);
  await officer.post(`/borrowers/${borrower_id}/emails`, { email: 'grace@example.com' });
  const body = '{{ borrower.name }}: {{ loan.balance | currency(locale) }}';
  const custom = { ...reminder, template_type: 'custom', body };
  const template_id = (await admin.post('/communication-templates', custom)).body.id;
  const plain = { ...custom, name: 'Plain', body: '{{#if loan}}{{ loan.number }}{{/if}}Hello' };
  const without = (await admin.post('/communication-templates', plain)).body.id;
  const say = (more: object, how = 'preview') =>
    officer.post(`/communications/${how}`, { template_id, borrower_id, ...more });

  const single = await say({});
  await newLoan(tenant, { borrower_id });
  const unclear = [await say({}), await say({}, 'send')];
  const clear = [await say({ loan_id }), await say({ template_id: without })];
  const batch = { template_id, borrower_ids: [borrower_id], channel: 'email' };
  const many = await officer.post('/communications/send-batch', batch);

  expect(single.body.body).toContain('$10,000.00');
  for (const reply of unclear)
    expect(reply).toMatchObject({
      status: 422,
      body: { errors: { loan_id: expect.stringContaining('loan.balance') } },
    });
  expect(clear.map(({ status }) => status)).toEqual([200, 200]);
  expect(many.body).toMatchObject({
    queued: 0,
    failed: 1,
    results: [
      {
        status: 'failed',
        reasons: [expect.stringContaining('loan.balance')],
      },
    ],
  });
});

test('a message uses the requested language, otherwise English', async () => {
  const tenant = await stage.tenant();
  const { id: loan_id, borrower_id } = await newLoan(tenant);
  const wish = { template_type: 'payment_reminder', borrower_id, loan_id };
  const preview = async (language_preference: string) => {
    await tenant.officer.put(`/borrowers/${borrower_id}`, { language_preference });
    return String((await tenant.officer.post('/communications/preview', wish)).body.body);
  };

  expect(await preview('es')).toContain('Número de préstamo');
  expect(await preview('fr')).toContain('Loan number');
});
