import * as investors from '../../sql/portfolios/investors.ts';
import type { Row } from '../../sql/table.ts';
import { insert, update, type Values } from '../../sql/write.ts';
import { recordDisplaced } from '../audit.ts';
import type { Work } from '../work.ts';

type Input = Values & { account_number?: string | undefined; is_primary?: boolean | undefined };
type NewInstrument = Input & { investor_id: string; instrument_type: string };

/** Adds an instrument. The first one is primary, and a new primary replaces the old one. */
export async function addSettlementInstrument(work: Work, input: NewInstrument): Promise<string> {
  const { investor_id } = input;
  await investors.lockInvestor(work.tx, investor_id);
  const isFirst = !(await investors.hasSettlementInstrument(work.tx, investor_id));
  const is_primary = isFirst || input.is_primary === true;
  if (is_primary) await clearPreviousPrimary(work, investor_id, null);
  return insert(work.tx, 'settlement_instruments', { ...lastFour(input), is_primary });
}

/** Changes the given fields. The caller must have locked the investor. */
export async function changeSettlementInstrument(work: Work, id: string, changes: Input, row: Row) {
  if (changes.is_primary === true) await clearPreviousPrimary(work, String(row['investor_id']), id);
  await update(work.tx, 'settlement_instruments', id, lastFour(changes));
}

async function clearPreviousPrimary(work: Work, investorId: string, by: string | null) {
  const ids = await investors.clearPrimaryInstrument(work.tx, investorId, by);
  await recordDisplaced(work, 'settlement_instruments', ids, 'is_primary');
}

/** Only the last four digits of the account number are stored. */
function lastFour({ account_number, ...instrument }: Input): Values {
  if (account_number === undefined) return instrument;
  return { ...instrument, account_number_last_four: account_number.slice(-4) };
}
