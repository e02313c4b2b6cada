import { Big } from 'big.js';
import { z } from 'zod';
import * as portfolios from '../../sql/portfolios/portfolios.ts';
import * as sales from '../../sql/portfolios/sales.ts';
import { date, money as amount, uuid } from '../../sql/types.ts';
import { Conflict, Invalid } from '../errors.ts';
import { openLoan } from '../loans/history/open-loan.ts';
import { divide, money, sum, toCents, ZERO } from '../money.ts';
import type { Work } from '../work.ts';
import { loanIds } from './assign.ts';
import { bookSale } from '../loans/history/post-sale.ts';

export const Buyback = z.object({
  loan_ids: loanIds.describe('Loans that were sold with this portfolio. Up to 10,000.'),
  buyback_date: date.optional().describe('Must be the business date, which is the default.'),
  price: amount.describe('The price of all these loans together. It is divided by their balances.'),
});
export const BuybackResult = z.object({
  portfolio_id: uuid,
  bought_back_count: z.int().describe('How many loans were bought back.'),
  loan_ids: z.array(uuid).describe('The loans that were bought back.'),
});

/**
 * Buys sold loans back from the investor: all of them, or none. They are booked as before the sale again,
 * and belong to no portfolio.
 */
export async function buyBack(
  work: Work,
  id: string,
  { loan_ids, buyback_date = work.today, price }: z.output<typeof Buyback>,
): Promise<z.output<typeof BuybackResult>> {
  if (buyback_date !== work.today)
    throw new Invalid({ buyback_date: 'Must be the business date.' });
  const [portfolio] = await portfolios.lockPortfolios(work.tx, [id]);
  if (portfolio?.status !== 'sold') throw new Conflict('The portfolio is not sold.', 'not_sold');
  const sold = await sales.listBookedSales(work.tx, id, loan_ids);
  if (sold.length < loan_ids.length)
    throw new Invalid({
      loan_ids: 'Contains a loan whose sale with this portfolio is not booked.',
    });
  const transferredLoans = sold.filter(({ status }) => status === 'transferred');
  if (transferredLoans.length > 0) {
    throw loansTransferred(transferredLoans.map(({ loan_id }) => loan_id));
  }
  const shares = await lockWithPriceShares(work, sold, price);
  for (const { sale, until, carried, share } of shares) {
    await sales.restoreAccounts(work.tx, sale.loan_id, until);
    const entryIds = await bookSale(work, sale, carried, share, {
      reference_type: 'portfolio_buyback',
    });
    await sales.endOwnership(work.tx, sale, work.today, entryIds);
  }
  return { portfolio_id: id, bought_back_count: sold.length, loan_ids };
}

/** Locks the loans, and returns each loan's carrying amounts and share of the price. */
async function lockWithPriceShares(
  work: Work,
  sold: Awaited<ReturnType<typeof sales.listBookedSales>>,
  price: string,
) {
  const loans = [];
  for (const sale of sold) {
    const { posted_until: until } = (await openLoan(work, sale.loan_id)).row;
    const carried = await sales.carryingAmounts(work.tx, sale.loan_id, until);
    loans.push({ sale, until, carried });
  }
  const owed = loans.map(({ carried }) =>
    sum([
      new Big(carried.loans_receivable),
      new Big(carried.interest_receivable),
      new Big(carried.fees_receivable),
    ]),
  );
  const shares = allocateByWeight(
    new Big(price),
    sum(owed).gt(0) ? owed : owed.map(() => new Big(1)),
  );
  return loans.map((loan, index) => ({ ...loan, share: shares[index] ?? '0.00' }));
}

/**
 * Splits an amount by weights. Each part is a difference of rounded running totals, so the parts add up
 * exactly.
 */
function allocateByWeight(amount: Big, weights: readonly Big[]): string[] {
  const total = sum(weights);
  const dueFor = (weight: Big) => toCents(divide(amount.times(weight), total));
  let before = ZERO;
  return weights.map((weight) => {
    const due = dueFor(before);
    before = before.plus(weight);
    return money(dueFor(before).minus(due));
  });
}

export const loansTransferred = (loan_ids: readonly string[]) =>
  new Conflict('A loan is serviced elsewhere.', 'loan_transferred', {
    loan_ids,
  });
