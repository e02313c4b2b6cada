import { newLoan } from './loans.ts';
import { newProduct } from './products.ts';
import type { Tenant } from './world.ts';

/** A fee rule for disbursements, and a variant that charges three percent of the amount. */
export const DISBURSEMENT_FEE = { fee_type: 'origination', trigger: 'disbursement' };
export const PERCENTAGE_FEE = {
  ...DISBURSEMENT_FEE,
  calculation: 'percent_of_disbursement',
  percentage: '0.03',
};

/** An approved loan of 10,000.00 whose product has these fee rules. */
export async function newApprovedLoan(tenant: Tenant, fee_rules: object[], more: object = {}) {
  const product_id = await newProduct(tenant, { fee_rules, ...more });
  return newLoan(tenant, { product_id, status: 'approved' });
}

/** The loan with its fees, disbursements and schedule, as the API returns them. */
export async function fetchFundedLoan(tenant: Tenant, id: string) {
  const at = async (path: string) => (await tenant.officer.get(`/loans/${id}${path}`)).body;
  const [loan, fees, payouts, plan] = [
    await at(''),
    await at('/fees'),
    await at('/disbursements'),
    await at('/amortization'),
  ];
  return { loan, fees, payouts, plan };
}

export const disburse = (tenant: Tenant, id: string, body: object = {}) =>
  tenant.officer.post(`/loans/${id}/disburse`, body);
