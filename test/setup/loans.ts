import type { Client } from './client.ts';
import type { Tenant } from './world.ts';

type LoanOverrides = {
  principal_amount?: string;
  interest_rate?: string;
  term_months?: number;
  status?: 'pending' | 'approved' | 'active';
  disbursement_date?: string;
  product?: Record<string, unknown>;
} & Record<string, unknown>;

/** A loan with its borrower in the requested state, created through the API as an officer would. */
export async function newLoan(
  tenant: Tenant,
  wish: LoanOverrides = {},
  officer: Client = tenant.officer,
) {
  const { status = 'active', disbursement_date, ...terms } = wish;
  const borrower = await officer.post('/borrowers', {
    first_name: 'Grace',
    last_name: 'Hopper',
    ssn_last_four: '6789',
  });
  const created = await officer.post('/loans', {
    borrower_id: borrower.body.id,
    program_id: terms['program_id'] ?? (await tenant.first('/programs')),
    product_id: terms['product_id'] ?? (await tenant.first('/products')),
    principal_amount: '10000.00',
    interest_rate: '0.085',
    term_months: 36,
    ...terms,
  });
  if (created.status !== 201) throw new Error(JSON.stringify(created.body));
  const { id } = created.body as { id: string };
  if (status !== 'pending') await officer.post(`/loans/${id}/approve`);
  if (status === 'active') {
    const funded = await officer.post(
      `/loans/${id}/disburse`,
      disbursement_date ? { disbursement_date } : {},
    );
    if (funded.status !== 200) throw new Error(JSON.stringify(funded.body));
  }
  return { id, borrower_id: borrower.body.id as string };
}
