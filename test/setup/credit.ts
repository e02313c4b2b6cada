import { expect } from 'vitest';
import { SYSTEM, workOf } from '../../jobs/work.ts';
import { drain } from './queue.ts';
import type { Stage, Tenant } from './world.ts';

/** Runs the month-end jobs that wait. */
export const reported = (stage: Stage) =>
  drain(stage, { within: workOf(stage.pool, SYSTEM) }, ['report-credit']);

export type Body = Record<string, unknown>;
export const recordsOf = async (tenant: Tenant, loanId: string) =>
  (await tenant.officer.get(`/loans/${loanId}/credit-reporting`)).body as Body[];

export const REPORTER = {
  enabled: true,
  reporter_name: 'Acme Lending',
  reporter_address: '1 Main Street, Springfield IL 62701',
  reporter_phone: '+12175550100',
  program_ids: { equifax: '155AB12345', experian: 'A1234', transunion: '1234567' },
};

/** A tenant that reports to three of the bureaus. */
export async function reporting(stage: Stage, today: string) {
  const tenant = await stage.tenant(today);
  const superadmin = await tenant.signedIn('superadmin');
  const saved = await superadmin.put('/tenant/settings', { credit_reporting: REPORTER });
  expect(saved.status, JSON.stringify(saved.body)).toBe(200);
  return tenant;
}
