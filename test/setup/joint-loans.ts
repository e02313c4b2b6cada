import { newLoan } from './loans.ts';
import { addBankAccount } from './nacha.ts';
import { assertOk, type newPortalBorrower } from './portal.ts';
import type { Tenant } from './world.ts';

export const newBorrower = async ({ officer }: Tenant, more: object = {}) =>
  String(
    assertOk(await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron', ...more }))[
      'id'
    ],
  );

/** A loan with a second obligor. */
export async function newJointLoan(tenant: Tenant, role = 'co_borrower') {
  const { id, borrower_id } = await newLoan(tenant);
  const other = await newBorrower(tenant);
  const path = `/loans/${id}/co-borrowers`;
  const party = assertOk(await tenant.officer.post(path, { borrower_id: other, role }));
  const release = (more: object = {}) =>
    tenant.officer.post(`/co-borrowers/${String(party['id'])}/release`, {
      reason: 'other',
      ...more,
    });
  return { id, borrower_id, other, path, party, release };
}

/** A portal borrower who is also a co-borrower of another borrower's loan. */
export async function newJointPortalLoan(
  home: Awaited<ReturnType<typeof newPortalBorrower>>,
  role: string,
) {
  const { tenant, officer, admin, borrower_id } = home;
  const joint = await newLoan(tenant, { disbursement_date: '2025-12-01' });
  const added = { borrower_id, role };
  const party = assertOk(await officer.post(`/loans/${joint.id}/co-borrowers`, added));
  const release = async () =>
    assertOk(
      await officer.post(`/co-borrowers/${String(party['id'])}/release`, { reason: 'divorce' }),
    );
  const theirs = await addBankAccount(admin, joint.borrower_id, { is_verified: true });
  return { joint, at: `/portal/loans/${joint.id}`, theirs, release };
}
