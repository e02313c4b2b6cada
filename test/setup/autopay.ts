import { expect } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { newLoan } from './loans.ts';
import type { Stage, Tenant } from './world.ts';

const ACCOUNT = {
  routing_number: '021000021',
  account_number: '000123456789',
  account_type: 'checking',
  account_holder_name: 'Grace Hopper',
};

export type Body = Record<string, unknown>;

/**
 * A loan of 10,000 in 36 installments of 315.68, due on the 15th, whose borrower is enrolled in autopay.
 */
export async function newEnrolledLoan(stage: Stage, plan: Body = {}) {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const loan = await newLoan(tenant);
  const path = `/borrowers/${loan.borrower_id}`;
  const instrument = await officer.post(`${path}/payment-instruments`, ACCOUNT);
  const enrolling = await officer.post(`${path}/autopay-plans`, {
    loan_id: loan.id,
    payment_instrument_id: instrument.body.id,
    ...plan,
  });
  expect(enrolling.status, JSON.stringify(enrolling.body)).toBe(201);
  const id = enrolling.body.id as string;
  return {
    tenant,
    officer,
    loan,
    instrument: instrument.body as { id: string },
    first: enrolling.body as Body,
    id,
    plan: async () => (await officer.get(`/autopay-plans/${id}`)).body as Body,
    draws: async () =>
      (await officer.get(`/autopay-plans/${id}/draws?ordering=due_date`)).body as Body[],
    payments: async () =>
      (await officer.get(`/loans/${loan.id}/payments?ordering=payment_date`)).body as (Body & {
        id: string;
      })[],
    balances: async () => (await officer.get(`/loans/${loan.id}/get-balances`)).body as Body,
  };
}

/** The body of the tenant's latest event of that type, as text. */
export const lastEventData = (tenant: Tenant, type: string) =>
  tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(z.object({ data: z.string() }))`
      select body::jsonb ->> 'data' as data from events
      where event_type = ${type} order by id desc limit 1
    `),
  );
