import { expect, test } from 'vitest';
import { newLoan } from '../setup/loans.ts';
import { sliceColumns, readSentEntries, newLoanWithAccount } from '../setup/nacha.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const OTHER = { routing_number: '091000019', account_number: '666666666666' };

async function careful(...four_eyes: string[]) {
  const tenant = await stage.tenant('2026-01-15');
  const [admin, superadmin] = [await tenant.signedIn('admin'), await tenant.signedIn('superadmin')];
  const keep = () => saveSettings(tenant, { approvals: { four_eyes } });
  return { tenant, officer: tenant.officer, admin, superadmin, keep };
}

const outdated = (...changed: string[]) => ({
  status: 409,
  body: { code: 'approval_outdated', details: { changed } },
});

test('an account that changes after a disbursement was requested is not paid, and the request ends', async () => {
  const { tenant, officer, admin, keep } = await careful('disbursements');
  const loan = await newLoanWithAccount(tenant, { status: 'approved' });
  await keep();
  const order = () =>
    officer.post(`/loans/${loan.id}/disbursements`, { payment_instrument_id: loan.account });
  const { approval_id } = (await order()).body;
  const path = `/approvals/${approval_id}`;
  const shown = (await admin.get(path)).body;
  await officer.put(`/payment-instruments/${loan.account}`, OTHER);

  const approved = await admin.post(`${path}/approve`);
  const again = await admin.post(`${path}/approve`);
  const closed = (await officer.get(path)).body;

  expect(shown.content).toMatchObject({
    loan: {
      principal_amount: '10000.00',
      disbursed_amount: '0.00',
      borrower: { first_name: expect.any(String) },
    },
    payment_instrument: {
      account_holder_name: 'Grace Hopper',
      routing_number: '021000021',
      account_number_last_four: '6789',
      account_number_fingerprint: expect.stringMatching(/^[0-9a-f]{32}$/),
    },
  });
  expect(JSON.stringify(shown)).not.toContain('000123456789');
  expect(approved).toMatchObject({
    status: 409,
    body: {
      code: 'approval_outdated',
      details: {
        changed: expect.arrayContaining([
          'payment_instrument.account_number_fingerprint',
          'payment_instrument.is_verified',
          'payment_instrument.routing_number',
        ]),
      },
    },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(closed).toMatchObject({
    status: 'outdated',
    changed_fields: expect.arrayContaining(['payment_instrument.routing_number']),
  });
  expect((await officer.get(`/loans/${loan.id}/disbursements`)).body).toEqual([]);

  await admin.put(`/payment-instruments/${loan.account}`, { is_verified: true });
  const second = (await order()).body;
  expect((await admin.post(`/approvals/${second.approval_id}/approve`)).status).toBe(200);
  const file = await admin.post('/nacha-files');
  expect(
    (await readSentEntries(stage, tenant, file.body.filename)).map((line) =>
      sliceColumns(line, 13, 29).trim(),
    ),
  ).toEqual(['666666666666']);
});

test('a refund, an invitation, a setting and a rule removal are executed as shown, or not at all', async () => {
  const { tenant, officer, admin, superadmin, keep } = await careful('refunds', 'invitations');
  const loan = await newLoanWithAccount(tenant);
  await officer.post(`/loans/${loan.id}/payments`, { amount: '10050.00' });
  const borrower = `/borrowers/${loan.borrower_id}`;
  const mail = { email: 'first@borrower.test', is_primary: true };
  const email = (await officer.post(`${borrower}/emails`, mail)).body;
  const boss = superadmin;
  const userId = tenant.userIds['viewer'];
  await boss.put('/tenant/settings', { auth: { idle_minutes: 20 } });
  const rule = (
    await boss.post(`/users/${userId}/permissions`, {
      type: 'deny',
      action: 'read',
      resource: 'loans',
      record: { interest_rate: true },
    })
  ).body;
  await keep();
  await stage.owner.query(`update users set tenant_role = 'superadmin' where id = $1`, [
    tenant.userIds['admin'],
  ]);
  const asked = [
    await officer.post(`/loans/${loan.id}/payments/reimbursement`, {
      amount: '10.00',
      payment_instrument_id: loan.account,
    }),
    await officer.post(`${borrower}/invite-portal-user`, {}),
    await boss.put('/tenant/settings', {
      approvals: { four_eyes: [] },
      auth: { idle_minutes: 25 },
    }),
    await boss.delete(`/user-permissions/${rule.id}`),
  ];
  expect(asked.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  const shown = await Promise.all(
    asked.map(async ({ body }) => (await admin.get(`/approvals/${body.approval_id}`)).body.content),
  );
  await officer.put(`/payment-instruments/${loan.account}`, { account_holder_name: 'Eve Other' });
  await officer.put(`/emails/${email.id}`, { email: 'second@borrower.test' });
  await boss.put('/tenant/settings', { auth: { idle_minutes: 15 } });
  await stage.owner.query('delete from user_permissions where id = $1', [rule.id]);

  const decided = [];
  for (const { body } of asked)
    decided.push(await admin.post(`/approvals/${body.approval_id}/approve`));

  expect(shown).toMatchObject([
    { payment_instrument: { account_holder_name: 'Grace Hopper' } },
    { recipient: { email: 'first@borrower.test' } },
    {
      settings: {
        'approvals.four_eyes': { before: ['refunds', 'invitations'], after: [] },
        'auth.idle_minutes': { before: 20, after: 25 },
      },
    },
    { user_permission: { type: 'deny', user: { tenant_role: 'viewer' } } },
  ]);
  expect(decided).toMatchObject([
    outdated('payment_instrument.account_holder_name', 'payment_instrument.is_verified'),
    outdated('recipient.email'),
    outdated('settings.auth.idle_minutes.before'),
    { status: 409, body: { code: 'approval_outdated' } },
  ]);
});

test('an approver may send the version they read, and any other version is refused', async () => {
  const { officer, admin, keep, tenant } = await careful('disbursements');
  const loan = await newLoan(tenant, { status: 'approved' });
  await keep();
  const asked = (await officer.post(`/loans/${loan.id}/disburse`)).body;
  const path = `/approvals/${asked.approval_id}`;
  const { content_fingerprint } = (await admin.get(path)).body;

  const other = await admin.post(`${path}/approve`, { content_fingerprint: '0'.repeat(64) });
  const same = await admin.post(`${path}/approve`, { content_fingerprint });

  expect(content_fingerprint).toBe(asked.content_fingerprint);
  expect(other).toMatchObject({ status: 409, body: { code: 'approval_outdated' } });
  expect(same.status).toBe(200);
});

test('when an account changes during an approval, the new account is never paid', async () => {
  const { officer, admin, keep, tenant } = await careful('disbursements');
  const loan = await newLoanWithAccount(tenant, { status: 'approved' });
  await keep();
  const named = { amount: '10.00', payment_instrument_id: loan.account };
  const { approval_id } = (await officer.post(`/loans/${loan.id}/disbursements`, named)).body;

  const [approved, changed] = await Promise.all([
    admin.post(`/approvals/${approval_id}/approve`),
    officer.put(`/payment-instruments/${loan.account}`, OTHER),
  ]);
  const orders = await stage.owner.query<{ account_number_last_four: string }>(
    'select account_number_last_four from order_accounts where tenant_id = $1',
    [tenant.id],
  );

  expect([approved.status, changed.status].toSorted((a, b) => a - b)).toEqual([200, 409]);
  expect(orders.rows.map((row) => row.account_number_last_four)).toEqual(
    approved.status === 200 ? ['6789'] : [],
  );
});

test('a disbursement without an amount pays what was available when it was requested', async () => {
  const { officer, admin, keep, tenant } = await careful('disbursements');
  const loan = await newLoan(tenant, { status: 'approved' });
  await keep();
  const disburse = async (body: object) =>
    (await officer.post(`/loans/${loan.id}/disburse`, body)).body.approval_id as string;
  const [part, rest] = [await disburse({ amount: '4000.00' }), await disburse({})];

  const first = await admin.post(`/approvals/${part}/approve`);
  const second = await admin.post(`/approvals/${rest}/approve`);

  expect(first.status).toBe(200);
  expect(second).toMatchObject(outdated('loan.disbursed_amount'));
});
