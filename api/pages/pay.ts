import { Invalid } from '../../jobs/errors.ts';
import { amountOf } from './amounts.ts';
import { usableAccounts } from './accounts.ts';
import { filledIn, keyOf } from './fields.ts';
import { loanOf } from './loans.ts';
import { moved, shown, type Page, type Visit } from './page.ts';

/** What the form asks for, as the endpoints want it. */
function orderOf(visit: Visit) {
  const { amount, ...order } = filledIn(visit, 'amount', 'payment_date', 'payment_instrument_id');
  return { ...order, ...(amount && { amount: amountOf(visit, amount) }) };
}

/** A payment is shown before it is ordered: the form, how it would be used, and then its receipt. */
const pay: Page = {
  path: '/loans/{id}/pay',
  show: async (visit) => {
    const accounts = await usableAccounts(visit);
    const loan = await loanOf(visit);
    const isRepeated = visit.problems?.code === 'possible_duplicate';
    return shown('pay', { loan, accounts, isRepeated, order: orderOf(visit) });
  },
  submit: async (visit) => {
    const { ask, params, form } = visit;
    const { id = '' } = params;
    const order = orderOf(visit);
    if (form.values['step'] !== 'pay') {
      const { payment_instrument_id, ...body } = order as Record<string, string>;
      const preview = await ask('POST /portal/loans/{id}/payments/preview', { params, body });
      const accounts = await usableAccounts(visit);
      const account = accounts.find((known) => known.id === payment_instrument_id);
      if (account === undefined) throw noAccount();
      return shown('pay-preview', { loan: await loanOf(visit), order, preview, account });
    }
    const confirm_duplicate = form.values['confirm_duplicate'] === 'true';
    const body = { ...order, ...(confirm_duplicate && { confirm_duplicate }) };
    const asked = { params, body, ...keyOf(visit) };
    const paid = await ask<{ id: string }>('POST /portal/loans/{id}/payments', asked);
    return moved(`/portal/loans/${id}/payments/${paid.id}`, 'paid');
  },
};

const noAccount = () => new Invalid({ payment_instrument_id: 'Is required.' });

export const payPages: readonly Page[] = [pay];
