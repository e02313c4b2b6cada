import { newLoan } from './loans.ts';
import { bankAccount } from './nacha.ts';
import { done, type atHome } from './portal.ts';
import type { Tenant } from './world.ts';

export const person = async ({ officer }: Tenant, more: object = {}) =>
  String(
    done(await officer.post('/borrowers', { first_name: 'Ada', last_name: 'Byron', ...more }))[
      'id'
    ],
  );

/** A loan that somebody owes beside its borrower. */
export async function jointLoan(tenant: Tenant, role = 'co_borrower') {
  const { id, borrower_id } = await newLoan(tenant);
  const other = await person(tenant);
  const path = `/loans/${id}/co-borrowers`;
  const party = done(await tenant.officer.post(path, { borrower_id: other, role }));
  const release = (more: object = {}) =>
    tenant.officer.post(`/co-borrowers/${String(party['id'])}/release`, {
      reason: 'other',
      ...more,
    });
  return { id, borrower_id, other, path, party, release };
}

/** Whoever is at home in the portal owes a loan of somebody else as well. */
export async function besideAtHome(home: Awaited<ReturnType<typeof atHome>>, role: string) {
  const { tenant, officer, admin, borrower_id } = home;
  const joint = await newLoan(tenant, { disbursement_date: '2025-12-01' });
  const added = { borrower_id, role };
  const party = done(await officer.post(`/loans/${joint.id}/co-borrowers`, added));
  const release = async () =>
    done(await officer.post(`/co-borrowers/${String(party['id'])}/release`, { reason: 'divorce' }));
  const theirs = await bankAccount(admin, joint.borrower_id, { is_verified: true });
  return { joint, at: `/portal/loans/${joint.id}`, theirs, release };
}
