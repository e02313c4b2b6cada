import * as investors from '../../sql/portfolios/investors.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import type { Work } from '../work.ts';

type Input = Values & { investor_id?: string; account_number?: string; is_primary?: boolean };

/** Adds an instrument: the first is primary, and a new primary takes the place of the old one. */
export async function addInstrument(work: Work, input: Input): Promise<string> {
  const { investor_id = '' } = input;
  await investors.lockInvestor(work.tx, investor_id);
  const isFirst = !(await investors.hasInstrument(work.tx, investor_id));
  const is_primary = isFirst || input.is_primary === true;
  if (is_primary) await investors.clearPrimary(work.tx, investor_id);
  return insert(work.tx, 'settlement_instruments', { ...lastFour(input), is_primary });
}

export async function changeInstrument(work: Work, id: string, changes: Input, row: Row) {
  const investorId = String(row['investor_id']);
  await investors.lockInvestor(work.tx, investorId);
  if (changes.is_primary === true) await investors.clearPrimary(work.tx, investorId);
  await update(work.tx, 'settlement_instruments', id, lastFour(changes));
}

/** The whole number is never kept. */
function lastFour({ account_number, ...instrument }: Input): Values {
  if (account_number === undefined) return instrument;
  return { ...instrument, account_number_last_four: account_number.slice(-4) };
}
