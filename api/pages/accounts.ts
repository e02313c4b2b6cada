import { filledIn, keyOf } from './fields.ts';
import { moved, shown, type Page, type Visit } from './page.ts';
import { allOf } from './rows.ts';

const ACCOUNTS = 'GET /portal/payment-instruments';

type Account = { id: string; bank_name?: string | null; account_number_last_four?: string | null };

/** How an account is told from others: its bank and the end of its number. */
const named = (account: Account) => ({
  value: account.id,
  label: [
    account.bank_name,
    account.account_number_last_four && `…${account.account_number_last_four}`,
  ]
    .filter(Boolean)
    .join(' '),
});

/** The accounts that money may be drawn from, as a form offers them. */
export async function usableAccounts(visit: Visit) {
  const accounts = await allOf(visit, ACCOUNTS);
  return accounts
    .filter(({ is_verified, status }) => is_verified === true && status === 'active')
    .map((account) => ({ ...account, ...named(account) }));
}

const accounts: Page = {
  path: '/accounts',
  show: async (visit) => shown('accounts', { accounts: await allOf(visit, ACCOUNTS) }),
  submit: async (visit) => {
    const { ask, form } = visit;
    const { step, id = '' } = form.values;
    if (step === 'remove') {
      await ask('DELETE /portal/payment-instruments/{id}', { params: { id } });
      return moved('/portal/accounts', 'account_removed');
    }
    const body = {
      instrument_type: 'bank_account',
      ...filledIn(visit, 'account_holder_name', 'bank_name', 'routing_number'),
      ...filledIn(visit, 'account_number', 'account_type'),
    };
    await ask('POST /portal/payment-instruments', { body, ...keyOf(visit) });
    return moved('/portal/accounts', 'account_added');
  },
};

export const accountPages: readonly Page[] = [accounts];
