import { z } from 'zod';
import * as portfolios from '../../sql/portfolios/portfolios.ts';
import * as sales from '../../sql/portfolios/sales.ts';
import { recordAudit } from '../audit.ts';
import { Conflict } from '../errors.ts';
import type { Work } from '../work.ts';

export const CancelSale = z.object({});

/**
 * Cancels an agreed sale before it settles. The portfolio can be sold again. The canceled assignments and
 * the history keep the agreement.
 */
export async function cancelSale(work: Work, id: string) {
  const [portfolio] = await portfolios.lockPortfolios(work.tx, [id]);
  if (portfolio?.status !== 'sold') throw notSold();
  const hasBegun = await sales.lockLoansAndCheckSettled(work.tx, id);
  if (hasBegun || portfolio.settled_on !== null) throw saleSettled();
  for (const agreed of await sales.cancelPendingAssignments(work.tx, id)) {
    const entity = { type: 'loan_assignments', id: agreed.id, loan_id: agreed.loan_id };
    await recordAudit(work, entity, 'cancel-sale', { status: { old: 'pending', new: 'canceled' } });
  }
  await sales.unmarkSold(work.tx, id);
}

export const notSold = () => new Conflict('The portfolio is not sold.', 'not_sold');
export const saleSettled = () =>
  new Conflict('The sale has settled. Buy the loans back instead.', 'sale_settled');
