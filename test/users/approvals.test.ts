import { expect, test } from 'vitest';
import { balancesByRole } from '../setup/ledger.ts';
import { newLoan } from '../setup/loans.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();
const KINDS = ['disbursements', 'reversals', 'refunds', 'suspense', 'invitations'];

/** A tenant that requires approval for every action that supports it. */
async function careful(four_eyes = KINDS) {
  const tenant = await stage.tenant();
  const admin = await tenant.signedIn('admin');
  const loan = await newLoan(tenant, { status: 'approved' });
  await saveSettings(tenant, { approvals: { four_eyes } });
  return { tenant, officer: tenant.officer, admin, loan, path: `/loans/${loan.id}` };
}

test('no approval is needed unless the tenant requires it', async () => {
  const { officer, path } = await careful(['modifications']);

  expect(await officer.post(`${path}/disburse`)).toMatchObject({ status: 200 });
  expect((await officer.get('/approvals')).body).toEqual([]);
});

test('a disbursement is made when a second person approves, and both are recorded', async () => {
  const { tenant, officer, admin, path } = await careful();

  const asked = await officer.post(`${path}/disburse`, { amount: '4000.00' });
  const before = [await balancesByRole(tenant), (await officer.get(path)).body.status];
  const approve = `/approvals/${asked.body.approval_id}/approve`;
  const own = await officer.post(approve);
  const approved = await admin.post(approve, { reason: 'Checked by phone' });
  const again = await admin.post(approve);
  const loan = await officer.get(path);
  const [told] = (await officer.get(`${path}/history?action=disburse`)).body;

  expect(asked).toMatchObject({
    status: 202,
    body: { status: 'pending_approval', kind: 'disbursements', expires_at: expect.any(String) },
  });
  expect(asked.headers['etag']).toBeUndefined();
  expect(before).toEqual([{}, 'approved']);
  expect(own).toMatchObject({ status: 409, body: { code: 'four_eyes' } });
  expect(approved).toMatchObject({
    status: 200,
    body: {
      status: 'approved',
      endpoint: 'POST /loans/{id}/disburse',
      body: { amount: '4000.00' },
      requested_by: tenant.userIds['loan_officer'],
      decided_by: tenant.userIds['admin'],
      reason: 'Checked by phone',
    },
  });
  expect(again).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
  expect(loan.body).toMatchObject({ status: 'active', principal_balance: '4000.00' });
  expect(told).toMatchObject({
    actor_email: `admin@${tenant.slug}.test`,
    changes: { requested_by: { new: `loan_officer@${tenant.slug}.test` } },
  });
});

test('an unknown approval kind is refused as a setting', async () => {
  const tenant = await stage.tenant();
  const superadmin = await tenant.signedIn('superadmin');
  const set = (...four_eyes: string[]) =>
    superadmin.put('/tenant/settings', { approvals: { four_eyes } });

  expect(await set('disbursement')).toMatchObject({ status: 422 });
  expect(await set('everything')).toMatchObject({ status: 422 });
  expect(await set(...KINDS)).toMatchObject({ status: 200 });
});

test('of concurrent approvals, one has an effect', async () => {
  const { tenant, officer, admin, path } = await careful();
  const superadmin = await tenant.signedIn('superadmin');
  const { approval_id } = (await officer.post(`${path}/disburse`, { amount: '100.00' })).body;

  const replies = await Promise.all(
    [admin, superadmin, admin, superadmin].map((who) =>
      who.post(`/approvals/${approval_id}/approve`),
    ),
  );

  expect(replies.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([
    200, 409, 409, 409,
  ]);
  expect((await officer.get(`${path}/disbursements`)).body).toHaveLength(1);
  expect((await balancesByRole(tenant))['cash']).toBe('-100.00');
});

test('a request that is not possible for now is refused at approval and stays pending', async () => {
  const { officer, admin, path } = await careful();
  const { approval_id } = (await officer.post(`${path}/disburse`)).body;
  // An archived loan cannot be disbursed until it is unarchived.
  const archived = await admin.delete(path);

  const refused = await admin.post(`/approvals/${approval_id}/approve`);
  const rejected = await admin.post(`/approvals/${approval_id}/reject`, { reason: 'Too late' });
  const late = await admin.post(`/approvals/${approval_id}/approve`);

  expect(archived.body).toMatchObject({ status: 'approved', is_archived: true });
  expect(refused).toMatchObject({ status: 409, body: { code: 'archived' } });
  expect(rejected).toMatchObject({ status: 200, body: { status: 'rejected', reason: 'Too late' } });
  expect(late).toMatchObject({ status: 409, body: { code: 'invalid_transition' } });
});

test('a request expires, and only its author can cancel it', async () => {
  const { officer, admin, path } = await careful();
  const [first, second] = [
    (await officer.post(`${path}/disburse`)).body.approval_id,
    (await officer.post(`${path}/disburse`)).body.approval_id,
  ];
  await stage.owner.query(
    "update approvals set expires_at = now() - interval '1 s' where id = $1",
    [first],
  );

  const expired = await admin.post(`/approvals/${first}/approve`);
  const foreign = await admin.post(`/approvals/${second}/cancel`);
  const canceled = await officer.post(`/approvals/${second}/cancel`);
  const pending = await officer.get('/approvals?status=pending');
  const shown = await officer.get('/approvals?status=expired');

  expect(expired).toMatchObject({ status: 409, body: { details: { current_status: 'expired' } } });
  expect(foreign).toMatchObject({ status: 403 });
  expect(canceled).toMatchObject({ status: 200, body: { status: 'canceled' } });
  expect(pending.body).toEqual([]);
  expect(shown.body).toMatchObject([{ id: first }]);
});

test('reversing payments and paying refunds takes two people, on every route', async () => {
  const { officer, admin, path, loan } = await careful(['reversals', 'refunds']);
  await officer.post(`${path}/disburse`);
  const payment = (await officer.post(`${path}/payments`, { amount: '100.00' })).body;
  const own = `/payments/${payment.id}`;

  const asked = [
    await officer.delete(own),
    await officer.post(`${own}/return`, { return_code: 'R01' }),
    await officer.post(`${path}/payments/reimbursement`, {
      amount: '10.00',
      payment_id: payment.id,
    }),
    await officer.post(`${own}/reverse`, { reason: 'clerical_error' }),
  ];
  const untouched = await officer.get(own);
  const done = await admin.post(`/approvals/${asked[3]?.body.approval_id}/approve`);

  expect(asked.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  expect(untouched.body.status).toBe('completed');
  expect(done.status).toBe(200);
  expect((await officer.get(own)).body.status).toBe('reversed');
  expect((await officer.get(`/loans/${loan.id}/payments?payment_type=reimbursement`)).body).toEqual(
    [],
  );
});

test('assigning a role takes two users who may both assign it', async () => {
  const { tenant, officer, admin } = await careful();
  const superadmin = await tenant.signedIn('superadmin');
  const invitation = {
    email: 'new@staff.test',
    first_name: 'N',
    last_name: 'N',
    tenant_role: 'admin',
  };
  const second = await superadmin.post('/users/invite', invitation);
  const approve = `/approvals/${second.body.approval_id}/approve`;

  const lesser = [(await officer.post(approve)).status, (await admin.post(approve)).status];
  await stage.owner.query("update users set tenant_role = 'superadmin' where id = $1", [
    tenant.userIds['admin'],
  ]);
  const equal = await admin.post(approve);
  const found = await superadmin.get('/users?email=new@staff.test');

  expect(second.status).toBe(202);
  expect(lesser).toEqual([403, 403]);
  expect(equal.status).toBe(200);
  expect(found.body).toMatchObject([{ tenant_role: 'admin' }]);
});

test('a request with a key is stored once, and its If-Match is checked at approval', async () => {
  const { officer, admin, path } = await careful();
  const { etag } = (await officer.get(path)).headers;
  const headers = { 'Idempotency-Key': 'disburse-once', 'If-Match': String(etag) };

  const asked = await officer.post(`${path}/disburse`, {}, { headers });
  const again = await officer.post(`${path}/disburse`, {}, { headers });
  await officer.put(path, { external_id: 'Another' });
  const stale = await admin.post(`/approvals/${asked.body.approval_id}/approve`);

  expect([asked.status, again.status]).toEqual([202, 202]);
  expect(again.body.approval_id).toBe(asked.body.approval_id);
  expect(stale).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
  expect((await officer.get('/approvals')).body).toMatchObject([{ status: 'pending' }]);
});

test('a request of a user who lost access is not executed', async () => {
  const { tenant, officer, admin, path } = await careful();
  const { approval_id } = (await officer.post(`${path}/disburse`)).body;
  const officerId = tenant.userIds['loan_officer'];
  await stage.owner.query('update users set is_active = false where id = $1', [officerId]);

  const refused = await admin.post(`/approvals/${approval_id}/approve`);

  expect(refused).toMatchObject({ status: 409, body: { code: 'requester_gone' } });
});

test('no approval is requested for a record that is missing, foreign or changed', async () => {
  const { officer, path } = await careful();
  const others = await newLoan(await stage.tenant(), { status: 'approved' });
  const none = crypto.randomUUID();
  const { etag } = (await officer.get(path)).headers;
  await officer.put(path, { external_id: 'Another' });

  const missing = [
    await officer.post(`/payments/${none}/reverse`, { reason: 'clerical_error' }),
    await officer.delete(`/payments/${none}`),
    await officer.post(`/loans/${others.id}/disburse`),
    await officer.post(`/loans/${others.id}/disbursements`, { amount: '10.00' }),
    await officer.post(`/loans/${none}/payments/reimbursement`, {
      amount: '10.00',
      payment_id: none,
    }),
    await officer.post(`/borrowers/${none}/invite-portal-user`, { email: 'b@borrower.test' }),
  ];
  const headers = { 'If-Match': String(etag) };
  const stale = await officer.post(`${path}/disburse`, {}, { headers });

  expect(missing.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404, 404]);
  expect(stale).toMatchObject({ status: 412, body: { code: 'precondition_failed' } });
  expect((await officer.get('/approvals')).body).toEqual([]);
});
