import { expect, test } from 'vitest';
import { setBusinessDate } from '../../setup/ledger.ts';
import { fetchDisclosures } from '../../setup/disclosures.ts';
import {
  newApprovedLoan,
  disburse,
  DISBURSEMENT_FEE,
  PERCENTAGE_FEE,
} from '../../setup/funding.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

const planOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}/amortization`)).body as {
    due_date: string;
    payment_amount: string;
  }[];

const loanOf = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}`)).body;

const AGREED = { expected_disbursement_date: '2026-01-20', first_payment_date: '2026-04-05' };

test('the disclosed last payment accounts for a late first payment', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, {
    status: 'approved',
    interest_rate: '0.24',
    term_months: 12,
    ...AGREED,
  });
  const [told] = await fetchDisclosures(tenant, id);

  await setBusinessDate(tenant, '2026-01-20');
  const funded = await disburse(tenant, id);

  const plan = await planOf(tenant, id);
  expect(funded.body).toMatchObject({ status: 'active', first_payment_date: '2026-04-05' });
  expect(told?.payment_schedule).toMatchObject([
    { number: 11, amount: '945.60', first_due: '2026-04-05' },
    { number: 1, amount: plan.at(-1)?.payment_amount, first_due: '2027-03-05' },
  ]);
  // With regular months it would be 945.56. The interest of 44 additional days is paid at the end.
  expect(Number(plan.at(-1)?.payment_amount)).toBeGreaterThan(1300);
  expect(await fetchDisclosures(tenant, id)).toHaveLength(1);
  expect(funded.body.apr).toBe(told?.apr);
});

test('the dates of a loan are agreed while it is pending, and its history records them', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { status: 'pending', ...AGREED });
  const put = (body: object) => tenant.officer.put(`/loans/${id}`, body);

  const changed = await put({ first_payment_date: '2026-03-20' });
  const early = await put({ first_payment_date: '2026-01-20' });
  const past = await put({ expected_disbursement_date: '2026-01-14' });
  const far = await put({ first_payment_date: '2070-01-01' });
  const history = await tenant.officer.get(`/loans/${id}/history?action=update`);
  await tenant.officer.post(`/loans/${id}/approve`);
  const late = await put({ first_payment_date: '2026-03-25' });
  const same = await put({ first_payment_date: '2026-03-20' });

  expect(changed).toMatchObject({ status: 200, body: { first_payment_date: '2026-03-20' } });
  expect(history.body).toMatchObject([
    { changes: { first_payment_date: { old: '2026-04-05', new: '2026-03-20' } } },
  ]);
  for (const [refused, field] of [
    [early, 'first_payment_date'],
    [past, 'expected_disbursement_date'],
    [far, 'first_payment_date'],
  ] as const) {
    expect(refused).toMatchObject({
      status: 422,
      body: { errors: { [field]: expect.any(String) } },
    });
  }
  expect(late).toMatchObject({ status: 409, body: { code: 'terms_locked' } });
  expect(same.status).toBe(200);
});

test('a loan’s first payment cannot precede its disbursement', async () => {
  const tenant = await stage.tenant('2026-01-15');

  const wrong = newLoan(tenant, { ...AGREED, first_payment_date: '2026-01-20' });

  await expect(wrong).rejects.toThrow('first_payment_date');
});

test('an agreed first payment date moves if the disbursement is late', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newLoan(tenant, { status: 'approved', ...AGREED });
  await setBusinessDate(tenant, '2026-04-05');

  const refused = await disburse(tenant, id);
  const funded = await disburse(tenant, id, { first_payment_date: '2026-05-05' });

  expect(refused).toMatchObject({
    status: 422,
    body: { errors: { first_payment_date: expect.stringContaining('2026-04-05') } },
  });
  expect(funded.body).toMatchObject({ status: 'active', first_payment_date: '2026-05-05' });
  const told = (await fetchDisclosures(tenant, id)).at(-1);
  const plan = await planOf(tenant, id);
  expect(told?.payment_schedule[0]?.first_due).toBe('2026-05-05');
  expect(told?.payment_schedule.at(-1)?.amount).toBe(plan.at(-1)?.payment_amount);
});

test('a reversed disbursement keeps the agreed first payment date', async () => {
  const tenant = await stage.tenant('2026-01-20');
  const { id } = await newLoan(tenant, { status: 'approved', first_payment_date: '2026-04-05' });
  await disburse(tenant, id, { first_payment_date: '2026-03-05' });
  const [payout] = (await tenant.officer.get(`/loans/${id}/disbursements`)).body;

  await tenant.officer.post(`/disbursements/${payout.id}/reverse`, {});

  expect(await loanOf(tenant, id)).toMatchObject({
    status: 'approved',
    first_payment_date: '2026-04-05',
  });
});

test('a disbursement that differs from its disclosure is disclosed again with the new rate', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const flat = { ...DISBURSEMENT_FEE, calculation: 'flat', amount: '300.00' };
  const { id } = await newApprovedLoan(tenant, [flat]);

  const funded = await disburse(tenant, id, { amount: '6000.00' });

  const [told, corrected, ...more] = await fetchDisclosures(tenant, id);
  expect(told).toMatchObject({ amount_financed: '9700.00', is_estimate: true });
  expect(corrected).toMatchObject({ amount_financed: '5700.00', is_estimate: false });
  expect(more).toEqual([]);
  expect(Number(corrected?.apr) - Number(told?.apr)).toBeGreaterThan(0.01);
  expect(funded.body.apr).toBe(corrected?.apr);
});

test('each further disbursement is disclosed with the balance that it adds to', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const { id } = await newApprovedLoan(tenant, [{ ...PERCENTAGE_FEE, treatment: 'deducted' }]);
  await disburse(tenant, id, { amount: '6000.00' });

  const more = await disburse(tenant, id);

  const told = await fetchDisclosures(tenant, id);
  const plan = await planOf(tenant, id);
  const total = plan.reduce((sum, { payment_amount }) => sum + Number(payment_amount), 0);
  expect(told).toHaveLength(3);
  // 6,000.00 are owed. 4,000.00 are disbursed, minus three percent.
  expect(told[2]).toMatchObject({ amount_financed: '9880.00', is_estimate: false });
  expect(told[2]?.total_of_payments).toBe(total.toFixed(2));
  expect(more.body.apr).toBe(told[2]?.apr);
});

test('a rate just below the maximum is disclosed normally', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const fee = {
    ...DISBURSEMENT_FEE,
    treatment: 'deducted',
    calculation: 'flat',
    amount: '99880.14',
  };
  const product_id = await newProduct(tenant, { fee_rules: [fee] });
  const terms = { principal_amount: '100000.00', interest_rate: '0', term_months: 1 };

  const { id } = await newLoan(tenant, { ...terms, product_id });

  // The borrower receives 119.86 and owes 100,000.00 a month later.
  expect(await loanOf(tenant, id)).toMatchObject({ status: 'active', apr: '9999.680294' });
});
