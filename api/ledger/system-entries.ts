import { z } from 'zod';
import { ACCRUAL_ROLES } from '../../jobs/ledger/chart.ts';
import { listEventEntries } from '../../jobs/loans/engine/posting/posting-matrix.ts';
import { listSaleEntries } from '../../jobs/loans/history/post-sale.ts';
import { settlementEntries } from '../../jobs/payments/nacha/settle-files.ts';
import { remittanceEntries } from '../../jobs/portfolios/remittance.ts';
import { endpoint } from '../endpoints/resource.ts';

const SystemEntry = z
  .object({
    reference_type: z.string().describe('As on the journal entries. A reversal ends in _reversal.'),
    component: z.string().nullable().describe('The loan component that changes.'),
    debit: z.string().describe('The role of the account that is debited.'),
    credit: z.string().describe('The role of the account that is credited.'),
  })
  .meta({ id: 'SystemEntry' });

/**
 * The entries that the system posts automatically, for accountants to review. The rows come from the same
 * data as the entries, so they cannot differ. A reversal swaps debit and credit.
 */
export const systemEntries = endpoint({
  tag: 'ledger',
  summary: 'List automatic ledger entries',
  description: 'The posting matrix: which accounts each loan event debits and credits.',
  action: 'list',
  resource: 'ledger/system-entries',
  method: 'GET',
  path: '/ledger/system-entries',
  allow: 'viewer',
  transaction: 'read',
  status: 200,
  reply: z.array(SystemEntry),
  run: async () => [
    ...listEventEntries(),
    { reference_type: 'interest_accrual', component: 'interest', ...ACCRUAL_ROLES },
    ...listSaleEntries(),
    ...settlementEntries(),
    ...remittanceEntries(),
  ],
});
