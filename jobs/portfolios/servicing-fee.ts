import { Big } from 'big.js';
import { lockInvestor } from '../../sql/portfolios/investors.ts';
import { hasRates, hasRemittanceSince } from '../../sql/portfolios/servicing-fee-rates.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { monthStart } from '../dates.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

type New = { investor_id: string; from_date: string; servicing_fee_rate: string };

/**
 * Sets the servicing fee rate of all loans of the investor from a month on, whenever the loans were bought.
 * Throws `Conflict` if that month was already remitted.
 */
export async function addServicingFeeRate(work: Work, input: New): Promise<string> {
  const { investor_id, from_date } = input;
  if (from_date !== monthStart(from_date))
    throw new Invalid({ from_date: 'Must be the first day of a month.' });
  // Serializes with remittances: a concurrent one either uses the new rate or is found below.
  await lockInvestor(work.tx, investor_id);
  if (await hasRemittanceSince(work.tx, investor_id, from_date)) {
    throw monthRemitted();
  }
  return insert(work.tx, 'servicing_fee_rates', { ...input, created_by: work.actor.id });
}

/**
 * Changes an investor. Once dated rates exist, they replace the investor's own rate, which then cannot
 * change.
 */
export async function changeInvestor(work: Work, id: string, changes: Values, row: Row) {
  const { servicing_fee_rate: rate } = changes;
  const isNew = typeof rate === 'string' && !new Big(rate).eq(String(row['servicing_fee_rate']));
  if (isNew && (await hasRates(work.tx, id))) {
    throw hasDatedRates();
  }
  await update(work.tx, 'investors', id, changes);
}

export const monthRemitted = () =>
  new Conflict(
    'That month already has a remittance. Give a month after the last remittance.',
    'already_made',
  );

export const hasDatedRates = () =>
  new Conflict(
    'The investor has dated rates. Add the new rate to its servicing-fee-rates.',
    'immutable',
  );
