import { expect, test } from 'vitest';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { LETTERHEAD, saveSettings } from '../../setup/settings.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('a charge-off’s form has its business date, not the clock’s date', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-14');
  await admin.post(`/loans/${id}/charge-off`, { reason: 'fraud' });

  const { body } = await tenant.officer.post(`/loans/${id}/1099c`, {
    identifiable_event_code: 'G',
  });

  expect(body).toMatchObject({
    identifiable_event_date: '2026-02-14',
    amount_discharged: '10000.00',
  });
});

test('a manual form has no minimum and uses the given amount, once per event and year', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loan = await newLoan(tenant);
  const path = `/loans/${loan.id}/1099c`;
  const form = { identifiable_event_code: 'G', identifiable_event_date: '2026-01-15' };

  const made = await tenant.officer.post(path, { ...form, amount_discharged: '25.00' });
  const again = await tenant.officer.post(path, { ...form, amount_discharged: '25.00' });
  const voided = await tenant.officer.delete(`/forms-1099c/${made.body.id}`);
  const anew = await tenant.officer.post(path, { ...form, amount_discharged: '26.00' });
  const furnished = await tenant.officer.put(`/forms-1099c/${anew.body.id}`, {
    ...anew.body,
    amount_discharged: '1.00',
    principal_forgiven: '1.00',
    status: 'furnished',
  });
  const kept = await tenant.officer.delete(`/forms-1099c/${anew.body.id}`);

  expect(made).toMatchObject({
    status: 201,
    body: {
      tax_year: 2026,
      identifiable_event_code: 'G',
      identifiable_event_date: '2026-01-15',
      debtor_name: 'Grace Hopper',
      account_number: 'LN-2026-000001',
      status: 'generated',
    },
  });
  expect(made.body.document_id).not.toBeNull();
  expect(again).toMatchObject({ status: 409, body: { code: 'already_exists' } });
  expect(voided.body.status).toBe('void');
  expect(furnished.body).toMatchObject({ status: 'furnished', amount_discharged: '26.00' });
  expect(kept).toMatchObject({ status: 409, body: { code: 'immutable' } });
});

test('a form uses the charged-off principal, and is refused if nothing was forgiven', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const none = await newLoan(tenant);
  const lost = await newLoan(tenant);
  const admin = await tenant.signedIn('admin');
  await admin.post(`/loans/${lost.id}/charge-off`, { reason: 'bankruptcy' });

  const refused = await tenant.officer.post(`/loans/${none.id}/1099c`);
  const made = await tenant.officer.post(`/loans/${lost.id}/1099c`, {
    identifiable_event_code: 'A',
  });

  expect(refused).toMatchObject({
    status: 422,
    body: { errors: { amount_discharged: expect.any(String) } },
  });
  expect(made.body).toMatchObject({
    amount_discharged: '10000.00',
    identifiable_event_code: 'A',
    source: 'manual',
  });
});

test('a lender without payer details orders no form, and a forgiveness leaves a draft', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await saveSettings(tenant, { tax: {} });

  const refused = await tenant.officer.post(`/loans/${id}/1099c`, {
    amount_discharged: '25.00',
    identifiable_event_code: 'G',
    identifiable_event_date: '2026-01-15',
  });
  await tenant.officer.post(`/loans/${id}/modifications`, {
    modification_type: 'principal_forgiveness',
    principal_forgiven: '700.00',
  });
  const [draft] = (await tenant.officer.get(`/loans/${id}/1099c`)).body;
  const generate = () =>
    tenant.officer.put(`/forms-1099c/${draft.id}`, { ...draft, status: 'generated' });
  const tooSoon = await generate();
  await saveSettings(tenant, LETTERHEAD);
  const generated = await generate();
  const tasks = await tenant.officer.get('/tasks');

  const incomplete = {
    status: 409,
    body: {
      code: 'tenant_incomplete',
      details: { document: 'form_1099c', settings: ['tax.payer_tin', 'tax.payer_address'] },
    },
  };
  expect([refused, tooSoon]).toMatchObject([incomplete, incomplete]);
  expect(draft).toMatchObject({ status: 'draft', document_id: null, amount_discharged: '700.00' });
  expect(generated.body).toMatchObject({ status: 'generated', creditor_tin_last_four: '6789' });
  expect(generated.body.document_id).not.toBeNull();
  expect(tasks.body).toMatchObject([{ title: expect.stringContaining('form of LN-2026-000001') }]);
});

test('the task to complete the settings is canceled with the last draft that needs them', async () => {
  const tenant = await stage.tenant('2025-12-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await saveSettings(tenant, { tax: {} });
  const forgive = async (principal_forgiven: string) => {
    const made = await tenant.officer.post(`/loans/${id}/modifications`, {
      modification_type: 'principal_forgiveness',
      principal_forgiven,
    });
    return made.body.id as string;
  };
  const openTasks = async () =>
    ((await tenant.officer.get('/tasks?status=open')).body as { title: string }[])
      .map(({ title }) => title)
      .filter((title) => title.startsWith('Complete the settings'));

  await forgive('700.00');
  await travelTo(stage, tenant, '2026-01-05');
  const second = await forgive('800.00');
  const both = await openTasks();
  await admin.post(`/modifications/${second}/reverse`, {});
  const afterReversal = await openTasks();
  const forms = (await tenant.officer.get(`/loans/${id}/1099c`)).body as Record<string, string>[];
  const draft = forms.find(({ status }) => status === 'draft');
  const removed = await tenant.officer.delete(`/forms-1099c/${draft?.['id']}`);

  expect(removed.status, JSON.stringify(removed.body)).toBeLessThan(300);
  expect([both.length, afterReversal.length]).toEqual([1, 1]);
  expect(await openTasks()).toEqual([]);
});

test('when a charge-off is reversed, a task names the manual form that was made for it', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await admin.post(`/loans/${id}/charge-off`, { reason: 'bankruptcy', force: true });
  const form = await tenant.officer.post(`/loans/${id}/1099c`, {
    amount_discharged: '9000.00',
    identifiable_event_code: 'G',
  });
  const tasks = async () =>
    (await tenant.officer.get('/tasks?status=open')).body as Record<string, string>[];
  const before = await tasks();

  const reversed = await admin.post(`/loans/${id}/reverse-charge-off`, { reason: 'mistake' });
  const after = (await tasks()).filter((task) =>
    before.every((known) => known['id'] !== task['id']),
  );

  expect([form.status, reversed.status]).toEqual([201, 200]);
  expect(after).toMatchObject([
    {
      title: expect.stringMatching(/^Check form 1099-C of LN-/),
      description: expect.stringContaining(`${form.body.form_number} was made by hand`),
      task_type: 'compliance',
    },
  ]);
});
