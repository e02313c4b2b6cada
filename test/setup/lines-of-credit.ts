import { newLoan } from './loans.ts';
import { newProduct } from './products.ts';
import type { Tenant } from './world.ts';

export const LINE_OF_CREDIT = {
  loan_type: 'line_of_credit',
  minimum_payment: { percentage: '0.01', floor_amount: '25.00' },
  payment_due_days: 25,
};

/**
 * A line of credit of 10,000.00 at 20 percent, opened on the business date with a first draw of 3,650.00.
 */
export async function openLineOfCredit(tenant: Tenant, wish: object = {}) {
  const product_id = await newProduct(tenant, { ...LINE_OF_CREDIT, ...wish });
  const { id } = await newLoan(tenant, { product_id, interest_rate: '0.2', status: 'approved' });
  const { status } = await tenant.officer.post(`/loans/${id}/disburse`, { amount: '3650.00' });
  if (status !== 200) throw new Error(`The line was not opened: ${status}`);
  return id;
}

export const fetchLoan = async ({ officer }: Tenant, id: string) =>
  (await officer.get(`/loans/${id}`)).body;
export const payLoan = ({ officer }: Tenant, id: string, amount: string, more: object = {}) =>
  officer.post(`/loans/${id}/payments`, { amount, ...more });
export const fetchMinimumPayments = async ({ officer }: Tenant, id: string) =>
  (await officer.get(`/loans/${id}/amortization`)).body.map((row: Record<string, unknown>) => [
    row['due_date'],
    row['payment_amount'],
    row['status'],
  ]);
