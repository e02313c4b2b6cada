import { z } from 'zod';
import { findOpenTask } from '../../sql/borrowers/tasks.ts';
import { items } from '../../sql/collateral/items.ts';
import * as liquidations from '../../sql/collateral/liquidations.ts';
import { newId } from '../../sql/new-id.ts';
import { find, type Row } from '../../sql/table.ts';
import { date, requiredFreeText, money as amount, prose } from '../../sql/types.ts';
import { insert, update } from '../../sql/write.ts';
import { Conflict, NotFound } from '../errors.ts';
import { fold } from '../loans/engine/fold.ts';
import { forgivesFees } from '../loans/fees/forgiven-fees.ts';
import { assessFee } from '../loans/fees/origination-fees.ts';
import { remindOfSurplus, surplusTask } from '../loans/history/closed-loans.ts';
import { recordEvents } from '../loans/history/record-events.ts';
import type { OpenLoan } from '../loans/history/open-loan.ts';
import { openInService } from '../loans/history/loan-records.ts';
import { newEvent } from '../loans/history/new-event.ts';
import { assertInHistory } from '../loans/history/accrual-stops.ts';
import { readTerms } from '../loans/products/loan-terms.ts';
import { atLeastZero, money, parseMoney } from '../money.ts';
import type { Work } from '../work.ts';
import { reinstateLiens, releaseLiensOnSale } from './lien.ts';

export const Liquidation = z.object({
  sale_price: amount.describe('The price that the buyer paid.'),
  sale_date: date
    .nullish()
    .describe(
      'The day of the sale. Default: the business date. Can be an earlier day since the loan was funded.',
    ),
  sale_expenses: amount
    .default('0.00')
    .describe(
      'The expenses of the sale, taken from the price. If they exceed the price, the borrower owes the rest as a fee.',
    ),
  notes: prose.nullish().describe('Kept with the sale.'),
});
type Liquidation = z.output<typeof Liquidation>;

/**
 * Records the sale of collateral and releases its liens in one transaction. On a charged-off loan, the
 * price minus expenses is a recovery. Otherwise it repays principal, interest and fees, in this order. A
 * surplus belongs to the borrower. A deficiency stays owed.
 */
export async function liquidateCollateral(work: Work, id: string, input: Liquidation) {
  const item = await lockItemForSale(work, id);
  assertForSale(item);
  const loan = await openInService(work, String(item['loan_id']), ['active', 'charged_off']);
  const sale_date = input.sale_date ?? work.today;
  assertInHistory(work, loan, 'sale_date', sale_date);
  const net = parseMoney(input.sale_price).minus(input.sale_expenses);
  const net_proceeds = money(atLeastZero(net));
  const outstanding_before = debtOn(loan, sale_date);
  const fee = await chargeExcess(work, loan, money(atLeastZero(net.neg())), sale_date);
  const sale = newId();
  await insert(work.tx, 'liquidations', {
    ...input,
    id: sale,
    sale_date,
    net_proceeds,
    outstanding_before,
    collateral_id: id,
    loan_id: loan.row.id,
    created_by: work.actor.id,
    fee_id: fee?.kind === 'fee' ? fee.fee_id : null,
    status_before: item['status'],
    liens_released: await releaseLiensOnSale(work, id, sale_date),
  });
  await update(work.tx, 'collateral_items', id, { status: 'liquidated' });
  const sold = newEvent({ id: sale, kind: 'liquidation', effective_date: sale_date, net_proceeds });
  const state = await recordEvents(work, loan, fee ? [fee, sold] : [sold], {
    trigger: 'liquidate',
  });
  if (state.surplus_balance !== loan.state.surplus_balance)
    await remindOfSurplus(work, loan.row, state.surplus_balance);
}

async function lockItemForSale({ tx }: Work, id: string): Promise<Row> {
  const item = await find(tx, items, id);
  if (item === null) throw new NotFound();
  return item;
}

function assertForSale({ status, is_archived }: Row) {
  if (status === 'liquidated') throw alreadyLiquidated();
  if (status === 'released')
    throw new Conflict('Released collateral cannot be sold.', 'invalid_transition', {
      current_status: status,
    });
  if (is_archived)
    throw new Conflict('Archived collateral cannot be sold: unarchive it first.', 'archived');
}

/** The total debt at the end of a day, including charged-off amounts. */
function debtOn({ row, schedule, events }: OpenLoan, on: string): string {
  const then = fold({ terms: readTerms(row), schedule, events, as_of: on });
  return money(parseMoney(then.total_balance).plus(then.charge_off_balance));
}

/** The borrower pays expenses above the price as a fee, unless the loan is charged off. */
async function chargeExcess(work: Work, loan: OpenLoan, excess: string, on: string) {
  const { row } = loan;
  if (excess === '0.00' || row.status === 'charged_off' || forgivesFees(loan, on)) return null;
  const description = 'Expenses of the sale of collateral above its price';
  return assessFee(work, row, { fee_type: 'legal', amount: excess, on, description });
}

export const LiquidationReversal = z.object({
  reason: requiredFreeText.describe('Why the sale is reversed. Kept in the history.'),
});

/** Reverses a sale that was entered by mistake, with its fee and its lien releases. */
export async function reverseLiquidation(work: Work, id: string) {
  const item = await lockItemForSale(work, id);
  const statuses = ['active', 'paid_off', 'charged_off'];
  const loan = await openInService(work, String(item['loan_id']), statuses);
  const sale = await liquidations.findApplied(work.tx, id);
  if (sale === null) throw notLiquidated();
  await liquidations.reverseLiquidation(work.tx, sale.id);
  await update(work.tx, 'collateral_items', id, { status: sale.status_before });
  await reinstateLiens(work, sale.liens_released);
  const undone = loan.events.filter(
    (event) =>
      event.id === sale.id ||
      (event.kind === 'fee' && event.fee_id !== undefined && event.fee_id === sale.fee_id),
  );
  const reversals = undone.map(({ id: reverses }) =>
    newEvent({ kind: 'reversal', effective_date: work.today, reverses }),
  );
  const state = await recordEvents(work, loan, reversals, { trigger: 'reverse-liquidation' });
  if (parseMoney(state.surplus_balance).gt(0)) return;
  const task = await findOpenTask(work.tx, loan.row.id, surplusTask(loan.row));
  if (task !== null) await liquidations.cancelTask(work.tx, task);
}

export const alreadyLiquidated = () =>
  new Conflict('The collateral is already sold.', 'already_liquidated');

export const notLiquidated = () =>
  new Conflict('The collateral has not been sold.', 'not_liquidated');
