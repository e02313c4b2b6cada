import { expect } from 'vitest';
import { z } from 'zod';
import { sql } from '../../sql/database/db.ts';
import { newLoan } from './loans.ts';
import { addBankAccount } from './nacha.ts';
import type { Stage } from './world.ts';

export const portalBorrowerId = (tenant: Awaited<ReturnType<Stage['tenant']>>) =>
  tenant.within(({ tx }) =>
    tx.oneFirst(sql.type(z.object({ borrower_id: z.string() }))`
      select borrower_id from users where id = ${tenant.userIds['borrower'] ?? ''}
    `),
  );

/**
 * A tenant with a signed-in borrower who has a verified account and a loan of 10,000.00 in 36 installments
 * of 315.68, due on the 15th.
 */
export async function newPortalBorrower(stage: Stage, wish: Record<string, unknown> = {}) {
  const tenant = await stage.tenant('2026-01-15');
  const { officer } = tenant;
  const borrower_id = await portalBorrowerId(tenant);
  const [borrower, admin] = [await tenant.signedIn('borrower'), await tenant.signedIn('admin')];
  const { id } = await newLoan(tenant, { borrower_id, ...wish });
  const account = await addBankAccount(admin, borrower_id, { is_verified: true });
  const loan = `/portal/loans/${id}`;
  return {
    tenant,
    officer,
    admin,
    borrower,
    borrower_id,
    account,
    id,
    loan,
    pay: (amount: string, more: object = {}) =>
      borrower.post(`${loan}/payments`, {
        amount,
        payment_instrument_id: account,
        ...more,
      }),
    staffs: async () => (await officer.get(`/loans/${id}`)).body as Record<string, unknown>,
  };
}

export const refusal = (status: number, code: string) => ({ status, body: { code } });

/** Fails the test unless the request succeeded. */
export function assertOk({ status, body }: { status: number; body: unknown }) {
  expect(status, JSON.stringify(body)).toBeLessThan(300);
  return body as Record<string, unknown>;
}
