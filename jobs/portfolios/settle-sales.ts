import { Big } from 'big.js';
import { attempt } from '../../sql/db.ts';
import { isPassing } from '../../sql/passing.ts';
import * as sales from '../../sql/portfolios/sales.ts';
import { CHART, type AccountRole } from '../ledger/chart.ts';
import { postParts } from '../ledger/post.ts';
import { changeStatus } from '../loans/changes.ts';
import { happen, newEvent, openLoan } from '../loans/happen.ts';
import { money, parseMoney, sum } from '../money.ts';
import type { Work } from '../work.ts';

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
  await openLoan(work, sale.loan_id);
  const carried = await sales.carried(tx, sale.loan_id);
  if (!carried.is_left) {
    await sales.settle(tx, sale.id, { status: 'declined', day, entryIds: [] });
    return 'declined';
  }
  const entryIds = sale.price === null ? [] : await book(work, sale, carried, sale.price);
  await sales.settle(tx, sale.id, { status: 'active', day, entryIds });
  if (!sale.servicing_retained) await release(work, sale.loan_id);
  return 'activated';
}

type Carried = Awaited<ReturnType<typeof sales.carried>>;

/**
 * The loan leaves the lender's books: cash for what was carried, the difference is a gain or a loss.
 * What the borrower owes from now on is owed to the investor, and so are the roles of the loan: each
 * that is the lender's asset, income or expense is booked on Due to Investors from this day on.
 */
async function book(work: Work, sale: sales.Due, carried: Carried, price: string) {
  const { tx, today } = work;
  const { loan_number, is_left: _, due_to_investors: account, ...assets } = carried;
  const total = sum(Object.values(assets).map((amount) => new Big(amount)));
  const gain = parseMoney(price).minus(total);
  const result = gain.gte(0) ? { gain_on_sale: money(gain) } : { loss_on_sale: money(gain) };
  const heading = {
    entry_date: today,
    reference_type: 'portfolio_sale',
    reference_id: sale.id,
    loan_id: sale.loan_id,
    description: `Portfolio sale ${loan_number}`,
  };
  const id = await postParts(work, heading, [
    { debit: { cash: price }, credit: { ...assets, ...result } },
    {
      debit: assets,
      credit: { due_to_investors: money(total) },
      accounts: Object.fromEntries(
        [...Object.keys(assets), 'due_to_investors'].map((role) => [role, account]),
      ),
    },
  ]);
  const map = Object.fromEntries(LENDERS.map((role) => [role, account]));
  await sales.mapSold(tx, sale.loan_id, today, map);
  return id === null ? [] : [id];
}

/** What stays what it is after a sale: money, and what is held for others. */
const OTHERS: readonly AccountRole[] = [
  'cash',
  'borrower_suspense',
  'refunds_payable',
  'due_from_investors',
  'due_to_investors',
];
const LENDERS = CHART.map(({ role }) => role).filter((role) => !OTHERS.includes(role));

/** The loan goes to another servicer, with all that is owed on it and all that waits for its borrower. */
async function release(work: Work, loanId: string) {
  const loan = await openLoan(work, loanId);
  const { row } = loan;
  const event = newEvent({ kind: 'servicing_transfer', effective_date: work.today });
  await happen(work, { ...loan, row: { ...row, status: 'transferred' } }, [event]);
  await changeStatus(work, row, 'transferred', 'portfolio_sale');
}
