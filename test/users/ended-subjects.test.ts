import { expect, test } from 'vitest';
import { routes } from '../../api/routes.ts';
import { SUBJECT_PATHS } from '../../sql/users/approval-subjects.ts';
import { newLoan } from '../setup/loans.ts';
import { saveSettings } from '../setup/settings.ts';
import { newStage } from '../setup/world.ts';

const stage = await newStage();

async function careful(...four_eyes: string[]) {
  const tenant = await stage.tenant('2026-01-15');
  const [admin, superadmin] = [await tenant.signedIn('admin'), await tenant.signedIn('superadmin')];
  const keep = () => saveSettings(tenant, { approvals: { four_eyes } });
  return { tenant, officer: tenant.officer, admin, superadmin, keep };
}

test('every action that a second person approves names the record whose end closes the request', () => {
  const paths = routes
    .filter(({ four_eyes, path }) => four_eyes !== undefined && path.includes('{id}'))
    .map(({ path }) => path.split('/')[1]);

  expect([...new Set(paths)].filter((path) => !SUBJECT_PATHS.includes(path ?? ''))).toEqual([]);
});

test('a request for a loan that is canceled, denied or sold is outdated, and is pending again when the loan is', async () => {
  const { tenant, officer, admin, keep } = await careful('disbursements', 'suspense');
  const [canceled, charged] = [
    await newLoan(tenant, { status: 'approved' }),
    await newLoan(tenant, { principal_amount: '9000.00' }),
  ];
  await officer.post(`/loans/${charged.id}/payments`, {
    amount: '50.00',
    payment_type: 'fee_only',
  });
  await keep();
  const asked = [
    await officer.post(`/loans/${canceled.id}/disburse`, {}),
    await officer.post(`/loans/${canceled.id}/disbursements`, { amount: '5.00' }),
    await officer.post(`/loans/${charged.id}/disbursements`, { amount: '5.00' }),
    await officer.post(`/loans/${charged.id}/suspense-applications`, { amount: '5.00' }),
  ];
  const read = () =>
    Promise.all(
      asked.map(async ({ body }) => {
        const { status, ended_because } = (await officer.get(`/approvals/${body.approval_id}`))
          .body;
        return [status, ended_because];
      }),
    );
  const before = await read();

  await officer.post(`/loans/${canceled.id}/cancel`, { reason: 'borrower_withdrew' });
  await admin.post(`/loans/${charged.id}/charge-off`, { reason: 'fraud' });
  const after = await read();
  const listed = (await admin.get('/approvals?status=pending')).body as { id: string }[];
  const approved = await admin.post(`/approvals/${asked[0]?.body.approval_id}/approve`);
  const rejected = await admin.post(`/approvals/${asked[0]?.body.approval_id}/reject`);
  await admin.post(`/loans/${charged.id}/reverse-charge-off`);
  const restored = await read();

  const pending = ['pending', null];
  const isCanceled = ['outdated', 'The loan is canceled.'];
  expect(asked.map(({ status }) => status)).toEqual([202, 202, 202, 202]);
  expect(before).toEqual([pending, pending, pending, pending]);
  expect(after).toEqual([
    isCanceled,
    isCanceled,
    ['outdated', 'The loan is charged off.'],
    // Suspense also pays what is owed after a charge-off.
    pending,
  ]);
  expect(listed.map(({ id }) => id)).toEqual([asked[3]?.body.approval_id]);
  for (const refused of [approved, rejected])
    expect(refused).toMatchObject({
      status: 409,
      body: {
        code: 'approval_outdated',
        message: 'The loan is canceled. The request is closed.',
        details: { current_status: 'outdated' },
      },
    });
  expect(restored).toEqual([isCanceled, isCanceled, pending, pending]);
});

test('a request to reverse what is already reversed is outdated, and so is one whose record was deleted', async () => {
  const { tenant, officer, admin, superadmin, keep } = await careful(
    'reversals',
    'destinations',
    'redactions',
  );
  const loan = await newLoan(tenant);
  const paid = await officer.post(`/loans/${loan.id}/payments`, { amount: '10.00' });
  const hook = await admin.post('/webhooks', {
    url: 'https://hooks.lender.example/in',
    events: ['*'],
  });
  const person = await officer.post('/borrowers', { first_name: 'No', last_name: 'Loan' });
  await keep();
  const asked = [
    await officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'duplicate' }),
    await officer.post(`/payments/${paid.body.id}/reverse`, { reason: 'clerical_error' }),
    await admin.put(`/webhooks/${hook.body.id}`, { url: 'https://elsewhere.example/in' }),
    await superadmin.post(`/borrowers/${person.body.id}/redact`, {
      reason: 'Asked for it',
      confirm: 'Loan',
    }),
  ];
  expect(asked.map(({ status, body }) => [status, body.errors])).toEqual(
    asked.map(() => [202, undefined]),
  );
  const first = await admin.post(`/approvals/${asked[0]?.body.approval_id}/approve`);
  await admin.delete(`/webhooks/${hook.body.id}`);

  const seen = (await superadmin.get('/approvals?ordering=created_at')).body as Record<
    string,
    unknown
  >[];

  expect(first.status, JSON.stringify(first.body)).toBe(200);
  expect(seen.map(({ status, ended_because }) => [status, ended_because])).toEqual([
    ['approved', null],
    ['outdated', 'The payment is reversed.'],
    ['outdated', 'The subscription is deleted.'],
    ['pending', null],
  ]);
});

test('a modification that waits for a second person is canceled with its loan', async () => {
  const { tenant, officer, admin, keep } = await careful('modifications');
  const { id } = await newLoan(tenant);
  await keep();
  const asked = await officer.post(`/loans/${id}/modifications`, {
    modification_type: 'rate_change',
    new_interest_rate: '0.05',
  });
  const shown = async () => {
    const { body } = await officer.get(`/modifications/${asked.body.id}`);
    const pending = await officer.get(`/loans/${id}/modifications?status=pending`);
    return [body.status, pending.body.length];
  };
  const before = await shown();

  await admin.post(`/loans/${id}/charge-off`, { reason: 'fraud' });
  const after = await shown();
  const approved = await admin.post(`/modifications/${asked.body.id}/approve`);
  await admin.post(`/loans/${id}/reverse-charge-off`);

  expect(asked, JSON.stringify(asked.body)).toMatchObject({ status: 201 });
  expect(before).toEqual(['pending', 1]);
  expect(after).toEqual(['canceled', 0]);
  expect(approved).toMatchObject({ status: 409, body: { code: 'loan_not_active' } });
  expect(await shown()).toEqual(['pending', 1]);
});
