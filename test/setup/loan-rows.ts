import { insert, type Values } from '../../sql/write.ts';
import type { Tenant } from './world.ts';

let loans = 0;

/** Inserts loans as rows, in any state that a test needs. */
export async function insertLoans(tenant: Tenant, ...rows: Values[]): Promise<string[]> {
  const program_id = await tenant.first('/programs');
  const product_id = await tenant.first('/products');
  const borrower_id = await tenant.first('/borrowers');
  return tenant.within(async ({ tx }) => {
    const ids: string[] = [];
    for (const row of rows) {
      loans += 1;
      ids.push(
        await insert(tx, 'loans', {
          borrower_id,
          program_id,
          product_id,
          loan_number: `LN-T-${loans}`,
          status: 'active',
          principal_amount: '10000.00',
          principal_balance: '10000.00',
          disbursed_amount: '10000.00',
          interest_rate: '0.1',
          term_months: 36,
          payment_frequency: 'monthly',
          day_count: 'actual_365',
          interest_method: 'simple_daily',
          ...row,
        }),
      );
    }
    return ids;
  });
}
