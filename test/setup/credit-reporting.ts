import { expect } from 'vitest';
import { SYSTEM, createWithin } from '../../jobs/work.ts';
import { newLoan } from './loans.ts';
import { runJobs } from './queue.ts';
import { readSealedFile } from './sealed-files.ts';
import type { Stage, Tenant } from './world.ts';

/** Runs the waiting month-end jobs of credit reporting. */
export const runCreditReports = (stage: Stage) =>
  runJobs(stage, { within: createWithin(stage.pool, SYSTEM) }, ['report-credit']);

export type Body = Record<string, unknown>;
export const creditRecords = async (tenant: Tenant, loanId: string) =>
  (await tenant.officer.get(`/loans/${loanId}/credit-reporting`)).body as Body[];

export const REPORTER = {
  enabled: true,
  reporter_name: 'Acme Lending',
  reporter_address: '1 Main Street, Springfield IL 62701',
  reporter_phone: '+12175550100',
  identification_number: 'ACME01',
  program_ids: { equifax: '155AB12345', experian: 'A1234', transunion: '1234567' },
};

/** A tenant that reports to three of the bureaus. */
export async function newReportingTenant(stage: Stage, today: string) {
  const tenant = await stage.tenant(today);
  const superadmin = await tenant.signedIn('superadmin');
  const saved = await superadmin.put('/tenant/settings', { credit_reporting: REPORTER });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  return tenant;
}

/** Adds what every bureau requires of a borrower: an address and a date of birth. */
export async function makeReportable(
  { officer }: Pick<Tenant, 'officer'>,
  borrowerId: string,
  wish: Record<string, unknown> = {},
) {
  const address = { street_line_1: '1 Main Street', city: 'Arlington', state: 'VA' };
  const added = await officer.post(`/borrowers/${borrowerId}/addresses`, {
    ...address,
    postal_code: '22201',
    ...wish,
  });
  expect(added.status, JSON.stringify(added.body)).toBe(201);
  const born = await officer.put(`/borrowers/${borrowerId}`, { date_of_birth: '1980-12-09' });
  expect(born.status, JSON.stringify(born.body)).toBe(200);
}

export async function newReportedLoan(...of: Parameters<typeof newLoan>) {
  const loan = await newLoan(...of);
  await makeReportable(of[0], loan.borrower_id);
  return loan;
}

/** The lines of a stored bureau file. */
export async function fileLines(stage: Stage, tenant: Tenant, filename: string) {
  const text = await readSealedFile(stage, tenant, 'credit_reporting_files', filename);
  const lines = text.split('\n');
  expect(lines.pop()).toBe('');
  return lines;
}
