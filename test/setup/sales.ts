import { keeperOf } from '../ledger/books.ts';
import type { Tenant } from './world.ts';

/** A portfolio of the loans, and a function that sells it to an investor. */
export async function newPortfolioForSale(tenant: Tenant, ...loan_ids: string[]) {
  const { admin, accounts } = await keeperOf(tenant);
  const investor = await admin.post('/investors', { name: 'First Fund', investor_type: 'fund' });
  const { id } = (await admin.post('/portfolios', { name: 'For sale' })).body;
  const assigned = await admin.post(`/portfolios/${id}/assign-loans`, { loan_ids });
  if (assigned.status !== 200) throw new Error(JSON.stringify(assigned.body));
  const sell = (terms: Record<string, unknown>) =>
    admin.post(`/portfolios/${id}/sell`, { investor_id: investor.body.id, ...terms });
  const buyBack = (terms: object) => admin.post(`/portfolios/${id}/buyback`, terms);
  /**
   * Balances by account, regardless of the lines' roles. Debits are positive; zero balances are left out.
   */
  const balances = async () => {
    const trial = await admin.get('/ledger/trial-balance');
    const rows = trial.body.accounts as { name: string; debit: string; credit: string }[];
    return Object.fromEntries(
      rows.map(({ name, debit, credit }) => [name, debit === '0.00' ? `-${credit}` : debit]),
    );
  };
  const investor_id = investor.body.id as string;
  const list = `/investors/${investor_id}/loan-assignments`;
  return { admin, accounts, id, investor_id, sell, buyBack, balances, list };
}
