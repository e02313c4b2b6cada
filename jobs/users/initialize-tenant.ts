import { insert } from '../../sql/write.ts';
import { CHART } from '../ledger/chart.ts';
import type { Work } from '../work.ts';

/**
 * What a tenant has from its first day: the chart of accounts, and one program with one product, so
 * that a loan can be written at once. The product: monthly level payments, simple daily interest
 * actual/365, no limits, no fee rules.
 */
export async function initializeTenant({ tx }: Pick<Work, 'tx'>) {
  for (const account of CHART) await insert(tx, 'ledger_accounts', account);
  const program_id = await insert(tx, 'programs', { name: 'Default program', code: 'DEFAULT' });
  await insert(tx, 'products', { program_id, name: 'Default product', code: 'DEFAULT' });
}
