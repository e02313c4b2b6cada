import { insert, insertAll } from '../../sql/write.ts';
import { CHART } from '../ledger/chart.ts';
import type { Work } from '../work.ts';

/**
 * Creates a new tenant's chart of accounts, and one program with one product, so that loans can be created
 * immediately. The product has monthly level payments, simple daily interest actual/365, no limits and no
 * fee rules.
 */
export async function initializeTenant({ tx }: Pick<Work, 'tx'>) {
  await insertAll(tx, 'ledger_accounts', CHART);
  const program_id = await insert(tx, 'programs', { name: 'Default program', code: 'DEFAULT' });
  await insert(tx, 'products', { program_id, name: 'Default product', code: 'DEFAULT' });
}
