import type { Client } from './client.ts';

async function post(officer: Client, path: string, body: object): Promise<string> {
  const made = await officer.post(path, body);
  if (made.status !== 201) throw new Error(JSON.stringify(made.body));
  return made.body.id as string;
}

/** Gives a borrower what the compliance checks of an adult ask for: identity, age and consent. */
export async function addEvidence(officer: Client, borrowerId: string) {
  await officer.put(`/borrowers/${borrowerId}`, { date_of_birth: '1980-05-17' });
  await verifyIdentity(officer, borrowerId);
  await consentToEsign(officer, borrowerId);
}

export const verifyIdentity = (officer: Client, borrowerId: string, identity: object = {}) =>
  post(officer, `/borrowers/${borrowerId}/identities`, {
    identity_type: 'drivers_license',
    identifier_last_four: '1234',
    verification_status: 'verified',
    ...identity,
  });

export const consentToEsign = (officer: Client, borrowerId: string) =>
  post(officer, `/borrowers/${borrowerId}/consents`, { consent_type: 'esign', source: 'paper' });

export const addMilitaryReport = (officer: Client, borrowerId: string, report: object) =>
  post(officer, `/borrowers/${borrowerId}/military-reports`, {
    certificate_id: 'K2ABC9DEF3GHI',
    ...report,
  });
