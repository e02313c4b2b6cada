import { Big } from 'big.js';
import type * as sales from '../../../sql/portfolios/sales.ts';
import { CHART, type AccountRole } from '../../ledger/chart.ts';
import { postEntryParts, type PostingPart } from '../../ledger/post.ts';
import type { SystemEntry } from '../engine/posting/posting-matrix.ts';
import { money, sum } from '../../money.ts';
import type { Work } from '../../work.ts';

/** The loan's assets. They leave the books with a sale and return with a buyback. */
const ASSETS = ['loans_receivable', 'interest_receivable', 'fees_receivable'] as const;
const RESULT = { gain: 'gain_on_sale', loss: 'loss_on_sale' } as const;

/** Lists the entries of a sale and a buyback for accountants. */
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

/** Set if the entry is not the sale itself. */
type Booking = {
  reference_type?: 'portfolio_sale' | 'portfolio_buyback';
  entry_date?: string;
  purpose?: string;
  /** The lender's own accounts of a loan whose roles already use the investor's account. */
  accounts?: Record<string, string>;
};

/**
 * Posts a sale or a buyback and returns the entry. The first part exchanges the loan's assets for cash,
 * with a gain or loss. The second part records the borrower's debt as owed to the investor while the loan
 * is sold.
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

/** Roles that a sale does not change: money, and money held for other parties. */
export const UNAFFECTED_ROLES: readonly AccountRole[] = [
  'cash',
  'ach_clearing',
  'borrower_suspense',
  'refunds_payable',
  'due_from_investors',
  'due_to_investors',
];

/** The lender's accounts of a sold loan, as they were before the sale. */
export const lenderAccounts = (before: Record<string, string>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(before).filter(([role]) => !UNAFFECTED_ROLES.some((other) => other === role)),
  );

/** The change of each asset that a posting causes. */
export const carriedAmountChange = ({ debit, credit }: Pick<PostingPart, 'debit' | 'credit'>) =>
  Object.fromEntries(
    ASSETS.map((role) => [role, money(new Big(debit[role] ?? 0).minus(credit[role] ?? 0))]),
  ) as Pick<Carried, (typeof ASSETS)[number]>;

/** The accounts of a sold loan. Every asset, income and expense role uses the investor's account. */
export const investorAccounts = ({ due_to_investors: account }: Carried): Record<string, string> =>
  Object.fromEntries(
    CHART.map(({ role }) => role)
      .filter((role) => !UNAFFECTED_ROLES.includes(role))
      .map((role) => [role, account]),
  );
