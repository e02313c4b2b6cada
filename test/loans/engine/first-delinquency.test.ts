import { expect, test } from 'vitest';
import {
  creditRecords,
  runCreditReports,
  newReportingTenant,
} from '../../setup/credit-reporting.ts';
import { snapshotOf, payLoan, fetchLoan } from '../../setup/after-close.ts';
import { newLoan } from '../../setup/loans.ts';
import { newMonthEnd } from '../../setup/month-ends.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();
const { theCloseHasPassed } = newMonthEnd(stage);

/** A loan of January 15 owes 315.68 on the 15th of each month from February on. */
const INSTALLMENT = '315.68';

async function lateLoan(today: string, tenant?: Tenant) {
  const lender = tenant ?? (await stage.tenant('2026-01-15'));
  const { id } = await newLoan(lender);
  await travelTo(stage, lender, today);
  const paying = (amount: string, effective_date?: string) =>
    lender.officer.post(`/loans/${id}/payments`, {
      amount,
      ...(effective_date && { effective_date }),
    });
  const firstOf = async () => (await fetchLoan(lender, id)).first_delinquency_date as string | null;
  return { tenant: lender, id, paying, firstOf, on: (day: string) => travelTo(stage, lender, day) };
}

test('a borrower who pays the past due amount is current; a later delinquency has its own first day', async () => {
  const { paying, firstOf, on } = await lateLoan('2026-02-20');
  const before = await firstOf();

  await paying(INSTALLMENT);
  const paid = await firstOf();
  await on('2026-03-20');

  expect([before, paid, await firstOf()]).toEqual(['2026-02-15', null, '2026-03-15']);
});

test('a delinquency continues if the oldest installment is paid after the next one was late', async () => {
  const { paying, firstOf } = await lateLoan('2026-03-16');

  await paying(INSTALLMENT);

  expect(await firstOf()).toBe('2026-02-15');
});

test('a delinquency ends if the oldest installment is paid on the next due date', async () => {
  const { paying, firstOf, on } = await lateLoan('2026-03-15');

  await paying(INSTALLMENT);
  const current = await firstOf();
  await on('2026-03-16');

  expect([current, await firstOf()]).toEqual([null, '2026-03-15']);
});

test('a late-entered payment that was on time moves the delinquency to the next installment', async () => {
  const { paying, firstOf } = await lateLoan('2026-03-20');
  const before = await firstOf();

  await paying(INSTALLMENT, '2026-02-15');

  expect([before, await firstOf()]).toEqual(['2026-02-15', '2026-03-15']);
});

test('a reversed payment does not end a delinquency', async () => {
  const { tenant, paying, firstOf, on } = await lateLoan('2026-02-20');
  const { body } = await paying(INSTALLMENT);
  await on('2026-03-20');
  const meanwhile = await firstOf();

  const reversed = await tenant.officer.post(`/payments/${body.id}/reverse`, { reason: 'nsf' });

  expect(reversed.status).toBe(200);
  expect([meanwhile, await firstOf()]).toEqual(['2026-03-15', '2026-02-15']);
});

test('a deferment that leaves the loan late does not restart its delinquency; one that makes it current does', async () => {
  const { tenant, id, firstOf, on } = await lateLoan('2026-03-20');
  const defer = (periods: number) =>
    tenant.officer.post(`/loans/${id}/deferments`, {
      periods,
      start_installment: 1,
      reason: 'Out of work',
    });

  const moved = await defer(1);
  const late = await firstOf();
  await on('2026-03-25');
  const later = await firstOf();
  const again = await defer(1);
  const current = await firstOf();
  await on('2026-04-20');

  expect([moved.status, again.status]).toEqual([201, 201]);
  expect([late, later, current, await firstOf()]).toEqual([
    '2026-02-15',
    '2026-02-15',
    null,
    '2026-04-15',
  ]);
});

test('a charge-off keeps the first day of delinquency, regardless of later payments', async () => {
  const { tenant, id, paying, firstOf } = await lateLoan('2026-03-20');
  const admin = await tenant.signedIn('admin');
  await admin.post(`/loans/${id}/charge-off`, { reason: 'fraud' });

  await paying('5000.00');

  expect(await firstOf()).toBe('2026-02-15');
});

test('a day’s snapshot has the first day of delinquency at the end of that day', async () => {
  const { tenant, ids, endDay } = await theCloseHasPassed(1, { day: '2026-03-15' });
  const [id = ''] = ids;

  await payLoan(tenant, id, INSTALLMENT);
  await endDay();

  expect(await snapshotOf(tenant, id, '2026-03-15')).toMatchObject({
    delinquency_bucket: 'current',
    first_delinquency_date: null,
  });
  expect((await fetchLoan(tenant, id)).first_delinquency_date).toBe('2026-03-15');
});

test('a stale first day on a current loan is removed by the next delinquency run', async () => {
  const { id, paying, firstOf, on } = await lateLoan('2026-02-20');
  await paying(INSTALLMENT);
  await stage.owner.query(`update loans set first_delinquency_date = '2026-02-15' where id = $1`, [
    id,
  ]);

  await on('2026-02-22');
  await on('2026-03-16');

  expect(await firstOf()).toBe('2026-03-15');
});

test('bureaus get the first day of the current delinquency, not of an earlier one', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const { id, paying, on } = await lateLoan('2026-04-01', tenant);
  await paying('631.36');
  await on('2026-06-01');
  await runCreditReports(stage);

  const records = await creditRecords(tenant, id);

  expect(
    records.map((record) => [record['account_status'], record['date_first_delinquency']]),
  ).toEqual([
    ['71', '2026-04-15'],
    ['11', null],
    ['71', '2026-02-15'],
    ['11', null],
    ['11', null],
  ]);
});

test('a loan that was current for a day between two reports is reported with its new delinquency', async () => {
  const tenant = await newReportingTenant(stage, '2025-12-01');
  const { id, paying, on } = await lateLoan('2026-03-01', tenant);
  await paying('631.36');
  await on('2026-04-01');
  await runCreditReports(stage);

  const records = await creditRecords(tenant, id);

  expect(
    records
      .slice(0, 2)
      .map((record) => [record['account_status'], record['date_first_delinquency']]),
  ).toEqual([
    ['71', '2026-03-01'],
    ['71', '2026-01-01'],
  ]);
});
