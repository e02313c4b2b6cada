import { filledFields, formIdempotencyKey } from './form-fields.ts';
import { redirectTo, pageView, type Page, type Visit } from './page.ts';
import { fetchAllRows } from './fetch-rows.ts';

const ACCOUNTS = 'GET /portal/payment-instruments';

type Account = { id: string; bank_name?: string | null; account_number_last_four?: string | null };

/** An account's label: its bank and last four digits. */
const accountOption = (account: Account) => ({
  value: account.id,
  label: [
    account.bank_name,
    account.account_number_last_four && `…${account.account_number_last_four}`,
  ]
    .filter(Boolean)
    .join(' '),
});

const isEmpty = (list: unknown) => Array.isArray(list) && list.length === 0;

const isAccountNumberMissing = ({ draw_blockers }: Record<string, unknown>) =>
  Array.isArray(draw_blockers) && draw_blockers.includes('account_number_missing');

/** Fetches the accounts that money may be drawn from, for a form. */
export async function fetchDrawableAccounts(visit: Visit) {
  const accounts = await fetchAllRows(visit, ACCOUNTS);
  return accounts
    .filter(({ draw_blockers }) => isEmpty(draw_blockers))
    .map((account) => ({ ...account, ...accountOption(account) }));
}

/** Returns the label of one of the borrower's accounts, or null if it is another person's. */
export async function accountLabel(visit: Visit, id: string): Promise<string | null> {
  const account = (await fetchAllRows(visit, ACCOUNTS)).find((each) => each['id'] === id);
  return account === undefined ? null : accountOption({ ...account, id }).label;
}

const accounts: Page = {
  path: '/accounts',
  show: async (visit) => {
    const accounts = await fetchAllRows(visit, ACCOUNTS);
    return pageView('accounts', {
      accounts: accounts.map((account) => ({
        ...account,
        needs_number: isAccountNumberMissing(account),
      })),
    });
  },
  submit: async (visit) => {
    const { ask, form } = visit;
    const { step, id = '' } = form.values;
    if (step === 'remove') {
      await ask('DELETE /portal/payment-instruments/{id}', { params: { id } });
      return redirectTo('/portal/accounts', 'account_removed');
    }
    const body = {
      instrument_type: 'bank_account',
      ...filledFields(visit, 'account_holder_name', 'bank_name', 'routing_number'),
      ...filledFields(visit, 'account_number', 'account_type'),
    };
    await ask('POST /portal/payment-instruments', { body, ...formIdempotencyKey(visit) });
    return redirectTo('/portal/accounts', 'account_added');
  },
};

const accountNumber: Page = {
  path: '/accounts/{id}/number',
  show: async (visit) => {
    const accounts = await fetchAllRows(visit, ACCOUNTS);
    const account = accounts.find(({ id }) => id === visit.params['id']);
    return account === undefined || !isAccountNumberMissing(account)
      ? redirectTo('/portal/accounts')
      : pageView('account-number', { account });
  },
  submit: async (visit) => {
    const { ask, params } = visit;
    const body = filledFields(visit, 'account_number');
    const asked = { params, body, ...formIdempotencyKey(visit) };
    await ask('POST /portal/payment-instruments/{id}/account-number', asked);
    return redirectTo('/portal/accounts', 'account_number_added');
  },
};

export const accountPages: readonly Page[] = [accounts, accountNumber];
