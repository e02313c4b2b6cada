import { Big } from 'big.js';
import type * as sales from '../../../sql/portfolios/sales.ts';
import { CHART, type AccountRole } from '../../ledger/chart.ts';
import { postEntryParts, type PostingPart } from '../../ledger/post.ts';
import type { SystemEntry } from '../engine/posting-matrix.ts';
import { money, sum } from '../../money.ts';
import type { Work } from '../../work.ts';

/** What a loan is carried at: the assets that leave with a sale and come back with a buyback. */
const ASSETS = ['loans_receivable', 'interest_receivable', 'fees_receivable'] as const;
const RESULT = { gain: 'gain_on_sale', loss: 'loss_on_sale' } as const;

/** The rows that a sale and a buyback book, for an accountant to read. */
export function listSaleEntries(): SystemEntry[] {
  const sold: SystemEntry[] = [
    ...ASSETS.map((asset) => row('cash', asset)),
    row('cash', RESULT.gain),
    row(RESULT.loss, 'loans_receivable'),
    ...ASSETS.map((asset) => row(asset, 'due_to_investors')),
  ];
  const bought = sold.map(({ debit, credit, ...rest }) => ({
    ...rest,
    reference_type: 'portfolio_buyback',
    debit: credit,
    credit: debit,
  }));
  return [...sold, ...bought];
}

const row = (debit: AccountRole, credit: AccountRole): SystemEntry => ({
  reference_type: 'portfolio_sale',
  component: null,
  debit,
  credit,
});

type Carried = Awaited<ReturnType<typeof sales.carryingAmounts>>;

/** How the entry is named, where it is another than the one of the sale itself. */
type Booking = {
  reference_type?: 'portfolio_sale' | 'portfolio_buyback';
  entry_date?: string;
  purpose?: string;
  /** The lender's own accounts, of a loan whose roles are booked on the investor's by now. */
  accounts?: Record<string, string>;
};

/**
 * Books that a loan leaves the lender's books, or, bought back, enters them again: cash for what is
 * carried, the difference is a gain or a loss. What the borrower owes is owed to the investor as long
 * as the loan is sold, which is a second part on Due to Investors. Answers the entry.
 */
export async function bookSale(
  work: Work,
  { id, loan_id }: { id: string; loan_id: string },
  carried: Pick<Carried, 'loan_number' | 'due_to_investors' | (typeof ASSETS)[number]>,
  price: string,
  {
    reference_type = 'portfolio_sale',
    entry_date = work.today,
    purpose = '',
    accounts = {},
  }: Booking = {},
): Promise<string[]> {
  const sign = reference_type === 'portfolio_sale' ? 1 : -1;
  const { loan_number, due_to_investors: account } = carried;
  const assets = Object.fromEntries(
    ASSETS.map((role) => [role, money(new Big(carried[role]).times(sign))]),
  );
  const cash = new Big(price).times(sign);
  const total = sum(Object.values(assets).map((amount) => new Big(amount)));
  const gain = cash.minus(total);
  const result = { [gain.gte(0) ? RESULT.gain : RESULT.loss]: money(gain) };
  const name = sign > 0 ? 'Portfolio sale' : 'Buyback';
  const heading = {
    entry_date,
    reference_type,
    reference_id: id,
    purpose,
    loan_id,
    description: `${name} ${loan_number}`,
  };
  const roles = [...Object.keys(assets), 'due_to_investors'];
  const entry = await postEntryParts(work, heading, [
    { debit: { cash: money(cash) }, credit: { ...assets, ...result }, accounts },
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
  'ach_clearing',
  'borrower_suspense',
  'refunds_payable',
  'due_from_investors',
  'due_to_investors',
];

/** Where the lender's own part of a sold loan is booked, as it was before the sale. */
export const lenderAccounts = (before: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(before).filter(([role]) => !OTHERS.some((other) => other === role)),
  );

/** How much more of each asset the lender has carried since the posting. */
export const carriedAmountChange = ({ debit, credit }: Pick<PostingPart, 'debit' | 'credit'>) =>
  Object.fromEntries(
    ASSETS.map((role) => [role, money(new Big(debit[role] ?? 0).minus(credit[role] ?? 0))]),
  ) as Pick<Carried, (typeof ASSETS)[number]>;

/**
 * Where a sold loan's roles are booked: each that was the lender's asset, income or expense is the
 * investor's, on the account of what is owed to them.
 */
export const investorAccounts = ({ due_to_investors: account }: Carried): Record<string, string> =>
  Object.fromEntries(
    CHART.map(({ role }) => role)
      .filter((role) => !OTHERS.includes(role))
      .map((role) => [role, account]),
  );
