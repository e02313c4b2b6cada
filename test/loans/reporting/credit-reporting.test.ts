import { expect, test } from 'vitest';
import { reportCredit } from '../../../jobs/loans/reporting/report-credit.job.ts';
import { SYSTEM, createWithin } from '../../../jobs/work.ts';
import {
  creditRecords,
  runCreditReports,
  newReportingTenant,
} from '../../setup/credit-reporting.ts';
import { newLoan } from '../../setup/loans.ts';
import { travelTo } from '../../setup/queue.ts';
import { newStage } from '../../setup/world.ts';

const stage = await newStage();
const lent = { within: createWithin(stage.pool, SYSTEM) } as never;

test('each month-end has one record, and a repeat writes none', async () => {
  const tenant = await newReportingTenant(stage, '2026-01-15');
  const loan = await newLoan(tenant);
  await travelTo(stage, tenant, '2026-02-10');
  await tenant.officer.post(`/loans/${loan.id}/payments`, { amount: '315.68' });
  await travelTo(stage, tenant, '2026-05-01');
  await runCreditReports(stage);
  const payload = { tenant_id: tenant.id, reporting_period: '2026-04-30' };
  await Promise.all([reportCredit.run(payload, lent), reportCredit.run(payload, lent)]);

  const records = await creditRecords(tenant, loan.id);

  expect(records.map(({ reporting_period }) => reporting_period)).toEqual([
    '2026-04-30',
    '2026-03-31',
    '2026-02-28',
    '2026-01-31',
  ]);
  // The installment of March 15 is 16 days late at the end of March and 46 days at the end of April.
  expect(records.map(({ account_status }) => account_status)).toEqual(['71', '11', '11', '11']);
  expect(records.map(({ payment_history_profile }) => payment_history_profile)).toEqual([
    `000${'B'.repeat(21)}`,
    `00${'B'.repeat(22)}`,
    `0${'B'.repeat(23)}`,
    'B'.repeat(24),
  ]);
  expect(records[0]).toMatchObject({
    status: 'queued',
    bureaus: ['equifax', 'experian', 'transunion'],
    portfolio_type: 'I',
    account_type: '01',
    terms_duration: '036',
    terms_frequency: 'M',
    scheduled_monthly_payment: 315,
    actual_payment_amount: 0,
    highest_credit: 10000,
    amount_past_due: 315,
    date_first_delinquency: '2026-03-15',
    payment_rating: null,
    ecoa_code: '1',
  });
  expect(records[2]).toMatchObject({
    actual_payment_amount: 315,
    date_last_payment: '2026-02-10',
    amount_past_due: 0,
    date_first_delinquency: null,
  });
  expect(JSON.stringify(records)).not.toMatch(/ssn/);
});

test('a paid-off loan is reported one last time, and a charged-off loan every month', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const [paid, lost] = [await newLoan(tenant), await newLoan(tenant)];
  const pending = await newLoan(tenant, { status: 'approved' });
  await travelTo(stage, tenant, '2026-02-05');
  await tenant.officer.post(`/loans/${paid.id}/pay-off`);
  const admin = await tenant.signedIn('admin');
  await admin.post(`/loans/${lost.id}/charge-off`, { reason: 'fraud' });
  await travelTo(stage, tenant, '2026-04-01');
  await runCreditReports(stage);

  const ofPaid = await creditRecords(tenant, paid.id);
  const ofLost = await creditRecords(tenant, lost.id);

  expect(ofPaid.map(({ account_status }) => account_status)).toEqual(['13', '11']);
  expect(ofPaid[0]).toMatchObject({
    status: 'draft',
    reporting_period: '2026-02-28',
    date_closed: '2026-02-05',
    current_balance: 0,
    payment_rating: '0',
  });
  expect(ofLost.map(({ account_status }) => account_status)).toEqual(['97', '97', '11']);
  expect(ofLost[0]).toMatchObject({
    current_balance: 10000,
    amount_past_due: 10000,
    original_charge_off_amount: 10000,
    scheduled_monthly_payment: 0,
    payment_history_profile: `L0${'B'.repeat(22)}`,
  });
  expect(ofLost[0]?.['date_first_delinquency']).toBe(ofLost[1]?.['date_first_delinquency']);
  expect(await creditRecords(tenant, pending.id)).toEqual([]);
});
