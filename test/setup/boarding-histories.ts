import { newLoan } from './loans.ts';
import { newProduct } from './products.ts';
import type { Tenant } from './world.ts';

/** Loans that are boarded with what happened at their previous servicer. */

export const TERMS = {
  principal_amount: '10000.00',
  interest_rate: '0.085',
  term_months: 36,
  origination_date: '2025-01-10',
  first_payment_date: '2025-02-10',
};
export const INSTALLMENT = '315.68';

/** A borrower, a program and a product with a late fee of 25.00 after ten days. */
export async function parentsOf(tenant: Tenant) {
  const { borrower_id } = await newLoan(tenant, { status: 'pending' });
  const product_id = await newProduct(tenant, {
    fee_rules: [
      {
        fee_type: 'late',
        calculation: 'flat',
        amount: '25.00',
        trigger: 'past_due',
        grace_days: 10,
      },
    ],
  });
  return { borrower_id, program_id: await tenant.first('/programs'), product_id };
}

/** A payment to the previous servicer. */
export const paid = (transaction_id: string, date: string, amount = INSTALLMENT) => ({
  transaction_id,
  date,
  type: 'payment',
  amount,
});

/** Boards loans with these transactions through the API. */
export async function boarder(tenant: Tenant, more: Record<string, unknown> = {}) {
  const parents = await parentsOf(tenant);
  return async (transactions: object[], wish: Record<string, unknown> = {}) => {
    const { history = {}, ...others } = wish;
    const sent = { ...parents, ...TERMS, ...more, ...others };
    const { status, body } = await tenant.officer.post('/loans/board', {
      ...sent,
      history: { transactions, ...(history as object) },
    });
    return { status, body };
  };
}
