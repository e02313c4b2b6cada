import { expect } from 'vitest';
import type { Tenant } from './world.ts';

const BALANCES = ['principal_balance', 'accrued_interest', 'total_balance'] as const;
type Balances = Record<(typeof BALANCES)[number], string>;
export const balancesOf = (row: Balances) => BALANCES.map((name) => row[name]);

/** The loan's snapshot of that day. A loan has at most one per day. */
export async function snapshotOf(tenant: Tenant, id: string, day = '2026-01-31') {
  const { body } = await tenant.officer.get(`/loan-snapshots?loan_id=${id}`);
  const rows = body.filter((row: { snapshot_date: string }) => row.snapshot_date === day);
  expect(rows.length).toBeLessThan(2);
  return rows[0] ?? null;
}

export const fetchLoan = async (tenant: Tenant, id: string) =>
  (await tenant.officer.get(`/loans/${id}`)).body;

export const payLoan = (tenant: Tenant, id: string, amount: string) =>
  tenant.officer.post(`/loans/${id}/payments`, { amount });

/** A boarded loan: another lender has serviced it until now. */
export async function boardLoan(tenant: Tenant, origination_date: string, more = {}) {
  const borrower = await tenant.officer.post('/borrowers', { first_name: 'A', last_name: 'B' });
  const { body } = await tenant.officer.post('/loans/board', {
    borrower_id: borrower.body.id,
    program_id: await tenant.first('/programs'),
    product_id: await tenant.first('/products'),
    principal_amount: '5000.00',
    current_principal_balance: '3000.00',
    interest_rate: '0.10',
    term_months: 24,
    origination_date,
    ...more,
  });
  return body.id as string;
}
