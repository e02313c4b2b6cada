import { expect, test } from 'vitest';
import { eventTypes, balancesByRole } from '../../setup/ledger.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { violationsIn } from '../../setup/violations.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

test('on non-accrual no interest accrues, and unpaid interest leaves the books but is still owed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-14');
  const told = (await eventTypes(tenant)).length;

  const on = await admin.post(`/loans/${id}/non-accrual`, { enabled: true, reason: 'management' });
  const again = await admin.post(`/loans/${id}/non-accrual`, { enabled: true });
  const books = await balancesByRole(tenant);
  const entry = (await tenant.officer.get('/ledger/entries?reference_type=non_accrual')).body[0];
  await travelTo(stage, tenant, '2026-02-20');
  const resting = await tenant.officer.get(`/loans/${id}/get-balances`);

  expect(on).toMatchObject({
    status: 200,
    body: { is_non_accrual: true, non_accrual_since: '2026-02-14', accrued_interest: '69.86' },
  });
  expect(again).toMatchObject({ status: 200, body: { non_accrual_since: '2026-02-14' } });
  expect(entry.lines).toMatchObject([{ account: 'Interest Income', debit: '69.86' }, {}]);
  expect(books).toEqual({ cash: '-10000.00', loans_receivable: '10000.00' });
  expect(resting.body).toMatchObject({ accrued_interest: '69.86', total_balance: '10069.86' });
  expect((await eventTypes(tenant)).slice(told)).toEqual(['delinquency.changed']);
  expect(await violationsIn(stage)).toEqual([]);
});

test('on non-accrual payments repay principal first, and interest is income when paid', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-14');
  await admin.post(`/loans/${id}/non-accrual`);

  const first = await tenant.officer.post(`/loans/${id}/payments`, { amount: '315.68' });
  const rest = await tenant.officer.post(`/loans/${id}/payments`, { amount: '9704.32' });
  const loan = await tenant.officer.get(`/loans/${id}`);

  expect(first.body).toMatchObject({ principal_applied: '315.68', interest_applied: '0.00' });
  expect(rest.body).toMatchObject({ principal_applied: '9684.32', interest_applied: '20.00' });
  expect(loan.body).toMatchObject({ principal_balance: '0.00', accrued_interest: '49.86' });
  expect(await balancesByRole(tenant)).toEqual({ cash: '20.00', interest_income: '-20.00' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('leaving non-accrual restores the interest, with that of the days between if agreed', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const agreed = await newLoan(tenant);
  const plain = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');
  for (const { id } of [agreed, plain]) await admin.post(`/loans/${id}/non-accrual`);
  await travelTo(stage, tenant, '2026-02-04');

  const caughtUp = await admin.post(`/loans/${agreed.id}/non-accrual`, { catch_up: true });
  const off = await admin.post(`/loans/${plain.id}/non-accrual`, { enabled: false });

  expect(caughtUp.body).toMatchObject({ is_non_accrual: false, accrued_interest: '46.58' });
  expect(off.body).toMatchObject({ is_non_accrual: false, accrued_interest: '23.29' });
  expect(await balancesByRole(tenant)).toMatchObject({
    interest_receivable: '69.87',
    interest_income: '-69.87',
  });
  expect(await violationsIn(stage)).toEqual([]);
});

test('entering and leaving non-accrual on one day does not change the books', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');
  const books = await balancesByRole(tenant);

  await admin.post(`/loans/${id}/non-accrual`);
  await admin.post(`/loans/${id}/non-accrual`);

  expect(await balancesByRole(tenant)).toEqual(books);
  expect(await violationsIn(stage)).toEqual([]);
});

test('backdated non-accrual reverses the interest since then, unless it is to be kept', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');

  const on = await admin.post(`/loans/${id}/non-accrual`, {
    effective_date: '2026-01-20',
    reverse_accrued: false,
  });

  expect(on.body).toMatchObject({ accrued_interest: '11.64', non_accrual_since: '2026-01-20' });
  expect(await balancesByRole(tenant)).toMatchObject({ interest_receivable: '11.64' });
  expect(await violationsIn(stage)).toEqual([]);
});

test('a charge-off after non-accrual does not reverse income a second time', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-25');
  await admin.post(`/loans/${id}/non-accrual`);

  await admin.post(`/loans/${id}/charge-off`);

  expect(await balancesByRole(tenant)).toEqual({
    cash: '-10000.00',
    charge_off_expense: '10000.00',
  });
  expect(await violationsIn(stage)).toEqual([]);
});
