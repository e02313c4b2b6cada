import { expect, test } from 'vitest';
import { fetchDisclosures } from '../../setup/disclosures.ts';
import { newLoan } from '../../setup/loans.ts';
import { newProduct } from '../../setup/products.ts';
import { newStage, type Tenant } from '../../setup/world.ts';

const stage = await newStage();

/** The borrower receives ten cents of a hundred dollars, repaid within a month. */
const ALMOST_ALL = {
  fee_type: 'origination',
  trigger: 'disbursement',
  treatment: 'deducted',
  calculation: 'flat',
  amount: '99.90',
};
const SHORT = { principal_amount: '100.00', interest_rate: '0.085', term_months: 1 };
const AT_LEAST_TEN_THOUSAND =
  /^The annual percentage rate of these terms is 1\d{4}\.\d{6} \(1\d{6}(\.\d+)? percent\)\. /;

const read = async ({ officer }: Tenant, id: string) => (await officer.get(`/loans/${id}`)).body;

test('a loan whose rate is too high to store and disclose is not approved, and the answer says why', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, {
    payment_frequency: 'single',
    fee_rules: [ALMOST_ALL],
  });
  const { id } = await newLoan(tenant, { ...SHORT, product_id, status: 'pending' });
  const before = await read(tenant, id);

  const refused = await tenant.officer.post(`/loans/${id}/approve`);
  // The checks still report why the loan should not be approved.
  const checked = await tenant.officer.post(`/loans/${id}/run-compliance-checks`);

  expect(refused).toMatchObject({
    status: 409,
    body: {
      code: 'apr_too_high',
      message: expect.stringMatching(AT_LEAST_TEN_THOUSAND),
      details: { current_status: 'pending' },
    },
  });
  expect(await read(tenant, id)).toEqual(before);
  expect(await fetchDisclosures(tenant, id)).toEqual([]);
  expect(checked).toMatchObject({ status: 200, body: { loan_id: id } });
});

test('a line whose flat interest and fees result in such a rate is not approved', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, {
    loan_type: 'line_of_credit',
    interest_method: 'flat',
    payment_frequency: 'single',
    fee_rules: [ALMOST_ALL],
  });
  const { id } = await newLoan(tenant, { ...SHORT, product_id, status: 'pending' });

  const refused = await tenant.officer.post(`/loans/${id}/approve`);

  expect(refused).toMatchObject({ status: 409, body: { code: 'apr_too_high' } });
  expect(await read(tenant, id)).toMatchObject({ status: 'pending', apr: null });
});

test('an approved loan is not disbursed if its rate became too high', async () => {
  const tenant = await stage.tenant('2026-01-15');
  const product_id = await newProduct(tenant, {
    payment_frequency: 'single',
    fee_rules: [ALMOST_ALL],
  });
  const { id } = await newLoan(tenant, {
    ...SHORT,
    principal_amount: '10000.00',
    product_id,
    status: 'approved',
  });

  const refused = await tenant.officer.post(`/loans/${id}/disburse`, { amount: '100.00' });

  expect(refused).toMatchObject({
    status: 409,
    body: { code: 'apr_too_high', message: expect.stringMatching(AT_LEAST_TEN_THOUSAND) },
  });
  expect(await read(tenant, id)).toMatchObject({ status: 'approved', principal_balance: '0.00' });
});
