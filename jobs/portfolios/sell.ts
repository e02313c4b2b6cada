import { Big } from 'big.js';
import { z } from 'zod';
import * as investors from '../../sql/portfolios/investors.ts';
import * as assignments from '../../sql/portfolios/loan-assignments.ts';
import * as portfolios from '../../sql/portfolios/portfolios.ts';
import { date, money, prose, ratio, uuid } from '../../sql/types.ts';
import { AMOUNT_MAX } from '../../sql/wide-sums.ts';
import { allows } from '../cases/rules/loan-effects.ts';
import { Conflict, Invalid } from '../errors.ts';
import { divide, money as cents } from '../money.ts';
import type { Work } from '../work.ts';
import { assertSettlementInstrument } from './loan-assignment.ts';

export const Sale = z.object({
  investor_id: uuid
    .optional()
    .describe('The buyer. Without one, the portfolio is only marked as sold.'),
  sale_date: date.optional().describe('The day of the agreement. Default: the business date.'),
  sale_price: money
    .optional()
    .describe(
      'The price of all loans together. It is divided by principal and booked for each loan when the sale settles. Default: from the ratio.',
    ),
  purchase_price_ratio: ratio
    .optional()
    .describe('The price divided by the principal sold, such as 0.985. Default: from the price.'),
  settlement_date: date
    .optional()
    .describe(
      'When ownership changes, at the close of that day. Default: the sale date. If that day is already closed, the sale settles at the next close.',
    ),
  settlement_instrument_id: uuid
    .optional()
    .describe("The buyer's account for the settlement, for your records."),
  servicing_retained: z
    .boolean()
    .default(true)
    .describe(
      'Whether you continue to service the loans. Otherwise they become `transferred` when the sale settles, and a price is required.',
    ),
  notes: prose.optional().describe('Kept in the history of the portfolio.'),
});

/**
 * Agrees the sale of a portfolio: marks it sold and creates a pending assignment of each loan to the
 * investor. Ownership changes and the sale is booked when the close of the settlement date starts, or at
 * the next close if that day is over. Until then, everything belongs to the seller. Throws `Conflict` if a
 * loan already has an owner.
 */
export async function sellPortfolio(work: Work, id: string, input: z.output<typeof Sale>) {
  const { investor_id = null, sale_date = work.today, settlement_date = sale_date } = input;
  if (settlement_date < sale_date)
    throw new Invalid({ settlement_date: 'Must not be before the sale date.' });
  const [portfolio] = await portfolios.lockPortfolios(work.tx, [id]);
  if (portfolio?.status === 'sold') throw alreadySold();
  if (portfolio?.is_archived)
    throw new Conflict('The portfolio is archived.', 'portfolio_archived');
  await checkBuyer(work, input);
  const { principal, claims, owned } = await assignments.lockLoansOf(work.tx, id);
  await assertSaleAllowed(work, id);
  const { price, ratio } = priceOf(input, new Big(principal));
  if (price !== null && new Big(price).gt(0) && new Big(principal).plus(claims).eq(0))
    throw new Invalid({ sale_price: 'The loans of the portfolio owe nothing.' });
  if (investor_id !== null) {
    if (owned.length > 0) throw alreadyOwned(owned);
    await assignments.assignSoldLoans(work.tx, {
      portfolio_id: id,
      investor_id,
      sale_date,
      settlement_date,
      sale_price: price,
      purchase_price_ratio: ratio,
      settlement_instrument_id: input.settlement_instrument_id ?? null,
    });
  }
  await assignments.markSold(work.tx, id, {
    buyer_id: investor_id,
    sale_date,
    settlement_date,
    sale_price: price,
    servicing_retained: input.servicing_retained,
  });
}

/** Throws Conflict if a legal condition forbids the sale of a loan. Does not name the condition. */
async function assertSaleAllowed({ tx, today }: Work, id: string) {
  const loan_ids = (await assignments.listLegalConditions(tx, id))
    .filter(({ legal }) => !allows(legal, 'sale', today))
    .map(({ loan_id }) => loan_id);
  if (loan_ids.length > 0) throw saleForbidden(loan_ids);
}

async function checkBuyer(work: Work, input: z.output<typeof Sale>) {
  const { investor_id, settlement_instrument_id, servicing_retained } = input;
  const hasPrice = input.sale_price !== undefined || input.purchase_price_ratio !== undefined;
  if (!servicing_retained && !hasPrice)
    throw new Invalid({ sale_price: 'Is required if servicing is not retained.' });
  if (investor_id === undefined) {
    if (settlement_instrument_id)
      throw new Invalid({ investor_id: 'Is required with a settlement instrument.' });
    if (hasPrice) throw new Invalid({ investor_id: 'Is required with a price.' });
    return;
  }
  const isActive = await investors.isActive(work.tx, investor_id);
  if (isActive === null) throw new Invalid({ investor_id: 'Does not exist.' });
  if (!isActive) throw investorInactive();
  await assertSettlementInstrument(work, investor_id, settlement_instrument_id);
}

/** Derives the price from the ratio to the sold principal, or the ratio from the price. */
function priceOf({ sale_price, purchase_price_ratio }: z.output<typeof Sale>, principal: Big) {
  if (sale_price === undefined && purchase_price_ratio === undefined)
    return { price: null, ratio: null };
  const price = sale_price ?? cents(principal.times(purchase_price_ratio ?? 0));
  if (new Big(price).gt(AMOUNT_MAX)) {
    const reason =
      `The price of ${price} exceeds the maximum of ${AMOUNT_MAX}. ` +
      'Sell the loans in several portfolios.';
    throw new Invalid({ purchase_price_ratio: reason });
  }
  const ratio =
    purchase_price_ratio ??
    (principal.eq(0) ? null : divide(new Big(price), principal).round(8, 1).toFixed());
  return { price, ratio };
}

export const alreadySold = () => new Conflict('The portfolio is already sold.', 'already_sold');

export const alreadyOwned = (loan_ids: readonly string[]) =>
  new Conflict('A loan already has an owner.', 'over_assigned', { loan_ids });

export const saleForbidden = (loan_ids: readonly string[]) =>
  new Conflict(
    'A legal condition of a person who owes a loan does not allow its sale. Remove these loans from the portfolio.',
    'legal_condition',
    { loan_ids },
  );

export const investorInactive = () =>
  new Conflict('The investor is not active.', 'investor_inactive');
