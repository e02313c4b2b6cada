import { Big } from 'big.js';
import type * as sales from '../../sql/portfolios/sales.ts';
import { CHART, type AccountRole } from '../ledger/chart.ts';
import { postParts } from '../ledger/post.ts';
import { money, sum } from '../money.ts';
import type { Work } from '../work.ts';

type Carried = Awaited<ReturnType<typeof sales.carried>>;

/**
 * Books that a loan leaves the lender's books, or, bought back, enters them again: cash for what is
 * carried, the difference is a gain or a loss. What the borrower owes is owed to the investor as long
 * as the loan is sold, which is a second part on Due to Investors. Answers the entry.
 */
export async function bookSale(
  work: Work,
  { id, loan_id }: { id: string; loan_id: string },
  carried: Carried,
  price: string,
  reference_type: 'portfolio_sale' | 'portfolio_buyback' = 'portfolio_sale',
): Promise<string[]> {
  const sign = reference_type === 'portfolio_sale' ? 1 : -1;
  const { loan_number, is_left: _, due_to_investors: account, ...amounts } = carried;
  const assets = Object.fromEntries(
    Object.entries(amounts).map(([role, amount]) => [role, money(new Big(amount).times(sign))]),
  );
  const cash = new Big(price).times(sign);
  const total = sum(Object.values(assets).map((amount) => new Big(amount)));
  const gain = cash.minus(total);
  const result = { [gain.gte(0) ? 'gain_on_sale' : 'loss_on_sale']: money(gain) };
  const name = sign > 0 ? 'Portfolio sale' : 'Buyback';
  const heading = {
    entry_date: work.today,
    reference_type,
    reference_id: id,
    loan_id,
    description: `${name} ${loan_number}`,
  };
  const roles = [...Object.keys(assets), 'due_to_investors'];
  const entry = await postParts(work, heading, [
    { debit: { cash: money(cash) }, credit: { ...assets, ...result } },
    {
      debit: assets,
      credit: { due_to_investors: money(total) },
      accounts: Object.fromEntries(roles.map((role) => [role, account])),
    },
  ]);
  return entry === null ? [] : [entry];
}

/** What stays what it is while a loan is sold: money, and what is held for others. */
const OTHERS: readonly AccountRole[] = [
  'cash',
  'borrower_suspense',
  'refunds_payable',
  'due_from_investors',
  'due_to_investors',
];

/**
 * Where a sold loan's roles are booked: each that was the lender's asset, income or expense is the
 * investor's, on the account of what is owed to them.
 */
export const onAccount = ({ due_to_investors: account }: Carried): Record<string, string> =>
  Object.fromEntries(
    CHART.map(({ role }) => role)
      .filter((role) => !OTHERS.includes(role))
      .map((role) => [role, account]),
  );
