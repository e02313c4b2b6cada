import { attempt } from '../../sql/db.ts';
import { isPassing } from '../../sql/passing.ts';
import * as sales from '../../sql/portfolios/sales.ts';
import { changeStatus } from '../loans/changes.ts';
import { happen, newEvent, openLoan } from '../loans/happen.ts';
import type { Work } from '../work.ts';
import { bookSale, onAccount } from './book-sale.ts';

type Failure = { loan_id: string; error: unknown };

/**
 * Executes the sales whose settlement day has come: the loan is the investor's, or stays where it is
 * when nothing is left of it. One loan that fails stops none of the others, and is tried again with
 * the next close.
 */
export async function settleSales(work: Work, day: string) {
  const settled = { activated: 0, declined: 0, failures: [] as Failure[] };
  for (const due of await sales.due(work.tx, day)) {
    const outcome = await attempt(work.tx, () => settle({ ...work, today: day }, due));
    if ('result' in outcome) {
      settled[outcome.result] += 1;
      continue;
    }
    if (isPassing(outcome.error)) throw outcome.error;
    settled.failures.push({ loan_id: due.loan_id, error: outcome.error });
  }
  return settled;
}

async function settle(work: Work, sale: sales.Due): Promise<'activated' | 'declined'> {
  const { tx, today: day } = work;
  const { row } = await openLoan(work, sale.loan_id);
  const carried = await sales.carried(tx, sale.loan_id, row.posted_until);
  if (!carried.is_left) {
    await sales.settle(tx, sale.id, { status: 'declined', day, entryIds: [] });
    return 'declined';
  }
  const entryIds = sale.price === null ? [] : await bookSale(work, sale, carried, sale.price);
  if (sale.price !== null) await sales.mapSold(tx, row.id, row.posted_until, onAccount(carried));
  await sales.settle(tx, sale.id, { status: 'active', day, entryIds });
  if (!sale.servicing_retained) await release(work, sale.loan_id);
  return 'activated';
}

/** The loan goes to another servicer, with all that is owed on it and all that waits for its borrower. */
async function release(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const { row } = loan;
  const event = newEvent({ kind: 'servicing_transfer', effective_date: work.today });
  await happen(work, { ...loan, row: { ...row, status: 'transferred' } }, [event]);
  await changeStatus(work, row, 'transferred', 'portfolio_sale');
}
