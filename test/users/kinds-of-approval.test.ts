import { expect, test } from 'vitest';
import { dumpAllRows } from '../setup/dump-rows.ts';
import {
  addBankAccount,
  createdId,
  buildReturnFile,
  readSentEntries,
  newLoanWithAccount,
} from '../setup/nacha.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

async function careful(...four_eyes: string[]) {
  const tenant = await stage.tenant('2026-01-15');
  const [admin, superadmin] = [await tenant.signedIn('admin'), await tenant.signedIn('superadmin')];
  const second = async () => {
    await stage.owner.query(`update users set tenant_role = 'superadmin' where id = $1`, [
      tenant.userIds['admin'],
    ]);
    return admin;
  };
  const keep = () => saveSettings(tenant, { approvals: { four_eyes } });
  return { tenant, officer: tenant.officer, admin, superadmin, keep, second };
}

test('a manually uploaded return file waits for a second person, sealed, and is processed on approval', async () => {
  const { tenant, officer, admin, superadmin, keep } = await careful('reversals');
  const loan = await newLoanWithAccount(tenant);
  const named = { amount: '20.00', payment_instrument_id: loan.account };
  const payment = createdId(await officer.post(`/loans/${loan.id}/payments`, named));
  const file = await admin.post('/nacha-files');
  const [line = ''] = await readSentEntries(stage, tenant, file.body.filename);
  await keep();

  const asked = await admin.post('/nacha-returns', { file: buildReturnFile([line, 'R01']) });
  const shown = (await superadmin.get(`/approvals/${asked.body.approval_id}`)).body;
  const before = (await officer.get(`/payments/${payment}`)).body.status;
  const kept = await dumpAllRows(stage.owner);
  const seen = await officer.get(`/approvals/${asked.body.approval_id}`);
  const approved = await superadmin.post(`/approvals/${asked.body.approval_id}/approve`);

  expect(asked).toMatchObject({ status: 202, body: { kind: 'reversals' } });
  expect(shown).toMatchObject({
    body: { file: '***' },
    content: { returns: [{ code: 'R01', amount: '20.00', payment_id: payment }] },
  });
  expect(kept).not.toContain('000123456789');
  expect(before).toBe('completed');
  expect(seen.status).toBe(404);
  expect(approved.status, JSON.stringify(approved.body)).toBe(200);
  expect((await officer.get(`/payments/${payment}`)).body.status).not.toBe('completed');
});

test('restoring a user’s access needs a second person if inviting one does', async () => {
  const { tenant, superadmin, keep, second } = await careful('invitations');
  const path = `/users/${tenant.userIds['viewer']}`;
  await keep();
  await superadmin.post(`${path}/deactivate`);

  const renamed = await superadmin.put(path, { last_name: 'Other' });
  const asked = await superadmin.put(path, { is_active: true });
  const before = (await superadmin.get(path)).body.is_active;
  const approved = await (await second()).post(`/approvals/${asked.body.approval_id}/approve`);

  expect(renamed.status).toBe(200);
  expect(asked).toMatchObject({ status: 202, body: { kind: 'invitations' } });
  expect(before).toBe(false);
  expect(approved.status).toBe(200);
  expect((await superadmin.get(path)).body.is_active).toBe(true);
});

test('a new destination for data or money needs a second person if the tenant requires it', async () => {
  const { tenant, officer, admin, superadmin, keep } = await careful('destinations');
  const loan = await newLoanWithAccount(tenant);
  const fresh = await addBankAccount(officer, loan.borrower_id);
  const investor = (await admin.post('/investors', { name: 'Fund' })).body.id as string;
  const url = 'https://hooks.lender.example/in';
  await keep();

  const webhook = await admin.post('/webhooks', {
    url,
    events: ['*'],
    secret: 'a-secret-of-our-own',
  });
  const asked = [
    webhook,
    await admin.post(`/investors/${investor}/settlement-instruments`, {
      account_number: '99998888',
    }),
    await admin.put(`/payment-instruments/${fresh}`, { is_verified: true }),
    await admin.post(`/borrowers/${loan.borrower_id}/payment-instruments`, {
      routing_number: '021000021',
      account_number: '77776666',
      is_verified: true,
    }),
    await admin.post('/loan-tape-configs', {
      name: 'Daily',
      columns: ['loan_number'],
      delivery: 'email',
      recipients: ['anybody@elsewhere.example'],
    }),
  ];
  const byOfficer = await officer.put(`/payment-instruments/${fresh}`, { is_verified: true });
  const kept = await dumpAllRows(stage.owner);
  const shown = (await superadmin.get(`/approvals/${asked[3]?.body.approval_id}`)).body;
  const approved = await superadmin.post(`/approvals/${webhook.body.approval_id}/approve`);

  expect(asked.map(({ status, body }) => [status, body.kind])).toEqual(
    asked.map(() => [202, 'destinations']),
  );
  expect(byOfficer).toMatchObject({ status: 200, body: { is_verified: false } });
  for (const secret of ['a-secret-of-our-own', '99998888', '77776666'])
    expect(kept).not.toContain(secret);
  expect(shown.body).toMatchObject({ account_number: '***6666', is_verified: true });
  expect(approved.status, JSON.stringify(approved.body)).toBe(200);
  expect((await admin.get('/webhooks')).body).toMatchObject([{ url }]);
});

test('any change of settings needs a second person if the tenant requires it', async () => {
  const { superadmin, keep, second } = await careful('settings');
  await keep();

  const same = await superadmin.put('/tenant/settings', { approvals: { four_eyes: ['settings'] } });
  const asked = await superadmin.put('/tenant/settings', {
    nacha: { odfi_routing_number: '021000021' },
  });
  const before = (await superadmin.get('/tenant/settings')).body.nacha.odfi_routing_number;
  const approved = await (await second()).post(`/approvals/${asked.body.approval_id}/approve`);

  expect(same.status).toBe(200);
  expect(asked).toMatchObject({ status: 202, body: { kind: 'settings' } });
  expect(before).toBe('091000019');
  expect(approved.status).toBe(200);
});

test('a bank’s account correction needs a second person if destinations do, also from a file', async () => {
  const { tenant, officer, admin, superadmin, keep } = await careful('destinations', 'reversals');
  const loan = await newLoanWithAccount(tenant);
  await officer.post(`/loans/${loan.id}/payments`, {
    amount: '20.00',
    payment_instrument_id: loan.account,
  });
  const { filename } = (await admin.post('/nacha-files')).body;
  const [line = ''] = await readSentEntries(stage, tenant, filename);
  await saveSettings(tenant, { nacha: { apply_change_notices: true } });
  await keep();
  const account = async () => (await officer.get(`/payment-instruments/${loan.account}`)).body;
  const approve = (reply: { body: { approval_id: string } }) =>
    superadmin.post(`/approvals/${reply.body.approval_id}/approve`);

  const file = buildReturnFile([line, 'C03', '121000248   000987654321']);
  const asked = await admin.post('/nacha-returns', { file });
  const shown = (await superadmin.get(`/approvals/${asked.body.approval_id}`)).body;
  const taken = await approve(asked);
  const unchanged = await account();
  const [notice] = (await officer.get('/change-notices')).body;
  const applied = await officer.post(`/change-notices/${notice.id}/apply`);
  const before = await account();
  const kept = await dumpAllRows(stage.owner);
  const approved = await approve(applied);

  expect(shown.content.returns).toMatchObject([
    { code: 'C03', corrected: { routing_number: '121000248', account_number_last_four: '4321' } },
  ]);
  expect([taken.status, notice.status]).toEqual([200, 'pending']);
  expect(applied).toMatchObject({ status: 202, body: { kind: 'destinations' } });
  expect([unchanged, before].map((one) => one.account_number_last_four)).not.toContain('4321');
  expect(kept).not.toContain('000987654321');
  expect(approved.status, JSON.stringify(approved.body)).toBe(200);
  expect(await account()).toMatchObject({ account_number_last_four: '4321' });
});

test('a rule that forwards borrowers’ messages needs a second person if destinations do', async () => {
  const { admin, keep } = await careful('destinations');
  const rule = { name: 'Rule', channel: 'email', match_type: 'any' };
  const known = (await admin.post('/auto-responses', { ...rule, response_body: 'Thanks' })).body.id;
  await keep();
  const forward = { action: 'forward', forward_to: 'anybody@elsewhere.example' };

  const asked = [
    await admin.post('/auto-responses', { ...rule, name: 'Other', ...forward }),
    await admin.put(`/auto-responses/${known}`, forward),
  ];
  const renamed = await admin.put(`/auto-responses/${known}`, { name: 'Thanks' });

  expect(asked.map(({ status, body }) => [status, body.kind])).toEqual([
    [202, 'destinations'],
    [202, 'destinations'],
  ]);
  expect(renamed.status, JSON.stringify(renamed.body)).toBe(200);
});

test('re-enabling a receiver needs a second person if destinations do', async () => {
  const { admin, superadmin, keep } = await careful('destinations');
  const body = { url: 'https://receiver.example/', events: ['loan.created'], is_active: false };
  const id = createdId(await admin.post('/webhooks', body));
  await keep();

  const asked = await admin.post(`/webhooks/${id}/re-enable`);
  const before = (await admin.get(`/webhooks/${id}`)).body.is_active;
  const approved = await superadmin.post(`/approvals/${asked.body.approval_id}/approve`);

  expect(asked).toMatchObject({ status: 202, body: { kind: 'destinations' } });
  expect(before).toBe(false);
  expect(approved.status, JSON.stringify(approved.body)).toBe(200);
  expect((await admin.get(`/webhooks/${id}`)).body.is_active).toBe(true);
});

test('changing the time zone needs a second person if settings do', async () => {
  const { superadmin, keep, second } = await careful('settings');
  await keep();

  const asked = await superadmin.put('/tenant/settings', { time_zone: 'America/Denver' });
  const same = await superadmin.put('/tenant/settings', { time_zone: 'America/New_York' });
  const decider = await second();
  const shown = (await decider.get(`/approvals/${asked.body.approval_id}`)).body;
  const approved = await decider.post(`/approvals/${asked.body.approval_id}/approve`);

  expect(asked).toMatchObject({ status: 202, body: { kind: 'settings' } });
  expect(same.status).toBe(200);
  expect(shown.content.settings).toEqual({
    time_zone: { before: 'America/New_York', after: 'America/Denver' },
  });
  expect(approved.status, JSON.stringify(approved.body)).toBe(200);
  expect((await superadmin.get('/tenant/settings')).body.next_time_zone).toBe('America/Denver');
});

test('the approver of a provider change sees whether it replaces second factors', async () => {
  const { superadmin, keep, second } = await careful('invitations');
  const provider = createdId(
    await superadmin.post('/identity-providers', {
      name: 'P',
      issuer_url: 'https://login.example',
      client_id: 'c',
      client_secret: 's',
      redirect_url: 'https://admin.example.com/signed-in',
    }),
  );
  await keep();

  const asked = await superadmin.put(`/identity-providers/${provider}`, { trusts_amr: true });
  const decider = await second();
  const shown = (await decider.get(`/approvals/${asked.body.approval_id}`)).body;
  await stage.owner.query('update identity_providers set trusts_amr = true where id = $1', [
    provider,
  ]);
  const approved = await decider.post(`/approvals/${asked.body.approval_id}/approve`);

  expect(shown.content.identity_provider).toMatchObject({ trusts_amr: false });
  expect(approved).toMatchObject({
    status: 409,
    body: { code: 'approval_outdated', details: { changed: ['identity_provider.trusts_amr'] } },
  });
});
