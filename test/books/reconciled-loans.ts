import { expect } from 'vitest';
import { createWithin, SYSTEM } from '../../jobs/work.ts';
import type { Client } from '../setup/client.ts';
import { multipartForm, postForm } from '../setup/forms.ts';
import { newLoan } from '../setup/loans.ts';
import { newProduct } from '../setup/products.ts';
import { runJobs } from '../setup/queue.ts';
import type { newStage, Tenant } from '../setup/world.ts';
import { legacyFiles } from './legacy-book.ts';
import { LEGACY, runLegacyBook, type LegacyLoan } from './legacy-system.ts';

/** Payments take effect on the day of their receipt, as the API takes them. */
export const LOANS = runLegacyBook(6, {
  conventions: { ...LEGACY, payment_lag_days: 0 },
  months: 6,
});
export const FIGURES = legacyFiles(LOANS)['figures.csv'] ?? '';
export const LEGACY_TERMS = { day_count: '30_360', rounding_mode: 'down' };

/** Boards loans of the legacy system with their histories, and compares files with them. */
export function newReconciler(stage: Awaited<ReturnType<typeof newStage>>) {
  const outside = {
    within: createWithin(stage.pool, SYSTEM, stage.installation),
    files: stage.installation.files,
  };

  async function boardLoans(tenant: Tenant, terms: Record<string, unknown>, loans = LOANS) {
    const { borrower_id } = await newLoan(tenant, { status: 'pending' });
    const program_id = await tenant.first('/programs');
    const product_id = await newProduct(tenant, terms);
    const admin = await tenant.signedIn('admin');
    const parents = { borrower_id, program_id, product_id };
    const ids: string[] = [];
    for (const loan of loans) ids.push(await boardLoan(admin, parents, loan));
    return ids;
  }

  async function compare(
    client: Client,
    content: string,
    fields: Record<string, string> = {},
    name = 'figures.csv',
  ) {
    const form = multipartForm(fields, [{ name, type: 'text/csv', content }]);
    const sent = await postForm(client, '/reconciliations', form);
    expect(sent.status, JSON.stringify(sent.body)).toBe(201);
    await runJobs(stage, outside, ['reconcile']);
    return (await client.get(`/reconciliations/${sent.body.id}`)).body;
  }

  async function lender(terms: Record<string, unknown>) {
    const tenant = await stage.tenant('2024-12-31');
    const ids = await boardLoans(tenant, terms);
    const maker = await tenant.signedIn('admin');
    const checker = await tenant.signedIn('superadmin');
    return { tenant, ids, maker, checker };
  }

  return { outside, boardLoans, compare, lender };
}

async function boardLoan(admin: Client, parents: object, loan: LegacyLoan): Promise<string> {
  const { history, figures, ...terms } = loan;
  const made = await admin.post('/loans/board', {
    ...terms,
    ...parents,
    status: 'active',
    current_principal_balance: figures.at(-1)?.principal,
    accept_difference: true,
    history: { transactions: history },
  });
  expect(made.status, JSON.stringify(made.body)).toBe(201);
  return made.body.id as string;
}
