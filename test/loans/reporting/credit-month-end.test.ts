import { expect, test } from 'vitest';
import { sql } from '../../../sql/database/db.ts';
import {
  newReportedLoan,
  creditRecords,
  runCreditReports,
  newReportingTenant,
} from '../../setup/credit-reporting.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { readSealedFile } from '../../setup/sealed-files.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();

const textOf = (tenant: { slug: string }, filename: string) =>
  readSealedFile(stage, tenant, 'credit_reporting_files', filename);

test('refunded money is not a payment and does not reduce payments', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const loan = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-10');
  const paid = await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '515.68' });
  await travelTo(stage, tenant, '2026-02-20');
  const back = { amount: '100.00', payment_id: paid.body.id };
  const inFebruary = await admin.post(`/loans/${loan.id}/payments/reimbursement`, back);
  await travelTo(stage, tenant, '2026-03-03');
  const inMarch = await admin.post(`/loans/${loan.id}/payments/reimbursement`, back);
  await travelTo(stage, tenant, '2026-04-01');
  await runCreditReports(stage);

  const [march, february] = await creditRecords(tenant, loan.id);

  expect([inFebruary.status, inMarch.status]).toEqual([201, 201]);
  expect(february).toMatchObject({ actual_payment_amount: 515, date_last_payment: '2026-02-10' });
  expect(march).toMatchObject({ actual_payment_amount: 0, date_last_payment: '2026-02-10' });
});

test('a record that is written late does not contain a payment of the next month', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const loan = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-10');
  await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '315.68' });
  await runCreditReports(stage);

  const [january] = await creditRecords(tenant, loan.id);

  expect(january).toMatchObject({ reporting_period: '2026-01-31', date_last_payment: null });
});

test('a freeze is reported with its reason at the end of the month', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-30');
  const [flooded, disputed] = [await newLoan(tenant), await newLoan(tenant)];
  const admin = await tenant.signedIn('admin');
  const freeze = async (id: string, reason: string) =>
    expect(await admin.post(`/loans/${id}/freeze`, { reason })).toMatchObject({ status: 200 });
  await freeze(flooded.id, 'disaster');
  await freeze(disputed.id, 'dispute');
  await travelTo(stage, tenant, '2026-02-01');
  for (const [loan, now] of [
    [flooded, 'dispute'],
    [disputed, 'disaster'],
  ] as const) {
    await admin.post(`/loans/${loan.id}/unfreeze`);
    await freeze(loan.id, now);
  }
  await runCreditReports(stage);

  expect(await creditRecords(tenant, flooded.id)).toMatchObject([{ special_comment: 'AW' }]);
  expect(await creditRecords(tenant, disputed.id)).toMatchObject([{ special_comment: null }]);
});

test('a late record contains what was agreed at the end of its month', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const loan = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-10');
  const extended = await admin.post(`/loans/${loan.id}/modifications`, {
    modification_type: 'term_extension',
    extend_months: 12,
    effective_date: '2026-02-10',
    reason: 'hardship',
  });
  await travelTo(stage, tenant, '2026-03-05');
  await admin.post(`/loans/${loan.id}/charge-off`, { reason: 'fraud' });
  await runCreditReports(stage);

  const [february, january] = await creditRecords(tenant, loan.id);

  expect(extended, JSON.stringify(extended.body)).toMatchObject({
    status: 201,
    body: { status: 'completed' },
  });
  const before = { terms_duration: '036', scheduled_monthly_payment: 315 };
  expect(january).toMatchObject({ ...before, original_charge_off_amount: null });
  expect(february).toMatchObject({ terms_duration: '048', account_status: '11' });
  expect(february?.['scheduled_monthly_payment']).toBeLessThan(260);
});

test('a late record contains no payment and no return after its month', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const [returned, found] = [await newLoan(tenant), await newLoan(tenant)];
  await travelTo(stage, tenant, '2026-02-15');
  const paid = await admin.post(`/loans/${returned.id}/payments`, { amount: '315.68' });
  await travelTo(stage, tenant, '2026-03-02');
  await admin.post(`/payments/${paid.body.id}/return`, { return_code: 'R01' });
  const late = { amount: '315.68', effective_date: '2026-02-15' };
  await admin.post(`/loans/${found.id}/payments`, late);
  await runCreditReports(stage);

  const [ofReturned] = await creditRecords(tenant, returned.id);
  const [ofFound] = await creditRecords(tenant, found.id);

  const scheduled = { reporting_period: '2026-02-28', scheduled_monthly_payment: 315 };
  expect(ofReturned).toMatchObject({ ...scheduled, actual_payment_amount: 315 });
  expect(ofFound).toMatchObject({ ...scheduled, actual_payment_amount: 0 });
});

test('the reported scheduled payment equals the bill, also for the last installment', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const loan = await newLoan(tenant, { principal_amount: '1000.00', term_months: 2 });
  await travelTo(stage, tenant, '2026-02-15');
  await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '805.32' });
  await travelTo(stage, tenant, '2026-03-01');
  await runCreditReports(stage);

  const { body } = await tenant.officer.get(`/loans/${loan.id}`);
  const [february, january] = await creditRecords(tenant, loan.id);

  expect(january).toMatchObject({ scheduled_monthly_payment: 505 });
  expect(body.next_payment_amount).toBe('203.22');
  expect(february).toMatchObject({ scheduled_monthly_payment: 203 });
});

test('a file has each account once with its newest record, however often it is requested', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const [loan, other] = [await newReportedLoan(tenant), await newReportedLoan(tenant)];
  await travelTo(stage, tenant, '2026-03-03');
  await runCreditReports(stage);
  const dispute = await tenant.officer.post(`/loans/${loan.id}/credit-disputes`, {
    dispute_codes: ['106'],
  });
  await tenant.officer.put(`/credit-disputes/${dispute.body.id}`, {
    status: 'responded',
    response_code: '02',
    corrected_values: { special_comment: 'CP' },
  });

  const made = await Promise.all([
    admin.post('/credit-reporting-files'),
    admin.post('/credit-reporting-files'),
  ]);
  const [file] = made.filter(({ status }) => status === 201);
  const lines = (await textOf(tenant, file?.body.filename)).trimEnd().split('\n').slice(1, -1);
  const accounts = lines.map((line) => line.slice(42, 72).trim());
  const records = await creditRecords(tenant, loan.id);

  expect(made.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([
    201, 409,
  ]);
  expect(file?.body.record_count).toBe(2);
  expect(accounts).toHaveLength(2);
  expect(new Set(accounts).size).toBe(2);
  expect(await creditRecords(tenant, other.id)).toMatchObject([
    { reporting_period: '2026-02-28', status: 'reported' },
    { reporting_period: '2026-01-31', status: 'suppressed', suppression_reason: 'newer_record' },
  ]);
  expect(
    records
      .map(({ reporting_period, correction_indicator, status }) =>
        [reporting_period, correction_indicator, status].join(' '),
      )
      .toSorted(),
  ).toEqual(['2026-01-31 0 suppressed', '2026-02-28 0 suppressed', '2026-02-28 1 reported']);
});

test('a written record cannot be changed', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const loan = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-01');
  await runCreditReports(stage);

  const changed = tenant.within(({ tx }) =>
    tx.query(sql.typeAlias('void')`
      update credit_reporting_records set amount_past_due = 1 where loan_id = ${loan.id}
    `),
  );

  await expect(changed).rejects.toThrow();
});

test('a loan that turns out to be paid off before its charge-off is reported as paid', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const admin = await tenant.signedIn('admin');
  const { id } = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-01-20');
  await admin.post(`/loans/${id}/charge-off`, { reason: 'fraud' });
  await travelTo(stage, tenant, '2026-02-02');
  await runCreditReports(stage);
  const payoff = { amount: '10000.00', payment_type: 'payoff', payment_date: '2026-01-15' };
  await tenant.officer.post(`/loans/${id}/payments`, payoff);

  await travelTo(stage, tenant, '2026-03-02');
  await runCreditReports(stage);

  expect(await creditRecords(tenant, id)).toMatchObject([
    { account_status: '13', current_balance: 0, original_charge_off_amount: null },
    { account_status: '97', current_balance: 10000, original_charge_off_amount: 10000 },
  ]);
});
