import { accounts, isMappedByLoans } from '../../sql/ledger/accounts.ts';
import { find } from '../../sql/table.ts';
import { insert, update } from '../../sql/write.ts';
import { Conflict, Invalid } from '../errors.ts';
import type { Work } from '../work.ts';

type NewAccount = { account_type: string; parent_id?: string | null | undefined };

/** Adds an account to the chart. A parent account must have the same type. */
export async function addAccount({ tx }: Work, input: NewAccount): Promise<string> {
  if (input.parent_id) {
    const parent = await find(tx, accounts, input.parent_id);
    if (parent === null) throw new Invalid({ parent_id: 'Does not exist.' });
    if (parent['account_type'] !== input.account_type) {
      throw new Invalid({ parent_id: `Must be an account of the type ${input.account_type}.` });
    }
  }
  return insert(tx, 'ledger_accounts', input);
}

type AccountChanges = { is_active?: boolean | undefined };

/** Changes an account. Throws `Conflict` if it is to be deactivated although the system posts to it. */
export async function changeAccount(
  { tx }: Work,
  id: string,
  changes: AccountChanges,
  row: Record<string, unknown>,
) {
  const isOff = changes.is_active === false;
  if (isOff && (row['role'] !== null || (await isMappedByLoans(tx, id)))) {
    throw postedBySystem();
  }
  await update(tx, 'ledger_accounts', id, changes);
}

export const postedBySystem = () =>
  new Conflict('The system posts to this account, so it must stay active.', 'in_use');
