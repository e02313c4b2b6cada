import { expect, test } from 'vitest';
import { balancesByRole } from '../../setup/ledger.ts';
import type { Reply } from '../../setup/client.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

const statusesOf = (replies: readonly Reply[]) =>
  replies.map(({ status }) => status).toSorted((one, other) => one - other);

test('fifty concurrent payments are processed one after another, and each counts once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');

  const replies = await Promise.all(
    Array.from({ length: 50 }, () =>
      tenant.officer.post(`/loans/${id}/payments`, { amount: '100.00' }),
    ),
  );
  const loan = await tenant.officer.get(`/loans/${id}`);

  expect(replies.map(({ status }) => status)).toEqual(replies.map(() => 201));
  const left = new Set(replies.map(({ body }) => body.remaining_balance));
  expect(left).toEqual(
    new Set(Array.from({ length: 50 }, (_, index) => `${String(9923 - 100 * index)}.29`)),
  );
  expect(loan.body).toMatchObject({ principal_balance: '5023.29', accrued_interest: '0.00' });
  expect(await balancesByRole(tenant)).toEqual({
    cash: '-5000.00',
    loans_receivable: '5023.29',
    interest_income: '-23.29',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('of concurrent payments and a charge-off, each is before or after, and the books are right', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  const pay = () => tenant.officer.post(`/loans/${id}/payments`, { amount: '100.00' });

  const replies = await Promise.all([
    pay(),
    pay(),
    pay(),
    admin.post(`/loans/${id}/charge-off`),
    pay(),
    pay(),
    pay(),
    admin.post(`/loans/${id}/charge-off`),
  ]);
  const loan = await tenant.officer.get(`/loans/${id}`);
  const books = await balancesByRole(tenant);

  expect(statusesOf(replies)).toEqual([200, 201, 201, 201, 201, 201, 201, 409]);
  expect(loan.body).toMatchObject({ status: 'charged_off', charge_off_balance: '9400.00' });
  expect(books['cash']).toBe('-9400.00');
  const lost = Number(books['charge_off_expense']) + Number(books['recovery_income'] ?? 0);
  expect(lost).toBeCloseTo(9400);
  expect(await violationsIn(stage)).toEqual([]);
});

test('of a concurrent approval and denial one succeeds, and the other learns who decided', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const loans = await Promise.all(
    Array.from({ length: 8 }, () => newLoan(tenant, { status: 'pending' })),
  );

  const pairs = await Promise.all(
    loans.map(({ id }) =>
      Promise.all([
        tenant.officer.post(`/loans/${id}/approve`),
        tenant.officer.post(`/loans/${id}/deny`, { reasons: ['other'] }),
      ]),
    ),
  );

  for (const [approved, denied] of pairs) {
    const [won, lost] = approved.status === 200 ? [approved, denied] : [denied, approved];
    expect(won.status).toBe(200);
    expect(lost).toMatchObject({
      status: 409,
      body: { code: 'invalid_transition', details: { current_status: won.body.status } },
    });
  }
});

test('pressing a button twice at the same time acts once', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { status: 'approved' });
  const twice = (action: string) =>
    Promise.all([1, 2].map(() => tenant.officer.post(`/loans/${id}/${action}`)));

  const disbursed = await twice('disburse');
  const paid = await twice('pay-off');

  expect(statusesOf(disbursed)).toEqual([200, 409]);
  expect(statusesOf(paid)).toEqual([200, 409]);
  expect(await balancesByRole(tenant)).toEqual({});
  expect(await violationsIn(stage)).toEqual([]);
});

test('concurrent first loans of a month without interest records are all funded', async () => {
  const tenant = await stage.tenant('2033-05-01');
  const loans = await Promise.all(
    Array.from({ length: 6 }, () => newLoan(tenant, { status: 'approved' })),
  );

  const replies = await Promise.all(
    loans.map(({ id }) =>
      tenant.officer.post(`/loans/${id}/disburse`, { disbursement_date: '2033-04-20' }),
    ),
  );

  expect(statusesOf(replies)).toEqual(loans.map(() => 200));
  expect(await violationsIn(stage)).toEqual([]);
});
