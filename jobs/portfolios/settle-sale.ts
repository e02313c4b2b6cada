import * as sales from '../../sql/portfolios/sales.ts';
import { happen, openLoan } from '../loans/history/happen.ts';
import { newEvent } from '../loans/history/new-event.ts';
import type { Work } from '../work.ts';
import { bookSale, onAccount } from './book-sale.ts';

/**
 * Executes what is to settle by the business date: the loan is the investor's, or stays where it is
 * when nothing is left of it.
 */
export async function settleSale(work: Work, sale: sales.Due) {
  const { tx, today: day } = work;
  const { row } = await openLoan(work, sale.loan_id);
  if (!(await sales.isDue(tx, sale.id))) return;
  const carried = await sales.carried(tx, sale.loan_id, row.posted_until);
  if (!carried.is_left) {
    await sales.settle(tx, sale.id, { status: 'declined', day, entryIds: [] });
    return;
  }
  const entryIds = sale.price === null ? [] : await bookSale(work, sale, carried, sale.price);
  if (sale.price !== null) await sales.mapSold(tx, row.id, row.posted_until, onAccount(carried));
  await sales.settle(tx, sale.id, { status: 'active', day, entryIds });
  if (!sale.servicing_retained) await release(work, sale.loan_id);
}

/** The loan goes to another servicer, with all that is owed on it and all that waits for its borrower. */
async function release(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const event = newEvent({ kind: 'servicing_transfer', effective_date: work.today });
  await happen(work, loan, [event], { becomes: 'transferred', trigger: 'portfolio_sale' });
}
