import { expect, test } from 'vitest';
import { openLineOfCredit } from '../../setup/lines-of-credit.ts';
import {
  creditRecords,
  fileLines,
  makeReportable,
  newReportedLoan,
  newReportingTenant,
  runCreditReports,
} from '../../setup/credit-reporting.ts';
import { newJointLoan } from '../../setup/joint-loans.ts';
import { expectMetro2 } from '../../setup/metro2-layout.ts';
import { travelTo } from '../../setup/queue.ts';
import { newPortfolioForSale } from '../../setup/sales.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

async function newCase() {
  const tenant = await newReportingTenant(stage, '2027-01-05');
  const { id, borrower_id } = await newReportedLoan(tenant, {
    principal_amount: '1200.00',
    interest_rate: '0.10',
    term_months: 12,
  });
  const admin = await tenant.signedIn('admin');
  const on = (day: string) => travelTo(stage, tenant, day);
  const reportsOn = async (day: string) => {
    await on(day);
    await runCreditReports(stage);
    return creditRecords(tenant, id);
  };
  return { tenant, admin, id, borrower_id, on, reportsOn };
}

/** The accounts of a new file, which must be valid. */
async function sendFile(tenant: Tenant) {
  const admin = await tenant.signedIn('admin');
  const made = await admin.post('/credit-reporting-files');
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return expectMetro2(await fileLines(stage, tenant, made.body.filename));
}

const settle = async ({ officer }: Tenant, id: string, due_date: string) => {
  const plan = await officer.post(`/loans/${id}/payment-plans`, {
    plan_type: 'settlement',
    settlement_amount: '400.00',
    waive_remaining: true,
    installments: [{ due_date, amount: '400.00' }],
    grace_days: 0,
  });
  expect(plan.status, JSON.stringify(plan.body)).toBe(201);
  await officer.post(`/loans/${id}/payments`, { amount: '400.00' });
};

test('a charge-off that is settled, even on the same day, is a paid charge-off with its original amounts', async () => {
  const { tenant, admin, id, on, reportsOn } = await newCase();
  await on('2027-05-10');
  await admin.post(`/loans/${id}/charge-off`, { reason: 'fraud' });
  await settle(tenant, id, '2027-05-10');

  const [settled] = await reportsOn('2027-06-01');
  const [base] = await sendFile(tenant);
  const after = await reportsOn('2027-07-01');

  expect(settled).toMatchObject({
    account_status: '64',
    special_comment: 'AU',
    original_charge_off_amount: 1200,
    date_first_delinquency: '2027-02-05',
    date_closed: '2027-05-10',
    date_of_account_information: '2027-05-10',
    current_balance: 0,
  });
  expect(base).toMatchObject({ 'account status': '64', 'date of account information': '05102027' });
  expect(after[0]).toMatchObject({ reporting_period: '2027-05-31' });
});

test('a charge-off paid in full is dated on the day of the payment', async () => {
  const { tenant, admin, id, on, reportsOn } = await newCase();
  await on('2027-04-10');
  await admin.post(`/loans/${id}/charge-off`, { reason: 'fraud' });
  await on('2027-05-12');
  await tenant.officer.post(`/loans/${id}/payments`, { amount: '1200.00' });

  const records = await reportsOn('2027-06-01');

  expect(records.slice(0, 2)).toMatchObject([
    {
      account_status: '64',
      original_charge_off_amount: 1200,
      date_first_delinquency: '2027-02-05',
      date_closed: '2027-05-12',
      date_of_account_information: '2027-05-12',
    },
    { account_status: '97', date_closed: null, date_of_account_information: '2027-04-30' },
  ]);
});

test('money that arrives after the payoff does not change the day on which the loan was closed', async () => {
  const { tenant, id, on, reportsOn } = await newCase();
  await on('2027-02-03');
  await tenant.officer.post(`/loans/${id}/pay-off`);
  await on('2027-02-20');
  const late = await tenant.officer.post(`/loans/${id}/payments`, { amount: '105.50' });

  const [record] = await reportsOn('2027-03-01');

  expect(late.status).toBe(201);
  expect(record).toMatchObject({
    account_status: '13',
    date_closed: '2027-02-03',
    date_of_account_information: '2027-02-03',
    date_last_payment: '2027-02-03',
    payment_rating: '0',
  });
});

test('the charge-off of a loan on time has its own day as first delinquency', async () => {
  const { admin, id, on, reportsOn } = await newCase();
  await on('2027-01-20');
  await admin.post(`/loans/${id}/charge-off`, { reason: 'fraud' });

  const records = await reportsOn('2027-03-01');

  expect(records.map(({ date_first_delinquency }) => date_first_delinquency)).toEqual([
    '2027-01-20',
    '2027-01-20',
  ]);
});

test('a loan sold with its servicing keeps its status and is closed with a zero balance', async () => {
  const { tenant, id, on, reportsOn } = await newCase();
  const lost = await newReportedLoan(tenant);
  const { admin, sell } = await newPortfolioForSale(tenant, id, lost.id);
  await on('2027-04-20');
  await admin.post(`/loans/${lost.id}/charge-off`, { reason: 'fraud' });
  const sold = await sell({ sale_price: '10000.00', servicing_retained: false });

  const [record, march] = await reportsOn('2027-06-01');
  const [ofLost] = await creditRecords(tenant, lost.id);
  const bases = await sendFile(tenant);
  const later = await reportsOn('2027-07-01');

  expect(sold.status, JSON.stringify(sold.body)).toBe(200);
  const closed = { special_comment: 'O', current_balance: 0, amount_past_due: 0 };
  expect(record).toMatchObject({
    ...closed,
    account_status: '78',
    scheduled_monthly_payment: 0,
    date_first_delinquency: '2027-02-05',
    payment_rating: null,
  });
  expect(record?.['date_closed']).toBe(record?.['date_of_account_information']);
  expect(march).toMatchObject({ account_status: '71', date_closed: null });
  expect(ofLost).toMatchObject({
    ...closed,
    account_status: '97',
    original_charge_off_amount: 10000,
  });
  expect(bases).toHaveLength(2);
  expect(later[0]).toMatchObject({ id: record?.['id'], status: 'reported' });
});

test('a borrower who died is reported once, and then the account is no longer reported', async () => {
  const { tenant, borrower_id, reportsOn } = await newCase();
  await reportsOn('2027-02-03');
  const died = await tenant.officer.put(`/borrowers/${borrower_id}`, { is_deceased: true });

  const records = await reportsOn('2027-05-01');

  expect(died.status, JSON.stringify(died.body)).toBe(200);
  expect(
    records.map((record) => [record['ecoa_code'], record['status'], record['suppression_reason']]),
  ).toEqual([
    ['X', 'suppressed', 'reported_deceased'],
    ['X', 'suppressed', 'reported_deceased'],
    ['X', 'queued', null],
    ['1', 'queued', null],
  ]);
});

test('the co-borrower of a borrower who died takes the first place of the account', async () => {
  const tenant = await newReportingTenant(stage, '2027-01-05');
  const { id, borrower_id, other } = await newJointLoan(tenant);
  await makeReportable(tenant, borrower_id);
  await makeReportable(tenant, other);
  await travelTo(stage, tenant, '2027-02-03');
  await runCreditReports(stage);
  await tenant.officer.put(`/borrowers/${borrower_id}`, { is_deceased: true });
  await travelTo(stage, tenant, '2027-04-01');
  await runCreditReports(stage);

  const records = await creditRecords(tenant, id);
  const [base] = await sendFile(tenant);

  expect(records).toMatchObject([
    { ecoa_code: '1', consumer: { borrower_id: other, surname: 'Byron' }, co_consumers: [] },
    { ecoa_code: 'X', consumer: { borrower_id }, co_consumers: [{ ecoa_code: '2' }] },
    { ecoa_code: '2', consumer: { borrower_id }, co_consumers: [{ ecoa_code: '2' }] },
  ]);
  expect(base).toMatchObject({ surname: 'BYRON', 'ECOA code': '1' });
});

test('repossessed collateral is reported until it is returned, and stays with a paid account', async () => {
  const { tenant, id, on, reportsOn } = await newCase();
  const item = { loan_id: id, collateral_type: 'vehicle' };
  const { body: car } = await tenant.officer.post('/collateral', item);
  await on('2027-02-20');
  const taken = await tenant.officer.put(`/collateral/${car.id}`, {
    status: 'repossessed',
    possession: 'voluntary_surrender',
    possession_date: '2027-02-18',
  });
  await reportsOn('2027-04-02');
  await tenant.officer.put(`/collateral/${car.id}`, { status: 'active' });
  await reportsOn('2027-05-02');
  const again = await tenant.officer.put(`/collateral/${car.id}`, { status: 'repossessed' });
  await on('2027-05-20');
  await tenant.officer.post(`/loans/${id}/pay-off`);

  const records = await reportsOn('2027-06-01');
  await sendFile(tenant);

  expect(taken, JSON.stringify(taken.body)).toMatchObject({
    status: 200,
    body: { possession: 'voluntary_surrender', possession_date: '2027-02-18' },
  });
  expect(again.body).toMatchObject({
    possession: 'repossession',
    possession_date: '2027-05-02',
    possession_ended_on: null,
  });
  expect(
    records.map((record) => [
      record['account_status'],
      record['payment_rating'],
      record['date_first_delinquency'],
    ]),
  ).toEqual([
    ['63', null, '2027-02-05'],
    ['78', null, '2027-02-05'],
    ['95', '1', '2027-02-05'],
    ['95', '0', '2027-02-05'],
    ['11', null, null],
  ]);
});

test('an impossible possession is refused', async () => {
  const { tenant, id } = await newCase();
  const taking = async (collateral_type: string, more: object) =>
    (await tenant.officer.post('/collateral', { loan_id: id, collateral_type, ...more })).body;
  const repossessed = { status: 'repossessed' };

  expect(await taking('real_estate', repossessed)).toMatchObject({ possession: 'foreclosure' });
  expect(await taking('vehicle', { ...repossessed, possession: 'foreclosure' })).toMatchObject({
    errors: { possession: 'Must be repossession or voluntary_surrender for vehicle.' },
  });
  expect(await taking('vehicle', { ...repossessed, possession_date: '2027-01-06' })).toMatchObject({
    errors: { possession_date: 'Must not be after the business date.' },
  });
  expect(await taking('vehicle', { possession: 'repossession' })).toMatchObject({
    errors: { possession: 'Set the status to repossessed as well.' },
  });
});

test('the highest credit of a line is the highest balance that was used', async () => {
  const tenant = await newReportingTenant(stage, '2027-01-05');
  const id = await openLineOfCredit(tenant);
  await travelTo(stage, tenant, '2027-01-10');
  await tenant.officer.post(`/loans/${id}/draws`, { amount: '2000.00' });
  await travelTo(stage, tenant, '2027-01-15');
  await tenant.officer.post(`/loans/${id}/payments`, { amount: '5000.00' });
  await travelTo(stage, tenant, '2027-02-10');
  await tenant.officer.post(`/loans/${id}/draws`, { amount: '3000.00' });
  await travelTo(stage, tenant, '2027-03-01');
  await runCreditReports(stage);

  const records = await creditRecords(tenant, id);

  expect(records.map(({ highest_credit }) => highest_credit)).toEqual([5650, 5650]);
});

test('the last record of a closed account that could not be sent is sent once it is complete', async () => {
  const { tenant, id, on, reportsOn } = await newCase();
  const bare = await newReportedLoan(tenant);
  const [home] = (await tenant.officer.get(`/borrowers/${bare.borrower_id}/addresses`)).body;
  await tenant.officer.put(`/borrowers/${bare.borrower_id}`, { date_of_birth: null });
  for (const loan of [id, bare.id]) await tenant.officer.post(`/loans/${loan}/pay-off`);
  await reportsOn('2027-02-01');
  await sendFile(tenant);
  await on('2027-02-10');
  await tenant.officer.put(`/borrowers/${bare.borrower_id}`, { date_of_birth: '1980-12-09' });
  await reportsOn('2027-03-01');

  const bases = await sendFile(tenant);

  expect(home).toBeDefined();
  expect(bases).toHaveLength(1);
  expect(await creditRecords(tenant, bare.id)).toMatchObject([
    { reporting_period: '2027-02-28', status: 'reported', date_closed: '2027-01-05' },
    { reporting_period: '2027-01-31', suppression_reason: 'date_of_birth_missing' },
  ]);
  expect(await creditRecords(tenant, id)).toHaveLength(1);
});
